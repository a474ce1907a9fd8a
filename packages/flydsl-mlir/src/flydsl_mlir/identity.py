"""What identifies the native toolchain's content: versions, and the build ids of LLVM's libraries; loads nothing."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

_LIBRARIES = ("libMLIR.so", "libLLVM.so")
_HEAD = 4096  # notes stand at the start of a shared library
_LOAD, _NOTE = 1, 4  # kinds of segments


def distribution_version() -> str:
    """Version of flydsl-mlir that the native module was built for."""
    return str(_build().VERSION)


def llvm_version() -> str:
    """Version of LLVM and MLIR that the native module was built with."""
    return str(_build().LLVM_VERSION)


def llvm_prefix() -> Path:
    """The prefix of the LLVM of this build, or where Debian has one of its version when it is inside the module."""
    if is_self_contained():
        return Path(f"/usr/lib/llvm-{llvm_version().partition('.')[0]}")
    return Path(_build().LLVM_LIBRARY_DIR).parent


def is_self_contained() -> bool:
    """Whether LLVM and MLIR are inside the native module, as in release wheels: it then needs none of the machine."""
    return not _build().LLVM_LIBRARY_DIR


@cache
def native_file() -> Path:
    """The native module's file."""
    spec = importlib.util.find_spec("flydsl_mlir._native")
    if spec is None or spec.origin is None:
        raise ImportError("flydsl_mlir has no native module: reinstall flydsl-mlir")
    return Path(spec.origin)


def check_whole(path: Path) -> None:
    """ImportError when the ELF file `path` was cut short: the loader would map what is not there, and crash."""
    with path.open("rb") as file:
        head, size = file.read(_HEAD), os.fstat(file.fileno()).st_size
    ends = [offset + length for kind, offset, length in _segments(head) if kind == _LOAD]
    if not ends or max(ends) > size:
        needed = f"it has {size} bytes of {max(ends)}" if ends else "it is no ELF file of this kind"
        raise ImportError(f"{path} is damaged: {needed}")


def shared_libraries(llvm_dir: str | Path | None = None) -> tuple[Path, ...]:
    """libMLIR and libLLVM, those of the build, if they are not inside it, or of the prefix `llvm_dir`."""
    if llvm_dir is None and is_self_contained():
        return ()
    folder = Path(llvm_dir, "lib") if llvm_dir else Path(_build().LLVM_LIBRARY_DIR)
    return tuple(folder / _file_name(name) for name in _LIBRARIES)


def llvm_library(llvm_dir: str | Path | None = None) -> Path:
    """Where libLLVM of this build's version is under the prefix `llvm_dir` or that of the build, if it is there."""
    return Path(llvm_dir or llvm_prefix(), "lib", _file_name(_LIBRARIES[-1]))


def _file_name(library: str) -> str:
    return ".".join([library, *llvm_version().split(".")[:2]])


def loadable(llvm_dir: str | Path | None) -> str | Path | None:
    """`llvm_dir` when all of `shared_libraries` are under it, or none of its tools; None when only these are.

    Such an LLVM runs passes in its own process, beside that of the build; so does any beside a self-contained build.
    """
    complete = llvm_dir is None or all(library.is_file() for library in shared_libraries(llvm_dir))
    if llvm_dir is None or (complete and not is_self_contained()):
        return llvm_dir
    return None if llvm_library(llvm_dir).is_file() or Path(llvm_dir, "bin", "opt").is_file() else llvm_dir


def pass_tools(llvm_dir: str | Path | None) -> tuple[Path, ...]:
    """The files under `llvm_dir` that run passes and are not loaded here."""
    if llvm_dir is None or loadable(llvm_dir) is not None:
        return ()
    library = llvm_library(llvm_dir)
    return (library,) if library.is_file() else (Path(llvm_dir, "bin", "opt"),)


def library_ids(llvm_dir: str | Path | None = None) -> tuple[str, ...]:
    """`name:size:build id` of each of `shared_libraries`; 0.1 ms, as nothing is hashed.

    The build id is the linker's digest of the file's content; a file without one is hashed. ImportError when a library
    is missing.
    """
    return library_state(llvm_dir)[0]


def library_state(llvm_dir: str | Path | None = None) -> tuple[tuple[str, ...], int]:
    """`library_ids`, and when the latest of the libraries was replaced, in nanoseconds since 1970."""
    try:
        files = (*shared_libraries(loadable(llvm_dir)), *pass_tools(llvm_dir))
        versions = {path: _version_of(os.stat(path)) for path in files}
        ids = tuple(_library_id(path, version) for path, version in versions.items())
    except FileNotFoundError as error:
        raise ImportError(f"{error.filename} is missing: apt install libmlir-22 libllvm22") from error
    except OSError as error:
        raise ImportError(f"{error.filename} cannot be looked at: {error.strerror}") from error
    return ids, max((version[-1] for version in versions.values()), default=0)


def _build() -> ModuleType:
    import flydsl_mlir._build as build

    return build


def _version_of(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@cache
def _library_id(path: Path, version: tuple[int, ...]) -> str:
    return f"{path.name}:{version[2]}:{_content_id(path)}"


def _content_id(path: Path) -> str:
    with path.open("rb") as file:
        note = _build_id(file.read(_HEAD))
        if note:
            return note
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()


def _build_id(head: bytes) -> str:
    """The NT_GNU_BUILD_ID of a 64-bit little-endian ELF file whose notes lie in `head`, or an empty string."""
    for kind, offset, size in _segments(head):
        if kind == _NOTE and offset + size <= len(head) and (found := _note(head[offset : offset + size])):
            return found
    return ""


def _segments(head: bytes) -> Iterator[tuple[int, int, int]]:
    """Kind, offset and size in the file of each segment of a 64-bit little-endian ELF file that begins with `head`."""
    if head[:6] != b"\x7fELF\x02\x01" or len(head) < 64:
        return
    table, entry, count = struct.unpack_from("<Q14xHH", head, 32)
    for start in range(table, min(table + entry * count, len(head) - 56), entry or 56):
        yield struct.unpack_from("<I4xQ16xQ", head, start)


def _note(notes: bytes) -> str:
    position = 0
    while position + 12 <= len(notes):
        name, size, kind = struct.unpack_from("<III", notes, position)
        start = position + 12 + (name + 3 & ~3)
        if kind == 3 and notes[position + 12 : position + 12 + name] == b"GNU\0":
            return notes[start : start + size].hex()
        position = start + (size + 3 & ~3)
    return ""
