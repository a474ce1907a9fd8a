"""Floating-point functions of scalars and vectors; static arguments are evaluated while tracing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr import conversions
from flydsl.expr.context import current
from flydsl.expr.numeric import Float32, as_numeric
from flydsl.expr.operators import Arithmetic, binary

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
            return operand.dtype.wrap(fold(float(operand.value)))
        return _rewrap(operand, current().value(f"math.{name}", [operand.value], operand.value.type))

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
    operands = [_float_operand("fma", x) for x in (a, b, c)]
    like = next((x for x in operands if x.shape is not None), operands[0])
    values = [conversions.lanes(x, like.dtype, like.shape) for x in operands]
    return _rewrap(like, current().value("math.fma", values, values[0].type))


def power(base: Any, exponent: Any) -> Any:
    """base ** exponent, in floating point."""
    a, b = _float_operand("power", base), _float_operand("power", exponent)
    like = a if a.shape is not None or b.shape is None else b
    values = [conversions.lanes(a, like.dtype, like.shape), conversions.lanes(b, like.dtype, like.shape)]
    return _rewrap(like, current().value("math.powf", values, values[0].type))


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


def _float_operand(name: str, x: Any) -> Any:
    operand = x if isinstance(x, Arithmetic) else as_numeric(x)
    if operand.dtype.is_float:
        return operand
    if operand.shape is None and isinstance(operand.value, bool | int | float):
        return Float32(operand)
    raise FrontendError(f"{name} needs floats, found {operand.dtype.__name__}; convert with .to(fx.Float32)")


def _rewrap(like: Any, value: Any) -> Any:
    if like.shape is None:
        return like.dtype.wrap(value)
    from flydsl.expr.vector import Vector

    return Vector(value, like.shape, like.dtype)
