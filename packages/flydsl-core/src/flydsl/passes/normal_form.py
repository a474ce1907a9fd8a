"""Constructors of static values: what `fly-canonicalize` leaves, and what the layout lowering makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.ir.fly import MakeComposedLayoutOp, MakeIntTupleOp, MakeLayoutOp, MakeViewOp, StaticOp
from flydsl.ir.fly.types import ComposedLayoutType, CoordTensorType, IntTupleType, LayoutType, payload_type

Make: TypeAlias = Callable[[type[Operation], Sequence[SSAValue], Attribute], SSAValue]
"""Creates an operation of one result from its class, operands and result type."""

CONSTRUCTORS = (MakeIntTupleOp, MakeLayoutOp, MakeComposedLayoutOp, MakeViewOp)
"""The operations of the normal form besides `fly.static`."""


def is_built(type_: Attribute) -> bool:
    """Whether the normal form builds a static value of this type; others are `fly.static`."""
    return isinstance(type_, IntTupleType | LayoutType | ComposedLayoutType | CoordTensorType)


def static_value(type_: Attribute, make: Make) -> SSAValue:
    """The value of a static type, in normal form."""
    op_class, parts = _constructor(type_)
    return make(op_class, [static_value(part, make) for part in parts], type_)


@lru_cache(maxsize=4096)
def _constructor(type_: Attribute) -> tuple[type[Operation], tuple[Attribute, ...]]:
    """The operation that makes a value of the type, and the types of its operands."""
    if isinstance(type_, IntTupleType):
        return MakeIntTupleOp, ()
    if isinstance(type_, LayoutType):
        return MakeLayoutOp, (type_.shape, type_.stride)
    if isinstance(type_, ComposedLayoutType):
        return MakeComposedLayoutOp, (type_.inner, type_.offset, type_.outer)
    if isinstance(type_, CoordTensorType):
        return MakeViewOp, (IntTupleType(type_.base), payload_type(type_.layout))
    return StaticOp, ()
