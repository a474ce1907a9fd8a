"""Conversions with a rounding mode, with equal results on every target.

Hardware rounds to nearest even; the other modes correct that result by one unit where it was rounded in the other
direction.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.base.float_formats import FLOAT_FORMATS
from flydsl.expr.numbers.fast_math import FastMathFlags, RoundingMode, overriding
from flydsl.expr.numbers.float_functions import unary
from flydsl.expr.numbers.operands import is_static
from flydsl.expr.numbers.operators import compare, select
from flydsl.expr.numbers.registry import named

if TYPE_CHECKING:
    from flydsl.expr.numbers.base import Numeric

_WHOLE = {
    RoundingMode.to_nearest_even: "roundeven",
    RoundingMode.downward: "floor",
    RoundingMode.upward: "ceil",
    RoundingMode.toward_zero: "trunc",
    RoundingMode.to_nearest_away: "round",
}
_INTEGERS = {16: "Int16", 32: "Int32", 64: "Int64"}
_WIDE = {name: FLOAT_FORMATS[name] for name in ("f16", "bf16", "f32", "f64")}
_MODES = ", ".join(f"fx.RoundingMode.{mode.name}" for mode in RoundingMode)


def rounded(source: Any, dtype: type[Numeric], mode: RoundingMode | int) -> Any:
    """`source` as `dtype`; exact conversions are the same in every mode. Overflow follows IEEE 754: the largest number
    or infinity, by the mode's direction.
    """
    if not isinstance(mode, int) or isinstance(mode, bool) or mode not in list(RoundingMode):
        raise FrontendError(f"rounding_mode takes one of {_MODES}, found {mode!r}")
    mode = RoundingMode(mode)
    with overriding(FastMathFlags.none):
        if source.dtype.is_float and not dtype.is_float and dtype.width > 1:
            return unary(_WHOLE[mode], source).to(dtype)
        if not dtype.is_float or _is_exact(source.dtype, dtype) or mode is RoundingMode.to_nearest_even:
            return source.to(dtype)
        return _narrowed(_as_float(source, dtype), dtype, mode)


def _is_exact(source: type[Numeric], dtype: type[Numeric]) -> bool:
    """Whether every value of `source` is one of the float type `dtype`."""
    form = _WIDE.get(dtype.mlir_name)
    if source is dtype or form is None:
        return source is dtype
    if source.is_float:
        narrow = FLOAT_FORMATS.get(source.mlir_name)
        return narrow is not None and form.holds(narrow)
    return source.width - (1 if source.is_signed and source.width > 1 else 0) <= form.precision


def _as_float(source: Any, dtype: type[Numeric]) -> Any:
    """`source` as a float that represents it exactly and is wider than `dtype`."""
    float32, float64 = named("Float32"), named("Float64")
    if dtype.mlir_name not in _WIDE or (dtype is float64 and source.dtype.is_float):
        raise FrontendError(
            f"a rounding mode of {source.dtype.__name__} to {dtype.__name__} is not supported; "
            "to_nearest_even is, and all modes are to Float16, BFloat16 and Float32"
        )
    if source.dtype.is_float:
        return source.to(float32) if source.dtype.width == dtype.width else source
    if not _is_exact(source.dtype, float64):
        raise FrontendError(
            f"{source.dtype.__name__} to {dtype.__name__} rounds to nearest even only; "
            "convert to an integer of 32 bits, or to Float64, first"
        )
    return source.to(float64)


def _narrowed(wide: Any, dtype: type[Numeric], mode: RoundingMode) -> Any:
    if is_static(wide):
        return dtype.wrap(_static(float(wide.value), dtype, mode))
    bits_type = named(_INTEGERS[dtype.width])
    near = wide.to(dtype)
    back, bits = near.to(wide.dtype), near.bitcast(bits_type)
    size, reached, one = unary("absf", wide), unary("absf", back), bits_type.wrap(1)
    if mode is RoundingMode.to_nearest_away:
        outer = (bits + one).bitcast(dtype).to(wide.dtype)
        tie = compare("eq", size - reached, unary("absf", outer) - size) & compare("lt", reached, size)
        return select(tie, bits + one, bits).bitcast(dtype)
    beyond, short = compare("gt", reached, size), compare("lt", reached, size)
    inward, outward = select(beyond, bits - one, bits), select(short, bits + one, bits)
    if mode is RoundingMode.toward_zero:
        return inward.bitcast(dtype)
    # a result of zero has the sign of the operand, and so has its outward neighbour
    sign_type = named(_INTEGERS[wide.dtype.width])
    negative = compare("lt", wide.bitcast(sign_type), sign_type.wrap(0))
    if mode is RoundingMode.downward:
        return select(negative, outward, inward).bitcast(dtype)
    return select(negative, inward, outward).bitcast(dtype)


def _static(value: float, dtype: type[Numeric], mode: RoundingMode) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    form = _WIDE[dtype.mlir_name]
    unit = math.ldexp(1.0, max(math.frexp(value)[1] - 1, form.least_exponent) - form.mantissa)
    result = _STATIC[mode](value / unit) * unit
    largest = form.largest_value
    if abs(result) > largest:
        to_infinity = mode is RoundingMode.to_nearest_away or (mode is RoundingMode.upward) == (value > 0)
        result = math.inf if to_infinity and mode is not RoundingMode.toward_zero else largest
    return math.copysign(result, value)


_STATIC: dict[RoundingMode, Callable[[float], float]] = {
    RoundingMode.downward: math.floor,
    RoundingMode.upward: math.ceil,
    RoundingMode.toward_zero: math.trunc,
    RoundingMode.to_nearest_away: lambda x: math.copysign(math.floor(abs(x) + 0.5), x),
}
