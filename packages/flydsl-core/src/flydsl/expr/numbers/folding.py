"""Constant folding of operators on Python numbers, with the results of the device."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flydsl.base.arithmetic import (
    floor_division,
    maximum,
    minimum,
    quotient,
    rounding,
    truncated_remainder,
    wrapped,
)
from flydsl.base.errors import FrontendError
from flydsl.base.float_formats import FLOAT_FORMATS
from flydsl.base.wording import with_article

if TYPE_CHECKING:
    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.values.operand_types import Number

_SHIFTS = ("lshift", "rshift")


def fold(name: str, dtype: type[Numeric], lhs: Number, rhs: Number) -> Number:
    """`lhs name rhs` for numbers of type `dtype`: integers wrap, floats round to nearest."""
    if dtype.is_float:
        return wrap_static(dtype, _fold_floats(name, dtype, float(lhs), float(rhs)))
    if name in ("floordiv", "mod") and rhs == 0:
        raise FrontendError(f"{name} of {lhs!r} by zero while tracing")
    if name in _SHIFTS and not 0 <= rhs < dtype.width:
        raise FrontendError(
            f"{name} of {with_article(dtype.__name__)} by {rhs!r} bits; shift by 0 to {dtype.width - 1}"
        )
    return wrap_static(dtype, _OF_INTEGERS[name](lhs, rhs))


def wrap_static(dtype: type[Numeric], value: bool | int | float) -> bool | int | float:
    """A Python number converted to `dtype`: C rules for integers, round to nearest for floats."""
    if dtype.is_float:
        return rounding(dtype.mlir_name)(value)
    if dtype.width == 1:
        return bool(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise FrontendError(f"cannot convert {value!r} to {dtype.__name__}")
        value = math.trunc(value)
    return wrapped(int(value), dtype.width, signed=dtype.is_signed)


def bfloat16_bits(value: float) -> int:
    """The bits of the nearest bfloat16, ties to even."""
    return FLOAT_FORMATS["bf16"].encode(value)


def _fold_floats(name: str, dtype: type[Numeric], lhs: float, rhs: float) -> float:
    if name in ("floordiv", "mod"):  # as traced operations compute them, narrow formats in single precision
        step = rounding("f64" if dtype.width == 64 else "f32")
        return floor_division(lhs, rhs, step)[name == "mod"]
    return _OF_FLOATS[name](lhs, rhs)


_OF_FLOATS: dict[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": quotient,
    "maximum": maximum,
    "minimum": minimum,
}
_OF_INTEGERS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": truncated_remainder,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "maximum": max,
    "minimum": min,
}
