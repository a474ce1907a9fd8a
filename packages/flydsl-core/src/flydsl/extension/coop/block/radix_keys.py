"""Numbers as unsigned integers of the same order, for sorts by digits."""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.registry import named
from flydsl.expr.numeric import Numeric


def unsigned_of(dtype: Any) -> type[Numeric]:
    """The unsigned type as wide as `dtype`; FrontendError for what has no digits."""
    if not (isinstance(dtype, type) and issubclass(dtype, Numeric)) or dtype.width not in (8, 16, 32, 64):
        raise FrontendError(f"keys are numbers of 8, 16, 32 or 64 bits, found {dtype!r}")
    return named(f"Uint{dtype.width}")


def to_bits(key: Numeric, *, descending: bool) -> Numeric:
    """The bits of a key, in the order of keys as unsigned integers; the other way round if `descending`."""
    unsigned = unsigned_of(key.dtype)
    bits: Any = key.bitcast(unsigned) if key.dtype is not unsigned else key
    sign, ones = unsigned(1 << key.width - 1), unsigned((1 << key.width) - 1)
    if key.dtype.is_float:
        bits = bits ^ ((bits & sign) != 0).select(ones, sign)
    elif key.dtype.is_signed:
        bits = bits ^ sign
    return unsigned(bits ^ ones if descending else bits)


def from_bits(bits: Any, dtype: Any, *, descending: bool) -> Numeric:
    """The key whose bits `to_bits` gave."""
    unsigned = unsigned_of(dtype)
    sign, ones = unsigned(1 << dtype.width - 1), unsigned((1 << dtype.width) - 1)
    bits = bits ^ ones if descending else bits
    if dtype.is_float:
        bits = bits ^ ((bits & sign) != 0).select(sign, ones)
    elif dtype.is_signed:
        bits = bits ^ sign
    own = unsigned(bits)
    return own if dtype is unsigned else own.bitcast(dtype)
