"""The input of `fly-llc`: LLVM IR of a file or of the standard input, and the triple that it names."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from flydsl.base.errors import SettingError

_TRIPLE = re.compile(r'^target triple = "([^"\n]*)"', re.MULTILINE)
_MLIR = (b"module {", b"module @", b"module attributes", b'"builtin.module"')  # LLVM IR may begin with `module asm`
_OTHERS = (
    (b"\x7fELF", "an ELF file: code that is made already; `flydsl compile --emit llvm` prints the IR of a function"),
    *((start, "MLIR: `flydsl compile --emit llvm` prints LLVM IR") for start in _MLIR),
    (b"!<arch>\n", "an archive: name one of its members"),
)
"""First bytes of files that are mistaken for LLVM IR."""


def read_source(name: str) -> bytes:
    """The bytes of a file, or of the standard input for `-`; SettingError when they cannot be LLVM IR."""
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except (OSError, ValueError) as error:  # a zero in the name
        raise SettingError(f"cannot read {name!r}: {error}") from None
    shown = "the standard input" if name == "-" else repr(name)
    if not content.strip():
        raise SettingError(f"{shown} is empty: LLVM IR, as text or bitcode, was expected")
    for start, what in _OTHERS:
        if content.startswith(start):
            raise SettingError(f"{shown} is no LLVM IR but {what}")
    return content


def is_bitcode(content: bytes) -> bool:
    """Whether it is LLVM bitcode, with a wrapper or without."""
    return content.startswith((b"BC\xc0\xde", b"\xde\xc0\x17\x0b"))


def triple_of(text: str) -> str:
    """The target triple of LLVM IR, or an empty string."""
    found = _TRIPLE.search(text)
    return found[1] if found else ""
