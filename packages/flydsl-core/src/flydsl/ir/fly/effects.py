"""Memory effects of Fly operations, as xDSL traits: what `flydsl.ir.effects` answers from.

An operation says what it does in one of three ways, and one that says nothing has unknown effects:
`Operand(READ)` and `Operand(WRITE)` for what happens through an operand, `PURE` for a function of the operands,
and the traits below for anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, OpTraits, SSAValue
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Pure, Resource

from flydsl.ir.fly.types import CoordTensorType, PayloadType

if TYPE_CHECKING:
    from flydsl.ir.fly.fields import OperandField
    from flydsl.ir.fly.op import FlyOp

_VALUES = (IntegerType, IndexType, AnyFloat, CoordTensorType, PayloadType)


@dataclass(frozen=True)
class Outside(Resource):
    """What lies outside of the memory that values point to: a terminal, a debugger, a trace, counters of the target."""

    def name(self) -> str:
        return "<Outside>"


OUTSIDE = EffectInstance(MemoryEffectKind.WRITE, resource=Outside())
"""Something happens that no load can see: the operation stays, and no operand counts as written."""


@lru_cache(maxsize=4096)
def points_to_memory(type_: Attribute) -> bool:
    """Whether a value of this type may be an address; numbers, coordinates, layouts and vectors are none."""
    if isinstance(type_, VectorType):
        return points_to_memory(type_.element_type)
    return not isinstance(type_, _VALUES)


class OperandEffects(MemoryEffect):
    """Reads and writes through operands, as their fields declare; unknown when no field declares any.

    An operand that is a value and not an address, such as a register operand in SSA form, has no effect.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance] | None:
        fly_op = cast("FlyOp", op)
        declared = _declared(type(fly_op))
        if declared is None:
            return None
        return {EffectInstance(effect, value) for effect, value in _through(fly_op, declared)}

    @classmethod
    def is_without(cls, op: Operation) -> bool:
        """Whether it is known that there are no effects: `get_effects` gives the same answer, more slowly."""
        fly_op = cast("FlyOp", op)
        declared = _declared(type(fly_op))
        return declared is not None and next(_through(fly_op, declared), None) is None


_Declared = Sequence[tuple["OperandField", MemoryEffectKind]]


@cache
def _declared(op_class: type[FlyOp]) -> _Declared | None:
    """The fields of the operands through which something happens; None when there are none."""
    return [(field, field.effect) for field in op_class.operand_fields if field.effect is not None] or None


def _through(op: FlyOp, declared: _Declared) -> Iterator[tuple[MemoryEffectKind, SSAValue]]:
    return ((effect, value) for field, effect in declared for value in field.values(op) if points_to_memory(value.type))


class AllocatesResult(MemoryEffect):
    """The result is memory of its own: no two operations of the kind give the same."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.ALLOC, op.results[0])}


class ActsOutside(MemoryEffect):
    """Something happens outside of memory: the operation is neither erased nor shared."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        return _OUTSIDE


_OUTSIDE = frozenset({OUTSIDE})

PURE = OpTraits(lambda: (Pure(),))
"""Traits of an operation that is a function of its operands."""
BY_OPERANDS = OpTraits(lambda: (OperandEffects(),))
"""Traits of one whose only effects are those that its operands are declared with."""
ALLOCATES = OpTraits(lambda: (AllocatesResult(),))
ACTS_OUTSIDE = OpTraits(lambda: (ActsOutside(),))
"""Traits of one that acts on something besides memory, such as a barrier: it stays, and writes no argument."""
BY_OPERANDS_AND_OUTSIDE = OpTraits(lambda: (OperandEffects(), ActsOutside()))
