"""A vector instruction's name in, the letters of its result and operands and its function out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .chips import Chip
from .dots import DOTS
from .fused import FUSED
from .integers import INTEGERS
from .minima import MINIMA
from .narrow import NARROW
from .numbers import FLOATS as NUMBERS
from .renamed import gfx9_name, rdna_names
from .rough import ROUGH

FLOATS = NUMBERS | MINIMA | FUSED | ROUGH | DOTS | NARROW
WIDE = "dqP"
_HALVES = {"v_cmp_class_f16": "hw", "v_alignbit_b32": "uuw", "v_alignbyte_b32": "uuw"}
_HALVES |= {"v_cvt_pk_f32_fp8": "w", "v_cvt_pk_f32_bf8": "w"}
Entry = tuple[str, str, Callable[..., Any], bool]


def entry(name: str, clamp: bool, chip: Chip) -> Entry:
    """Result, operands, function, and whether the function wants a mode first."""
    plain = name.replace("cmpx", "cmp").replace("v_dual_", "v_")
    key = plain + " clamp" if clamp else plain
    for each in (key, gfx9_name(key), plain, gfx9_name(plain)):
        if each in INTEGERS:
            return (*_true16(each, INTEGERS[each][:2], chip), INTEGERS[each][2], False)
        if each in FLOATS:
            return (*_true16(each, FLOATS[each][:2], chip), FLOATS[each][2], True)
    raise KeyError(name)


def _true16(name: str, letters: tuple[str, str], chip: Chip) -> tuple[str, str]:
    """Where RDNA reads 16 bits and gfx9 32."""
    return (letters[0], _HALVES[name]) if name in _HALVES and chip.generation > 9 else letters


def vector_names() -> list[str]:
    """All of them, of all chips; some with `clamp` after the name."""
    tables: dict[str, object] = {**INTEGERS, **FLOATS}
    made = [*tables, *rdna_names(tables)]
    return made + [name.replace("cmp", "cmpx", 1) for name in made if name.startswith("v_cmp_")]
