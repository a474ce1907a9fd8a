"""The files of AMD's device libraries (ocml, ockl) that code may be linked with; each start looks for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from flydsl_rocm.settings import rocm

_LIBRARIES = ("hip.bc", "ockl.bc", "ocml.bc", "opencl.bc")  # all that MLIR links by itself
_FOLDERS = (
    "/opt/rocm/amdgcn/bitcode",
    f"/usr/lib/{getattr(sys.implementation, '_multiarch', 'x86_64-linux-gnu')}/amdgcn/bitcode",
    "/usr/lib/amdgcn/bitcode",
    "/usr/lib/clang/*/amdgcn/bitcode",
)


def device_libraries() -> list[Path]:
    """The files that kernels may be linked with; none when none are installed."""
    folder = _bitcode_folder(rocm.rocm_path)
    return [folder / name for name in _LIBRARIES if os.path.isfile(folder / name)] if folder else []


def _bitcode_folder(rocm_path: Path | None) -> Path | None:
    """The folder with `ocml.bc` and `ockl.bc` of `rocm_path`, of ROCm, or of Debian's rocm-device-libs; or None."""
    for folder in _candidates(rocm_path):
        if os.path.isfile(os.path.join(folder, "ocml.bc")):
            return Path(folder)
    return None


def _candidates(rocm_path: Path | None) -> Iterator[str]:
    if rocm_path:
        yield os.path.join(rocm_path, "amdgcn", "bitcode")
    for pattern in _FOLDERS:
        above, star, below = pattern.partition("*")  # one name; a warm start has no time to compile a glob
        if not star:
            yield pattern
        elif os.path.isdir(above):
            yield from (f"{above}{name}{below}" for name in sorted(os.listdir(above)))
