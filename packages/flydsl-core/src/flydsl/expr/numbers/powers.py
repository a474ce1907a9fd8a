"""Powers: multiplied out for static integer exponents, one operation otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers import casts
from flydsl.expr.numbers.fast_math import Flags, overriding
from flydsl.expr.numbers.operands import (
    check_keywords,
    emit_joint,
    float_operand,
    integer_operand,
    is_static,
    number_operand,
    shaping,
)
from flydsl.expr.numbers.operators import binary
from flydsl.expr.numbers.promotion import arithmetic_type
from flydsl.expr.numbers.registry import named
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.numbers.operands import Operand
    from flydsl.expr.values.operand_types import ArithmeticLike
    from flydsl.expr.values.traced_types import ScalarOrVector


def power(base: ArithmeticLike, exponent: ArithmeticLike) -> ScalarOrVector:
    """`base ** exponent`: in floating point, or of integers."""
    number, count = number_operand(base), number_operand(exponent)
    if not number.dtype.is_float and not count.dtype.is_float:
        if is_static(count) and count.value < 0:
            raise FrontendError(
                f"an integer to the power of {int(count.value)}: use a static exponent >= 0, fx.ipowi, or a float base"
            )
        return ipowi(number, count)
    return emit_joint("power", "math.powf", number, count)


def ipowi(base: ArithmeticLike, exp: ArithmeticLike, **kwargs: object) -> ScalarOrVector:
    """An integer to the power of an integer, wrapped to its width; for a negative exponent 1 / base ** -exp rounded
    towards 0, and 0 for base 0.
    """
    check_keywords("ipowi", kwargs)
    operand, count = integer_operand("ipowi", base), integer_operand("ipowi", exp)
    if is_static(count) and count.value >= 0:
        return _multiplied_out(operand, int(count.value))
    dtype = arithmetic_type(operand.dtype, count.dtype)
    if dtype.is_signed:
        return _signed_power(dtype, operand, count)
    return _unsigned_power(dtype, operand, count)


def _signed_power(dtype: type[Numeric], base: Operand, exponent: Operand) -> ScalarOrVector:
    """The operation, which takes exponents for signed."""
    target = shaping("ipowi", base, exponent)
    lanes = [casts.broadcast_as(one, dtype, target.extents) for one in (base, exponent)]
    return target._like(current().value("math.ipowi", lanes, lanes[0].type), dtype)  # type: ignore[no-any-return]


def _unsigned_power(dtype: type[Numeric], base: Operand, exponent: Operand) -> ScalarOrVector:
    """By the power of half the exponent, which is not negative as a signed number."""
    signed = named(f"Int{dtype.width}")
    bits: Any = base.to(dtype).to(signed)  # type: ignore[attr-defined]
    count: Any = exponent.to(dtype)  # type: ignore[attr-defined]
    half = _signed_power(signed, bits, (count >> dtype.wrap(1)).to(signed))
    result = (half * half * (count & dtype.wrap(1)).select(bits, signed.wrap(1))).to(dtype)
    if not exponent.dtype.is_signed:
        return result  # type: ignore[no-any-return]
    reciprocal = (bits == signed.wrap(1)).select(dtype.wrap(1), dtype.wrap(0))
    return (exponent < exponent.dtype.wrap(0)).select(reciprocal, result)  # type: ignore[no-any-return]


def fpowi(base: ArithmeticLike, exp: ArithmeticLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """A float to the power of a signed integer, which is converted to Int32."""
    check_keywords("fpowi", kwargs)
    operand, count = float_operand(base), integer_operand("fpowi", exp)
    target = shaping("fpowi", operand, count)
    lanes = [
        casts.broadcast_as(operand, operand.dtype, target.extents),
        casts.broadcast_as(count, named("Int32"), target.extents),
    ]
    with overriding(fastmath):
        return target._like(current().value("math.fpowi", lanes, lanes[0].type), operand.dtype)  # type: ignore[no-any-return]


def _multiplied_out(base: Operand, exponent: int) -> ScalarOrVector:
    square, remaining, result = base, exponent, None
    while remaining:
        if remaining & 1:
            result = square if result is None else binary("mul", result, square)
        remaining >>= 1
        square = binary("mul", square, square) if remaining else square
    if result is not None:
        return result  # type: ignore[return-value]
    return binary("add", binary("mul", base, base.dtype.wrap(0)), base.dtype.wrap(1))
