"""What an interpreter expects and what was found in, whether they agree out."""

from __future__ import annotations

import math
import struct
from typing import Any

from .floats import ANY_NAN, BF16, F16, F32, F64, NAN, Float
from .numbers import Near
from .operands import Half

_FORMATS = {"f": F32, "d": F64, "h": F16, "p": F16, "P": F32}


def agrees(expected: Any, found: int, letter: str, name: str) -> bool:
    """`found` has all words of the lane."""
    if isinstance(expected, list):
        form = BF16 if "bf16" in name else _FORMATS[letter]
        return all(_same(part, found >> form.bits * k & (1 << form.bits) - 1, form) for k, part in enumerate(expected))
    if isinstance(expected, Half):
        mask = (1 << expected.bits) - 1
        return found & ~(mask << expected.shift) == expected.others and _same(
            expected.value, found >> expected.shift & mask, F16, mask
        )
    return _same(expected, found, _FORMATS.get(letter, F32))


def _same(expected: Any, found: int, form: Float, mask: int = -1) -> bool:
    if expected is None:  # not defined: infinities in a sum of products
        return True
    if expected is NAN:
        return form.is_nan(found) and not form.is_signalling(found)
    if expected is ANY_NAN:
        return form.is_nan(found)
    if isinstance(expected, Near):
        return _near(expected, found, form)
    return bool(expected & mask == found)


_CODES = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def _near(expected: Near, code: int, form: Float) -> bool:
    floating, whole = _CODES[form.bits]
    found = struct.unpack(floating, struct.pack(whole, code))[0]
    largest = 2.0 ** (1 << form.exponent_bits - 1) if form.bits < 64 else math.inf
    if math.isinf(expected.value) or abs(expected.value) >= largest:
        return bool(found == math.copysign(math.inf, expected.value))
    unit = max(math.ulp(expected.value) * 2.0 ** (52 - form.mantissa_bits), 2.0 ** max(form.lowest, -1074))
    if math.isinf(found):  # a value that rounds to it
        return abs(expected.value) + expected.ulps * unit >= largest
    return abs(found - expected.value) <= max(expected.ulps * unit, expected.floor)


def shown(expected: Any) -> str:
    """For messages."""
    if isinstance(expected, list):
        return "[" + ", ".join(map(shown, expected)) + "]"
    if isinstance(expected, Half):
        return f"{shown(expected.value)} << {expected.shift} | {expected.others:#x}"
    return hex(expected) if isinstance(expected, int) else str(expected)
