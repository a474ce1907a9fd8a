"""Constant folding of operators on Python numbers, with the results of the device."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.base.float_formats import FLOAT_FORMATS
from flydsl.base.wording import articled

if TYPE_CHECKING:
    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.values.operand_types import Number

_BFLOAT16 = FLOAT_FORMATS["bf16"]
_CODES = {"f16": "<e", "f32": "<f"}  # Python's own conversions are faster than ours
_SHIFTS = ("lshift", "rshift")


def fold(name: str, dtype: type[Numeric], lhs: Number, rhs: Number) -> Number:
    """`lhs name rhs` for numbers of type `dtype`: integers wrap, floats round to nearest."""
    if name in ("truediv", "floordiv", "mod") and rhs == 0:
        raise FrontendError(f"{name} of {lhs!r} by zero while tracing")
    if name in _SHIFTS and not 0 <= rhs < dtype.width:
        raise FrontendError(f"{name} of {articled(dtype.__name__)} by {rhs!r} bits; shift by 0 to {dtype.width - 1}")
    return wrap_static(dtype, _FOLDS[name](lhs, rhs))


def wrap_static(dtype: type[Numeric], value: bool | int | float) -> bool | int | float:
    """A Python number converted to `dtype`: C rules for integers, round to nearest for floats."""
    if dtype.is_float:
        return _rounded(dtype, value)
    if dtype.width == 1:
        return bool(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise FrontendError(f"cannot convert {value!r} to {dtype.__name__}")
        value = math.trunc(value)
    wrapped = int(value) & ((1 << dtype.width) - 1)
    if dtype.is_signed and wrapped >> (dtype.width - 1):
        wrapped -= 1 << dtype.width
    return wrapped


def bfloat16_bits(value: float) -> int:
    """The bits of the nearest bfloat16, ties to even."""
    return _BFLOAT16.encode(value)


def _rounded(dtype: type[Numeric], value: bool | int | float) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.copysign(math.inf, value)
    if dtype.mlir_name == "bf16":
        return _BFLOAT16.decode(bfloat16_bits(number))
    code = _CODES.get(dtype.mlir_name)
    return number if code is None else _through(code, number)


def _through(code: str, value: float) -> float:
    try:
        return float(struct.unpack(code, struct.pack(code, value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _remainder(lhs: Number, rhs: Number) -> Number:
    if isinstance(lhs, float):
        return math.fmod(lhs, rhs) if math.isfinite(lhs) else math.nan
    return abs(lhs) % abs(rhs) * (-1 if lhs < 0 else 1)


def _extreme(choose: Callable[[Number, Number], Number]) -> Callable[[Number, Number], Number]:
    def function(lhs: Number, rhs: Number) -> Number:
        return choose(lhs, rhs) if lhs == lhs and rhs == rhs else math.nan

    return function


_FOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": _remainder,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "maximum": _extreme(max),
    "minimum": _extreme(min),
}
