"""The slot table of a launcher: offset, size and `struct` code of each host argument.

Nothing of a compiler is imported here: a warm start reads the table from the cache.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Literal, NamedTuple, Self, cast

from flydsl.base.errors import CompileError
from flydsl.base.startup.pattern import pattern

SlotKind = Literal["pointer", "struct", "scalar", "stream"]

_ALIGNMENT = 8
_INTEGERS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "i128": "Qq", "index": "q"}
_FLOATS = {"f16": "e", "bf16": "H", "f32": "f", "f64": "d"}
_CODES = _INTEGERS | _FLOATS
_SIZES = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "e": 2, "i": 4, "f": 4, "q": 8, "Q": 8, "d": 8}
_FLOAT8 = r"f8E\d+M\d+\w*"
_VECTOR = r"vector<((?:\d+x)+)(\w+)>"
_STRUCT_LEAF = r"struct<(?:packed)?\s*|[(),<>\s]+"


class Slot(NamedTuple):
    """One value that a launcher takes.

    `type` is MLIR text; `format` holds the value's little-endian `struct` codes (integers signed; types that Python
    lacks, such as bf16, as unsigned bits), several for a struct or a vector. `offset` is its byte in the packed form.
    """

    kind: SlotKind
    type: str
    offset: int
    size: int
    format: str

    def to_json(self) -> dict[str, Any]:
        """Plain data for an artifact's header."""
        return self._asdict()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The slot that `to_json` describes."""
        return cls(**cast("dict[str, Any]", dict(data)))


def slot_table(arguments: Sequence[tuple[SlotKind, str]]) -> tuple[Slot, ...]:
    """Slots in order, each aligned to 8 bytes; CompileError for a type that cannot be passed."""
    slots: list[Slot] = []
    for kind, type_text in arguments:
        code = type_format(type_text)
        slots.append(Slot(kind, type_text, packed_size(slots), format_size(code), code))
    return tuple(slots)


def packed_size(slots: Sequence[Slot]) -> int:
    """Bytes of the packed form."""
    return math.ceil((slots[-1].offset + slots[-1].size) / _ALIGNMENT) * _ALIGNMENT if slots else 0


def type_format(type_text: str) -> str:
    """`struct` codes of a value of an MLIR type."""
    if type_text in _CODES:
        return _CODES[type_text]
    if type_text == "ptr" or type_text.startswith("!llvm.ptr"):
        return "Q"
    if pattern(_FLOAT8).fullmatch(type_text):
        return "B"
    if vector := pattern(_VECTOR).fullmatch(type_text):
        count = math.prod(int(n) for n in vector[1].split("x")[:-1])
        return f"{count}{type_format(vector[2])}"
    if type_text.startswith(("!llvm.struct<packed", "!llvm.struct<(")):
        leaves = [type_format(leaf) for leaf in pattern(_STRUCT_LEAF).split(type_text.removeprefix("!llvm.")) if leaf]
        if "packed" in type_text or _has_no_padding(leaves):
            return "".join(leaves)
    raise CompileError(f"a value of type {type_text!r} cannot be passed to a host function: use a scalar or a tensor")


def _has_no_padding(codes: Sequence[str]) -> bool:
    """Whether fields aligned to their own sizes follow one another, as in a packed struct."""
    offsets = [0, *accumulate(map(format_size, codes))]
    fits = all(offset % format_size(code) == 0 for offset, code in zip(offsets, codes, strict=False))
    return fits and offsets[-1] % max(map(format_size, codes), default=1) == 0


def format_size(code: str) -> int:
    """Bytes that `struct` codes take, without padding."""
    return sum(int(count or 1) * _SIZES[letter] for count, letter in re.findall(r"(\d*)(\D)", code))
