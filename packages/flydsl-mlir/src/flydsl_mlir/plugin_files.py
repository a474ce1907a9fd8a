"""Checks of plugins before they are loaded: their ELF file is read, and a process of its own tries to load them."""

from __future__ import annotations

import hashlib
import os
import re
import struct
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from flydsl_mlir.errors import PassError
from flydsl_mlir.identity import llvm_version

_MACHINES = {"x86_64": 62, "aarch64": 183}
_LLVM = re.compile(r"libLLVM(?:-(?P<old>\d+))?\.so(?:\.(?P<major>\d+)\.(?P<minor>\d+))?")
_LOAD, _DYNAMIC, _NEEDED, _STRTAB = 1, 2, 1, 5

_TRIED: set[str] = set()
"""Digests of the plugins that could be loaded."""


def check_plugins(plugins: Sequence[str | Path], llvm_dir: str | Path | None) -> list[str]:
    """The paths of `plugins`; PassError for a file that is no plugin for this LLVM, or cannot be loaded into it.

    With `llvm_dir` a process of that LLVM loads them: then they only have to be there.
    """
    return [_checked(Path(plugin).expanduser().absolute(), llvm_dir) for plugin in plugins]


def _checked(path: Path, llvm_dir: str | Path | None) -> str:
    content = _read(path)
    if llvm_dir is None:
        check_file(path, content)
        digest = hashlib.sha256(content).hexdigest()
        if digest not in _TRIED:
            from flydsl_mlir import pass_process

            pass_process.probe(path)
            _TRIED.add(digest)
    return str(path)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PassError(f"plugin {str(path)!r} cannot be read: {error.strerror or error}") from None


def check_file(path: Path, content: bytes) -> None:
    """PassError for what is not a shared library of this machine, or is linked with another LLVM."""
    name = str(path)
    if content[:6] != b"\x7fELF\x02\x01" or len(content) < 64:
        raise PassError(f"plugin {name!r} is not a shared library (a 64-bit ELF file)")
    kind, machine = struct.unpack_from("<HH", content, 16)
    expected = _MACHINES.get(os.uname().machine, machine)
    if kind != 3 or machine != expected:
        raise PassError(f"plugin {name!r} is not a shared library for this machine, {os.uname().machine}")
    major, minor = llvm_version().split(".")[:2]
    try:
        needed = list(_needed(content))
    except struct.error:
        raise PassError(f"plugin {name!r} is damaged: its ELF tables do not fit into the file") from None
    for library in needed:
        match = _LLVM.fullmatch(library)
        version = match and (match["old"] or match["major"])
        if match and (version not in (None, major) or match["minor"] not in (None, minor)):
            raise PassError(f"plugin {name!r} is linked with {library}, and this toolchain has LLVM {llvm_version()}")


def _needed(content: bytes) -> Iterator[str]:
    """The libraries that the dynamic section names."""
    table, entry, count = struct.unpack_from("<Q14xHH", content, 32)
    segments = [struct.unpack_from("<I4xQQ8xQ", content, table + entry * index) for index in range(count)]
    dynamic = next(((offset, size) for kind, offset, _, size in segments if kind == _DYNAMIC), (0, 0))
    entries = [struct.unpack_from("<qQ", content, at) for at in range(dynamic[0], sum(dynamic), 16)]
    strings = next((value for tag, value in entries if tag == _STRTAB), 0)
    for kind, offset, address, size in segments:
        if kind == _LOAD and address <= strings < address + size:
            strings += offset - address
            break
    for tag, value in entries:
        if tag == _NEEDED:
            yield content[strings + value : content.index(b"\0", strings + value)].decode(errors="replace")


@cache
def program() -> Path:
    """The program `fly-passes`, which runs passes in a process of its own."""
    from flydsl_mlir.identity import native_file

    path = native_file().with_name("fly-passes")
    if not path.is_file():
        raise PassError(f"flydsl_mlir lacks its program {path.name!r}, for custom passes: reinstall flydsl-mlir")
    return path
