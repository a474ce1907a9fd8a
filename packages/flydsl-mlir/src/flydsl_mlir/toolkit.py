"""The ROCm-shaped toolkit folder for MLIR's `gpu-module-to-binary{toolkit=...}`.

Only device functions of ocml and ockl need it: they are linked from `amdgcn/bitcode`. The linker beside it is for
MLIR's own implementation; ours links in the process.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


def create_toolkit(
    folder: str | Path, *, device_libraries: str | Path | None = None, lld: str | Path | None = None
) -> Path:
    """Fill `folder` with links: `amdgcn/bitcode` and `llvm/bin/ld.lld` if found.

    `device_libraries` is the folder of the libraries; without one there are none. It may be called again, and by
    several processes at once; what is in the place of a link is replaced.
    """
    root = Path(folder)
    bitcode, tools = root / "amdgcn" / "bitcode", root / "llvm" / "bin"
    for needed in (bitcode, tools):
        needed.mkdir(parents=True, exist_ok=True)
    _link_all(sorted(Path(device_libraries).glob("*.bc")) if device_libraries else [], bitcode)
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
