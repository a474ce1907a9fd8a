"""Numbers as unsigned integers of the same order, for sorts by digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.base.float_formats import FLOAT_FORMATS, FloatFormat
from flydsl.expr.numbers.registry import named
from flydsl.expr.numeric import Numeric

if TYPE_CHECKING:
    pass


def unsigned_of(dtype: Any) -> type[Numeric]:
    """The unsigned type as wide as `dtype`; FrontendError for what has no digits."""
    if not (isinstance(dtype, type) and issubclass(dtype, Numeric)) or dtype.width not in (8, 16, 32, 64):
        raise FrontendError(f"keys are numbers of 8, 16, 32 or 64 bits, found {dtype!r}")
    return named(f"Uint{dtype.width}")


def to_bits(key: Numeric, *, descending: bool) -> Numeric:
    """The bits of a key, in the order of keys as unsigned integers; the other way round if `descending`.

    Of floats -0.0 goes before 0.0, and NaNs behind all numbers.
    """
    unsigned = unsigned_of(key.dtype)
    bits: Any = key.bitcast(unsigned) if key.dtype is not unsigned else key
    sign, ones = unsigned(1 << key.width - 1), unsigned((1 << key.width) - 1)
    if key.dtype.is_float and (form := FLOAT_FORMATS.get(key.dtype.mlir_name)):
        bits = _nans_last(unsigned(bits ^ ((bits & sign) != 0).select(ones, sign)), form)
    elif key.dtype.is_signed and not key.dtype.is_float:
        bits = bits ^ sign
    return unsigned(bits ^ ones if descending else bits)


def from_bits(bits: Any, dtype: Any, *, descending: bool) -> Numeric:
    """The key whose bits `to_bits` gave."""
    unsigned = unsigned_of(dtype)
    sign, ones = unsigned(1 << dtype.width - 1), unsigned((1 << dtype.width) - 1)
    bits = bits ^ ones if descending else bits
    if dtype.is_float and (form := FLOAT_FORMATS.get(dtype.mlir_name)):
        bits = _nans_back(unsigned(bits), form)
        bits = bits ^ ((bits & sign) != 0).select(sign, ones)
    elif dtype.is_signed and not dtype.is_float:
        bits = bits ^ sign
    own = unsigned(bits)
    return own if dtype is unsigned else own.bitcast(dtype)


def _nans_last(bits: Numeric, form: FloatFormat) -> Numeric:
    """Ordered bits, of which NaNs with a sign are the first, or the one NaN is below 0, with all NaNs as the last."""
    unsigned, middle = bits.dtype, (1 << form.sign_bit) - 1
    if form.negative_zero:
        return unsigned(bits - _negative_nans(form))
    lower = (bits > middle).select(unsigned(bits - 1), bits)
    return (bits == middle).select(unsigned(2 * middle + 1), lower)


def _nans_back(bits: Numeric, form: FloatFormat) -> Numeric:
    """What `_nans_last` took."""
    unsigned, middle = bits.dtype, (1 << form.sign_bit) - 1
    if form.negative_zero:
        return unsigned(bits + _negative_nans(form))
    upper = (bits >= middle).select(unsigned(bits + 1), bits)
    return (bits == 2 * middle + 1).select(unsigned(middle), upper)


def _negative_nans(form: FloatFormat) -> int:
    """How many NaNs have a sign."""
    first = form.overflow + 1 if form.has_infinity else form.nan
    return 0 if first is None else (1 << form.sign_bit) - first
