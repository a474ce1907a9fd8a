"""Operands of arithmetic: their common base, and conversions of arguments to scalars and vectors."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError, OperandError
from flydsl.expr.numbers import casts
from flydsl.expr.numbers.fast_math import Flags, overriding
from flydsl.expr.numbers.meta import NumericMeta
from flydsl.expr.numbers.promotion import arithmetic_type, python_number, python_type, true_division_type
from flydsl.expr.numbers.registry import numeric_of_value
from flydsl.expr.tracing.context import current
from flydsl.expr.tracing.unsupported import NoUnknownAttributes

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.values.operand_types import ArithmeticLike
    from flydsl.expr.values.traced_types import ScalarOrVector

_IGNORED = {"loc", "ip"}  # location and insertion point are those of the trace


class Operand(NoUnknownAttributes):
    """Base of scalars and vectors: an element type, a shape (None for a scalar), and a Python number or SSA value."""

    __slots__ = ()

    dtype: Any
    shape: Any
    extents: Any
    value: Any

    def _like(self, value: SSAValue, dtype: type[Numeric]) -> Any:
        """A value of the shape of this operand with elements of `dtype`."""
        return dtype.wrap(value)

    def in_order_of_tensors(self) -> Operand:
        """This value with its elements in the order that tensors have; see `Vector`."""
        return self


def as_numeric(obj: ArithmeticLike | SSAValue) -> Numeric:
    """`obj` as a scalar: a Numeric is returned as it is, a Python number gets its default type.

    A leaf of an int tuple and an SSA value of a scalar type are converted too. Raises FrontendError for anything else.
    """
    scalar: Numeric
    if isinstance(type(obj), NumericMeta):
        scalar = obj  # type: ignore[assignment]
    elif isinstance(obj, bool | int | float):
        scalar = python_type(obj).wrap(obj)
    elif (leaf := getattr(obj, "__fly_scalar__", None)) is not None:
        scalar = leaf()
    elif (number := python_number(obj)) is not obj:
        scalar = python_type(number).wrap(number)
    else:
        scalar = _from_ir_value(obj)
    return scalar


def check_keywords(name: str, keywords: dict[str, object]) -> None:
    """Raise FrontendError for keywords that a function does not have."""
    if unknown := sorted(set(keywords) - _IGNORED):
        raise FrontendError(f"{name} has no argument {unknown[0]!r}")


def is_static(operand: Operand) -> bool:
    """Whether an operand is a number known while tracing."""
    return operand.shape is None and isinstance(operand.value, bool | int | float)


def number_operand(x: ArithmeticLike) -> Any:
    """A scalar or vector; a Python number and a leaf of an int tuple become scalars."""
    return x if isinstance(x, Operand) and not hasattr(x, "__fly_scalar__") else as_numeric(x)


def float_operand(x: ArithmeticLike) -> Any:
    """A float scalar or vector; an integer becomes a Float32, or a Float64 if it has more than 32 bits."""
    operand = number_operand(x)
    if operand.dtype.is_float:
        return operand
    dtype = true_division_type(operand.dtype, operand.dtype)
    if is_static(operand):
        return dtype.wrap(float(operand.value))  # a literal: promotion gives it the precision of the other operand
    return operand.to(dtype)


def integer_operand(name: str, x: ArithmeticLike) -> Any:
    """An integer scalar or vector."""
    operand = number_operand(x)
    if operand.dtype.is_float:
        raise FrontendError(f"{name} needs integers, found {operand.dtype.__name__}; convert with .to(fx.Int32)")
    return operand


def shaping(name: str, *operands: Operand) -> Any:
    """The operand with the shape of the result of `name`: a vector if there is one, since scalars broadcast."""
    first, *others = operands
    for other in others:
        if first.shape is None:
            first = other
        elif other.shape is not None and other.extents == first.extents:
            first = other if first.shape == first.extents else first  # the one whose shape says more
        elif other.shape is not None and other.shape == first.shape:
            first = other if len(other.extents) == 1 else first  # the other one is put into the order of tensors
        elif other.shape is not None:
            raise OperandError(
                f"{name} needs vectors of one shape, found {first.shape} and {other.shape}; reshape or broadcast first"
            )
    return first


def emit_joint(name: str, op: str, *values: ArithmeticLike, fastmath: Flags = None) -> ScalarOrVector:
    """`op` on operands promoted to one float type and one shape."""
    operands = [float_operand(value) for value in values]
    dtype = reduce(arithmetic_type, [operand.dtype for operand in operands])
    target = shaping(name, *operands)
    lanes = [casts.broadcast_as(operand, dtype, target.extents) for operand in operands]
    with overriding(fastmath):
        return target._like(current().value(op, lanes, lanes[0].type), dtype)  # type: ignore[no-any-return]


def _from_ir_value(value: Any) -> Numeric:
    """A scalar that wraps an SSA value, of the signed type of its width; raises for anything else."""
    numeric = numeric_of_value(value)
    if numeric is None:
        raise FrontendError(
            f"expected a scalar, found {type(value).__name__}; convert it with fx.Int32(...) or the like"
        )
    return numeric.wrap(value)
