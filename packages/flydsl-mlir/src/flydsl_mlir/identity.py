"""The exact content of the native toolchain as one digest; reads ELF build ids, loads nothing."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import os
import struct
from functools import cache
from pathlib import Path

__all__ = ["fingerprint", "library_files", "llvm_version"]

_LIBRARIES = ("libMLIR.so", "libLLVM.so")


def llvm_version() -> str:
    """Version of LLVM and MLIR that the native module was built with."""
    from flydsl_mlir._build import LLVM_VERSION

    return str(LLVM_VERSION)


def library_files() -> tuple[Path, ...]:
    """The native module, libMLIR and libLLVM: every file whose content decides what is emitted."""
    from flydsl_mlir._build import LLVM_LIBRARY_DIR

    major, minor = llvm_version().split(".")[:2]
    libraries = [Path(LLVM_LIBRARY_DIR, f"{name}.{major}.{minor}") for name in _LIBRARIES]
    return (_native_file(), *libraries)


@cache
def fingerprint() -> str:
    """`flydsl-mlir <version> llvm <version> <sha256>`, the digest being over size and build id of `library_files()`."""
    from flydsl_mlir import __version__

    digest = hashlib.sha256()
    for path in library_files():
        digest.update(f"{path.name} {os.stat(path).st_size} {_content_id(path)}\n".encode())
    return f"flydsl-mlir {__version__} llvm {llvm_version()} {digest.hexdigest()}"


def _native_file() -> Path:
    spec = importlib.util.find_spec("flydsl_mlir._native")
    if spec is None or spec.origin is None:
        raise ImportError("flydsl_mlir has no native module: reinstall flydsl-mlir")
    return Path(spec.origin)


def _content_id(path: Path) -> str:
    """The linker's digest of the file's content, or our own where it was linked without one."""
    with path.open("rb") as file:
        note = _build_id(file.read(4096))
        return note or hashlib.file_digest(file, "sha256").hexdigest()


def _build_id(head: bytes) -> str:
    """The NT_GNU_BUILD_ID of a 64-bit little-endian ELF file whose notes lie in `head`, or an empty string."""
    if head[:6] != b"\x7fELF\x02\x01":
        return ""
    table, entry, count = struct.unpack_from("<Q14xHH", head, 32)
    for i in range(count):
        kind, offset, size = struct.unpack_from("<I4xQ16xQ", head, table + i * entry)
        if kind == 4 and offset + size <= len(head):
            found = _note(head[offset : offset + size])
            if found:
                return found
    return ""


def _note(notes: bytes) -> str:
    position = 0
    while position + 12 <= len(notes):
        name, size, kind = struct.unpack_from("<III", notes, position)
        start = position + 12 + (name + 3 & ~3)
        if kind == 3 and notes[position + 12 : position + 12 + name] == b"GNU\0":
            return notes[start : start + size].hex()
        position = start + (size + 3 & ~3)
    return ""
