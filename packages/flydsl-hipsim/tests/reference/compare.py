"""What an interpreter expects and what was found in, whether they agree out."""

from __future__ import annotations

import math
import struct
from typing import Any

from .floats import ANY_NAN, BF16, F16, F32, F64, NAN, Float
from .numbers import Near
from .operands import Half

__all__ = ["agrees", "shown"]

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
    if expected is NAN:
        return form.is_nan(found) and not form.is_signalling(found)
    if expected is ANY_NAN:
        return form.is_nan(found)
    if isinstance(expected, Near):
        return _near(expected, struct.unpack("<f", struct.pack("<I", found))[0])
    return bool(expected & mask == found)


def _near(expected: Near, found: float) -> bool:
    if math.isinf(expected.value) or abs(expected.value) >= 2**128:
        return found == math.copysign(math.inf, expected.value)
    return abs(found - expected.value) <= expected.ulps * max(math.ulp(expected.value) * 2**29, 2.0**-149)


def shown(expected: Any) -> str:
    """For messages."""
    if isinstance(expected, list):
        return "[" + ", ".join(map(shown, expected)) + "]"
    if isinstance(expected, Half):
        return f"{shown(expected.value)} << {expected.shift} | {expected.others:#x}"
    return hex(expected) if isinstance(expected, int) else str(expected)
