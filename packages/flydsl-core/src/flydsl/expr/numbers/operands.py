"""Arguments of float functions in, operands of one float type and shape out; and results as values of the language."""

from __future__ import annotations

from functools import reduce
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers import casts
from flydsl.expr.numbers.fast_math import Flags, overriding
from flydsl.expr.numbers.operators import Arithmetic
from flydsl.expr.numbers.promotion import arithmetic_type
from flydsl.expr.numeric import Float32, as_numeric
from flydsl.expr.tracing.context import current

_IGNORED = {"loc", "ip"}  # where to build: the trace knows


def check_keywords(name: str, given: dict[str, Any]) -> None:
    """Refuse keywords that a function does not have."""
    if unknown := sorted(set(given) - _IGNORED):
        raise FrontendError(f"{name} has no argument {unknown[0]!r}")


def is_known(operand: Any) -> bool:
    """Whether an operand is a number known while tracing."""
    return operand.shape is None and isinstance(operand.value, bool | int | float)


def number_operand(x: Any) -> Any:
    """A scalar or vector; a Python number and a leaf of an int tuple become scalars."""
    return x if isinstance(x, Arithmetic) and not hasattr(x, "__fly_scalar__") else as_numeric(x)


def float_operand(name: str, x: Any) -> Any:
    """A float scalar or vector; a Python number, or a static integer, becomes a Float32."""
    operand = number_operand(x)
    if operand.dtype.is_float:
        return operand
    if is_known(operand):
        return Float32.wrap(float(operand.value))  # a literal: takes the precision of what it meets
    raise FrontendError(f"{name} needs floats, found {operand.dtype.__name__}; convert with .to(fx.Float32)")


def integer_operand(name: str, x: Any) -> Any:
    """An integer scalar or vector."""
    operand = number_operand(x)
    if operand.dtype.is_float:
        raise FrontendError(f"{name} needs integers, found {operand.dtype.__name__}; convert with .to(fx.Int32)")
    return operand


def emit_joint(name: str, op: str, *values: Any, fastmath: Flags = None) -> Any:
    """`op` on operands promoted to one float type and one shape."""
    operands = [float_operand(name, value) for value in values]
    dtype = reduce(arithmetic_type, [operand.dtype for operand in operands])
    shapes = {operand.shape for operand in operands if operand.shape is not None}
    if len(shapes) > 1:
        raise FrontendError(f"{name} needs vectors of one shape, found {' and '.join(map(str, sorted(shapes)))}")
    shape = next(iter(shapes), None)
    lanes = [casts.lanes(operand, dtype, shape) for operand in operands]
    with overriding(fastmath):
        result = current().value(op, lanes, lanes[0].type)
    return wrapped(result, shape, dtype)


def wrapped(value: Any, shape: Any, dtype: Any) -> Any:
    """An SSA value as a scalar (no shape) or a vector."""
    if shape is None:
        return dtype.wrap(value)
    from flydsl.expr.numbers.vector import Vector

    return Vector(value, shape, dtype)
