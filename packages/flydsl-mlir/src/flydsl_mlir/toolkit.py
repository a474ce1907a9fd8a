"""The ROCm-shaped toolkit folder for MLIR's `gpu-module-to-binary{toolkit=...}`.

Only device functions of ocml and ockl need it: they are linked from `amdgcn/bitcode`. The linker beside it is for
MLIR's own implementation; ours links in the process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

_DEVICE_LIBRARIES = (
    "/opt/rocm/amdgcn/bitcode",
    f"/usr/lib/{getattr(sys.implementation, '_multiarch', 'x86_64-linux-gnu')}/amdgcn/bitcode",
    "/usr/lib/amdgcn/bitcode",
    "/usr/lib/clang/*/amdgcn/bitcode",
)


def find_device_libraries(rocm_path: str | Path | None = None) -> Path | None:
    """The folder with `ocml.bc` and `ockl.bc` of `rocm_path`, of ROCm, or of Debian's rocm-device-libs; or None."""
    candidates = [os.path.join(rocm_path, "amdgcn", "bitcode")] if rocm_path else []
    for pattern in _DEVICE_LIBRARIES:
        candidates += _folders(pattern)
    for folder in candidates:
        if os.path.isfile(os.path.join(folder, "ocml.bc")):
            return Path(folder)
    return None


def _folders(pattern: str) -> list[str]:
    """The folders that a pattern stands for, in which `*` is one name; a warm start has no time to compile a glob."""
    above, star, below = pattern.partition("*")
    if not star:
        return [pattern]
    return [f"{above}{name}{below}" for name in sorted(os.listdir(above))] if os.path.isdir(above) else []


def create_toolkit(folder: str | Path, *, rocm_path: str | Path | None = None, lld: str | Path | None = None) -> Path:
    """Fill `folder` with links: `amdgcn/bitcode` (empty without device libraries) and `llvm/bin/ld.lld` if found.

    May be called again, and by several processes at once; what is in the place of a link is replaced.
    """
    root = Path(folder)
    bitcode, tools = root / "amdgcn" / "bitcode", root / "llvm" / "bin"
    for needed in (bitcode, tools):
        needed.mkdir(parents=True, exist_ok=True)
    libraries = find_device_libraries(rocm_path)
    _link_all(sorted(libraries.glob("*.bc")) if libraries else [], bitcode)
    linker = str(lld) if lld else _find_linker()
    if linker:
        _link_all([Path(linker)], tools, name="ld.lld")
    return root


def _find_linker() -> str | None:
    from shutil import which

    from flydsl_mlir.identity import llvm_prefix

    beside = llvm_prefix() / "bin" / "ld.lld"
    return str(beside) if beside.is_file() else which("ld.lld-22") or which("ld.lld")


def _link_all(files: Sequence[Path], folder: Path, name: str = "") -> None:
    for file in files:
        link = folder / (name or file.name)
        if not (link.is_symlink() and link.readlink() == file):
            draft = folder / f".{link.name}.{os.getpid()}.{os.urandom(6).hex()}"
            draft.symlink_to(file)
            draft.replace(link)
