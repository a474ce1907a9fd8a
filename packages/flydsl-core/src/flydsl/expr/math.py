"""Floating-point functions of scalars and vectors; static arguments are evaluated while tracing."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr import conversions
from flydsl.expr.context import current
from flydsl.expr.folding import wrap_static
from flydsl.expr.numeric import Float32, as_numeric
from flydsl.expr.operators import Arithmetic, binary
from flydsl.expr.promote import arithmetic_type

__all__ = [
    "absf",
    "ceil",
    "cos",
    "erf",
    "exp",
    "exp2",
    "floor",
    "fma",
    "log",
    "log2",
    "log10",
    "max",
    "maximumf",
    "min",
    "minimumf",
    "power",
    "rsqrt",
    "sin",
    "sqrt",
    "tanh",
]


def _unary(name: str, fold: Callable[[float], float]) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        operand = _float_operand(name, x)
        if operand.shape is None and not hasattr(operand.value, "type"):
            with suppress(ValueError, OverflowError, ZeroDivisionError):  # Python has no NaN and infinity there
                return operand.dtype.wrap(wrap_static(operand.dtype, fold(operand.value)))
        value = operand.ir_value()
        return _rewrap(operand, current().value(f"math.{name}", [value], value.type))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of a float scalar or vector, element by element."
    return function


absf = _unary("absf", abs)
ceil = _unary("ceil", math.ceil)
cos = _unary("cos", math.cos)
erf = _unary("erf", math.erf)
exp = _unary("exp", math.exp)
exp2 = _unary("exp2", lambda x: 2.0**x)
floor = _unary("floor", math.floor)
log = _unary("log", math.log)
log2 = _unary("log2", math.log2)
log10 = _unary("log10", math.log10)
rsqrt = _unary("rsqrt", lambda x: 1.0 / math.sqrt(x))
sin = _unary("sin", math.sin)
sqrt = _unary("sqrt", math.sqrt)
tanh = _unary("tanh", math.tanh)


def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c with one rounding."""
    return _joint("fma", "math.fma", a, b, c)


def power(base: Any, exponent: Any) -> Any:
    """base ** exponent: in floating point, or multiplied out for an integer to a static exponent."""
    if _is_integer(base) and _is_integer(exponent):
        return _integer_power(base, exponent)
    return _joint("power", "math.powf", base, exponent)


def max(*operands: Any) -> Any:
    """The largest of the operands after promotion; NaN propagates."""
    return _fold_operands("maximum", operands)


def min(*operands: Any) -> Any:
    """The smallest of the operands after promotion; NaN propagates."""
    return _fold_operands("minimum", operands)


def maximumf(a: Any, b: Any) -> Any:
    """The larger of two floats; NaN propagates."""
    return binary("maximum", a, b)


def minimumf(a: Any, b: Any) -> Any:
    """The smaller of two floats; NaN propagates."""
    return binary("minimum", a, b)


def _fold_operands(name: str, operands: tuple[Any, ...]) -> Any:
    if not operands:
        raise FrontendError(f"{name} needs at least one operand")
    result = operands[0]
    for operand in operands[1:]:
        result = binary(name, result, operand)
    return result


def _joint(name: str, op: str, *values: Any) -> Any:
    """`op` on operands promoted to one float type and one shape."""
    operands = [_float_operand(name, value) for value in values]
    dtype = reduce(arithmetic_type, [operand.dtype for operand in operands])
    shape = next((operand.shape for operand in operands if operand.shape is not None), None)
    lanes = [conversions.lanes(operand, dtype, shape) for operand in operands]
    result = current().value(op, lanes, lanes[0].type)
    return dtype.wrap(result) if shape is None else _vector(result, shape, dtype)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) or not getattr(getattr(value, "dtype", None), "is_float", True)


def _integer_power(base: Any, exponent: Any) -> Any:
    if not hasattr(exponent, "__index__") or getattr(exponent, "is_static", True) is False or int(exponent) < 0:
        raise FrontendError(f"an integer to the power of {exponent!r}: use a static exponent >= 0, or convert to float")
    square, remaining, result = as_numeric(base) if isinstance(base, int) else base, int(exponent), None
    while remaining:
        if remaining & 1:
            result = square if result is None else binary("mul", result, square)
        remaining >>= 1
        square = binary("mul", square, square) if remaining else square
    return binary("mul", square, 0) + 1 if result is None else result


def _float_operand(name: str, x: Any) -> Any:
    operand = x if isinstance(x, Arithmetic) else as_numeric(x)
    if operand.dtype.is_float:
        return operand
    if operand.shape is None and isinstance(operand.value, bool | int | float):
        return Float32.wrap(float(operand.value))  # a literal: takes the precision of what it meets
    raise FrontendError(f"{name} needs floats, found {operand.dtype.__name__}; convert with .to(fx.Float32)")


def _rewrap(like: Any, value: Any) -> Any:
    return like.dtype.wrap(value) if like.shape is None else _vector(value, like.shape, like.dtype)


def _vector(value: Any, shape: Any, dtype: Any) -> Any:
    from flydsl.expr.vector import Vector

    return Vector(value, shape, dtype)
