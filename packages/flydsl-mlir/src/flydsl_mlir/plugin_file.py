"""Shared libraries with LLVM passes, read as files: which LLVM a plugin was built for, before any of its code runs.

Loading a plugin of another LLVM runs its static constructors against the wrong data structures, and then usually
crashes. Two facts of the file tell: the note that `fly_pass.h` writes, and the libLLVM that the library is linked with.
"""

from __future__ import annotations

import mmap
import os
import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flydsl_mlir.errors import MlirError
from flydsl_mlir.identity import llvm_library, llvm_version

_NOTE_NAME, _NOTE_TYPE = b"FlyPass\0", 1
_MACHINES = {"x86_64": 62, "aarch64": 183}
_SHARED_OBJECT = 3
_LLVM_SYMBOLS = (b"\0llvmGetPassPluginInfo\0", b"4llvm")  # the entry point, or what the C++ namespace becomes
_LOAD, _DYNAMIC, _NOTE = 1, 2, 4  # types of segments
_NEEDED, _STRINGS, _STRINGS_SIZE = 1, 5, 10  # tags of the dynamic section


@dataclass(frozen=True, slots=True)
class PluginFile:
    """What the file of a plugin says of itself."""

    built_with: str
    """Version of the LLVM whose headers it was compiled with, or an empty string for plugins without `fly_pass.h`."""
    sources: str
    """Digest of what `flydsl_mlir.sdk.build` built it from, or an empty string."""
    libraries: tuple[str, ...]
    """Sonames of the libraries that it is linked with."""
    uses_llvm: bool
    """Whether it defines or needs symbols of LLVM."""


def read_plugin(path: str | os.PathLike[str]) -> PluginFile:
    """The facts in a plugin's file; MlirError for a file that is missing, or no shared library of this machine."""
    try:
        with Path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _read(data)
    except OSError as error:
        raise MlirError(f"cannot read plugin {os.fspath(path)!r}: {error.strerror or error}") from None
    except (ValueError, OverflowError, struct.error) as error:  # an empty file cannot be mapped
        reason = str(error) if isinstance(error, _NotAPlugin) else "the file is empty or damaged"
        raise MlirError(f"{os.fspath(path)!r} is no LLVM plugin: {reason}") from None


def check_plugin(path: str | os.PathLike[str]) -> None:
    """MlirError for a file that cannot be a plugin of the LLVM in use; reads the file and runs nothing of it."""
    plugin, version, ours = read_plugin(path), llvm_version(), llvm_library().name
    other = next((name for name in plugin.libraries if name.startswith("libLLVM") and name != ours), "")
    if plugin.built_with and _series(plugin.built_with) != _series(version):
        found = f"is for LLVM {plugin.built_with}, and LLVM {version} runs"
    elif other:
        found = f"is linked with {other!r}, and {ours!r} runs"
    elif not plugin.uses_llvm:
        found = "uses nothing of LLVM"
    else:
        return
    advice = "build it with `python -m flydsl_mlir.sdk build`"
    raise MlirError(f"{os.fspath(path)!r} is no plugin of this LLVM: it {found}; {advice}")


class _NotAPlugin(ValueError):
    pass


def _series(version: str) -> str:
    """The part of a version within which LLVM keeps its binary interface: `22.1`."""
    return ".".join(version.split(".")[:2])


def _read(data: mmap.mmap) -> PluginFile:
    machine = _MACHINES.get(platform.machine())
    if data[:4] != b"\x7fELF":
        raise _NotAPlugin("it is not an ELF file")
    if data[4:6] != b"\x02\x01" or machine not in (None, struct.unpack_from("<H", data, 18)[0]):
        raise _NotAPlugin("it is for another processor")
    if struct.unpack_from("<H", data, 16)[0] != _SHARED_OBJECT:
        raise _NotAPlugin("it is not a shared library")
    segments = list(_segments(data))
    note = next((text for kind, *place in segments if kind == _NOTE for text in _notes(data, *place)), "")
    built_with, _, sources = note.partition(" ")
    entries, names = _dynamic(data, segments)
    libraries = tuple(_string(names, value) for tag, value in entries if tag == _NEEDED)
    return PluginFile(built_with, sources, libraries, any(symbol in names for symbol in _LLVM_SYMBOLS))


def _segments(data: mmap.mmap) -> Iterator[tuple[int, int, int, int]]:
    """`(type, offset in the file, address, size in the file)` of each program header."""
    (table,) = struct.unpack_from("<Q", data, 32)
    entry, count = struct.unpack_from("<HH", data, 54)
    for start in range(table, table + entry * count, entry or 56):
        kind, offset, address, size = struct.unpack_from("<I4xQQ8xQ", data, start)
        yield kind, offset, address, size


def _notes(data: mmap.mmap, offset: int, _address: int, size: int) -> Iterator[str]:
    """The texts of our notes in one segment."""
    position, end = offset, offset + size
    while position + 12 <= end:
        name_size, text_size, kind = struct.unpack_from("<III", data, position)
        name = position + 12
        text = name + (name_size + 3 & ~3)
        if kind == _NOTE_TYPE and data[name : name + name_size] == _NOTE_NAME:
            yield data[text : text + text_size].rstrip(b"\0").decode("utf-8", "replace")
        position = text + (text_size + 3 & ~3)


def _dynamic(data: mmap.mmap, segments: list[tuple[int, int, int, int]]) -> tuple[list[tuple[int, int]], bytes]:
    """`(tag, value)` of each entry of the dynamic section, and the table of strings that they name."""
    entries: list[tuple[int, int]] = []
    for kind, offset, _, size in segments:
        if kind == _DYNAMIC:
            entries += struct.iter_unpack("<QQ", data[offset : offset + size - size % 16])
    values = dict(entries)
    start, length = values.get(_STRINGS, 0), values.get(_STRINGS_SIZE, 0)
    for kind, offset, address, size in segments:
        if kind == _LOAD and address <= start < address + size:
            return entries, data[offset + start - address : offset + start - address + length]
    raise _NotAPlugin("it has no dynamic symbols")


def _string(table: bytes, offset: int) -> str:
    return table[offset : table.index(b"\0", offset)].decode("utf-8", "replace")
