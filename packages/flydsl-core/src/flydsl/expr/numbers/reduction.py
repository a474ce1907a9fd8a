"""Reductions of vectors, to one scalar or along some of the extents."""

from __future__ import annotations

from enum import Enum
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from flydsl.base.errors import FrontendError, OperandError
from flydsl.expr.numbers.fast_math import overriding
from flydsl.expr.numbers.registry import named
from flydsl.expr.numbers.vector_shape import number_of
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.numbers.fast_math import Flags
    from flydsl.expr.numbers.vector import Vector
    from flydsl.expr.values.operand_types import ScalarLike
    from flydsl.expr.values.traced_types import Scalar, ScalarOrVector


class ReductionOp(Enum):
    """How `Vector.reduce` combines elements; of floats MAX leaves NaN out, as `fx.maxnumf` does, and MIN
    is NaN where any element is, as `fx.minimumf` is.

    Booleans are 0 or 1: ADD counts those that are true, as an Int32, and MUL gives an Int32 too; MAX is true where any
    is, MIN where all are.
    """

    ADD = "add"
    MUL = "mul"
    MAX = "max"
    MIN = "min"


def reduced(
    vector: Vector, op: ReductionOp | str, init_val: ScalarLike | None, profile: object, fastmath: Flags
) -> ScalarOrVector:
    """The elements of `vector` combined by `op`; see `Vector.reduce`."""
    kind, kept = _reduction(op), _kept(vector, profile)
    if vector.dtype is named("Boolean") and kind in (ReductionOp.ADD, ReductionOp.MUL):
        vector = vector.to(named("Int32"))
    flat = vector.reshape(vector.numel)
    if not kept:
        return _combined(flat, kind, init_val, fastmath)  # type: ignore[return-value]
    shape = tuple(map(number_of, vector.shape))
    is_of_tensor = vector.shape != vector.extents
    before = [shape[:axis] if is_of_tensor else shape[axis + 1 :] for axis in range(len(shape))]
    steps = list(map(prod, before))
    summed = [axis for axis in range(len(shape)) if axis not in kept]
    inner = [_offset(index, summed, steps) for index in product(*(range(shape[axis]) for axis in summed))]
    parts = []
    order = kept[::-1] if is_of_tensor else kept
    for index in product(*(range(shape[axis]) for axis in order)):
        start = _offset(index, order, steps)
        parts.append(_combined(flat.shuffle(flat, [start + offset for offset in inner]), kind, init_val, fastmath))
    results = vector.from_elements(parts, vector.dtype)
    if is_of_tensor:
        return type(results)(results, tuple(vector.shape[axis] for axis in kept))  # type: ignore[return-value]
    return results.reshape([shape[axis] for axis in kept])  # type: ignore[return-value]


def _combined(flat: Vector, op: ReductionOp, init_val: ScalarLike | None, fastmath: Flags) -> Scalar:
    emitter = current()
    operands = [flat.value] if init_val is None else [flat.value, flat.dtype(init_val).ir_value()]
    properties = {"kind": emitter.combining_kind(_kind(op, flat.dtype))}
    with overriding(fastmath):
        value = emitter.value("vector.reduction", operands, emitter.type(flat.dtype), properties=properties)
    return flat.dtype.wrap(value)  # type: ignore[return-value]


def _reduction(op: ReductionOp | str) -> ReductionOp:
    try:
        return ReductionOp(op)
    except ValueError:
        known = ", ".join(f"fx.ReductionOp.{known.name}" for known in ReductionOp)
        raise OperandError(f"{op!r} is not a reduction; known: {known}") from None


def _kept(vector: Vector, profile: object) -> list[int]:
    """The axes that are not reduced."""
    if profile is None or not isinstance(profile, tuple | list):
        return []
    if len(profile) != len(vector.shape):
        raise FrontendError(f"a reduction of shape {vector.shape} has a profile entry for each extent, found {profile}")
    return [axis for axis, entry in enumerate(profile) if entry is None]


def _offset(index: tuple[int, ...], axes: list[int], steps: list[int]) -> int:
    return sum(extent * steps[axis] for extent, axis in zip(index, axes, strict=True))


def _kind(op: ReductionOp, dtype: type[Numeric]) -> str:
    if op in (ReductionOp.ADD, ReductionOp.MUL):
        return str(op.value)
    if dtype.is_float:
        return "maxnumf" if op is ReductionOp.MAX else "minimumf"
    return f"{op.value}{'s' if dtype.is_signed else 'u'}i"
