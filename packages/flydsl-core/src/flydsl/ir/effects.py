"""What operations do to memory: whether they may be shared or erased, and what they read and write.

The answer stands on the operation, as memory-effect traits of its class (`flydsl.ir.fly.effects`, or those of xDSL), or
for upstream operations that xDSL leaves undescribed in `flydsl.ir.upstream_facts`. An operation that nobody
describes has unknown effects: it is neither shared nor erased, and what it gets the address of counts as written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from functools import cache

from xdsl.ir import Operation
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryAllocEffect,
    MemoryEffect,
    MemoryEffectKind,
    MemoryFreeEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)

from flydsl.ir.fly.effects import ActsOutside, AllocatesResult, OperandEffects
from flydsl.ir.fly.op import FlyOp
from flydsl.ir.upstream_facts import DEVICE_ONLY, is_pure_name, upstream_effects

Effects = Set[EffectInstance]

_LEAVES_NO_TRACE = frozenset({MemoryEffectKind.READ, MemoryEffectKind.ALLOC})
_NONE: Effects = frozenset()


def is_pure(op: Operation) -> bool:
    """Equal operands give equal results and nothing else happens: such operations may be erased and shared."""
    answer = _pure(type(op))
    if answer is not None:
        return answer
    if _has_operand_effects_only(type(op)):
        return OperandEffects.is_without(op)
    return not op.regions and effects_of(op) == _NONE


def is_pure_class(op_class: type[Operation]) -> bool | None:
    """What `is_pure` says of every operation of a class without regions; None when it depends on the operation."""
    return _pure(op_class)


def is_erasable(op: Operation) -> bool:
    """Nothing is lost with the operation when nobody uses its results: it only reads, or allocates a result."""
    answer = _erasable(type(op))
    if answer is not None:
        return answer
    effects = effects_of(op)
    if effects is None or any(effect.kind not in _LEAVES_NO_TRACE for effect in effects):
        return False
    return not op.regions or (has_effects_of_regions(op) and all(map(_ends_or_is_erasable, _operations_in(op))))


def effects_of(op: Operation) -> Effects | None:
    """What the operation itself, its regions aside, does to memory; None when that is unknown."""
    asked = _asked(type(op))
    if asked is None:
        return None
    if len(asked) == 1:
        return asked[0](op)
    found: set[EffectInstance] = set()
    for ask in asked:
        effects = ask(op)
        if effects is None:
            return None
        found |= effects
    return found


def has_effects_of_regions(op: Operation) -> bool:
    """Whether the operation also does what the operations in its regions do."""
    return _has_effects_of_regions(type(op))


@cache
def device_only(op_class: type[Operation]) -> str:
    """What only a device does with such an operation, as a phrase for messages; empty when hosts do it too."""
    return op_class.device_only if issubclass(op_class, FlyOp) else DEVICE_ONLY.get(op_class.name, "")


def _operations_in(op: Operation) -> Iterator[Operation]:
    return (inner for region in op.regions for block in region.blocks for inner in block.ops)


def _ends_or_is_erasable(op: Operation) -> bool:
    """A terminator goes with the region that it ends."""
    return op.has_trait(IsTerminator) or is_erasable(op)


@cache
def _has_operand_effects_only(op_class: type[Operation]) -> bool:
    return _memory_traits(op_class) == {OperandEffects}


@cache
def _has_effects_of_regions(op_class: type[Operation]) -> bool:
    return op_class.has_trait(RecursiveMemoryEffect)


@cache
def _asked(op_class: type[Operation]) -> tuple[Callable[[Operation], Effects | None], ...] | None:
    """What tells the effects of operations of a class; None when nothing does."""
    traits = [trait for trait in op_class.traits if isinstance(trait, MemoryEffect)]
    if traits:
        return tuple(trait.get_effects for trait in traits if not isinstance(trait, RecursiveMemoryEffect))
    upstream = upstream_effects(op_class.name)
    return None if upstream is None else (upstream,)


@cache
def _pure(op_class: type[Operation]) -> bool | None:
    """Whether all operations of a class are pure; None when it depends on operands and regions."""
    if _erasable(op_class) is False:
        return False
    traits = _memory_traits(op_class)
    if traits <= _NOTHING:
        return bool(traits) or is_pure_name(op_class.name)  # what else is known of upstream operations are effects
    return False if traits <= _NOTHING | _ONLY_RESULTS else None


@cache
def _erasable(op_class: type[Operation]) -> bool | None:
    """Whether all operations of a class are erasable; None when it depends on operands and regions."""
    # xDSL calls some terminators pure; a `while` that only reads may wait for another thread
    if op_class.name == "scf.while" or op_class.has_trait(IsTerminator) or op_class.has_trait(SymbolOpInterface):
        return False
    traits = _memory_traits(op_class)
    if not traits:
        return True if is_pure_name(op_class.name) else None if upstream_effects(op_class.name) else False
    if traits & _LASTING:
        return False
    return True if traits <= _NOTHING | _ONLY_RESULTS else None


def _memory_traits(op_class: type[Operation]) -> Set[type]:
    return {type(trait) for trait in op_class.traits if isinstance(trait, MemoryEffect)}


_NOTHING: Set[type] = {Pure, NoMemoryEffect}
_ONLY_RESULTS: Set[type] = {MemoryReadEffect, MemoryAllocEffect, AllocatesResult}
_LASTING: Set[type] = {MemoryWriteEffect, MemoryFreeEffect, ActsOutside}
