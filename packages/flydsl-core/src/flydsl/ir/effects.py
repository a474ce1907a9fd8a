"""What operations do to memory: whether they may be shared or erased, and what they read and write.

The answer stands on the operation, as memory-effect traits of its class (`flydsl.ir.fly.effects`, or those of xDSL), or
for upstream operations that xDSL leaves undescribed in `flydsl.ir.upstream_facts`. An operation that nobody
describes has unknown effects: it is neither shared nor erased, and what it gets the address of counts as written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from enum import Enum, auto
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

from flydsl.ir.fly.effects import ActsOutside, AllocatesResult
from flydsl.ir.fly.op import FlyOp
from flydsl.ir.upstream_facts import DEVICE_ONLY, is_pure_name, upstream_effects

Effects = Set[EffectInstance]

_LEAVES_NO_TRACE = frozenset({MemoryEffectKind.READ, MemoryEffectKind.ALLOC})
_NONE: Effects = frozenset()


class _Kind(Enum):
    """What is true of all operations of a class."""

    PURE = auto()
    ERASABLE = auto()
    STAYS = auto()
    DEPENDS = auto()
    """On the operands, or on what the regions hold."""


def is_pure(op: Operation) -> bool:
    """Equal operands give equal results and nothing else happens: such operations may be erased and shared."""
    kind = _kind(type(op))
    return kind is _Kind.PURE if kind is not _Kind.DEPENDS else not op.regions and effects_of(op) == _NONE


def is_erasable(op: Operation) -> bool:
    """Nothing is lost with the operation when nobody uses its results: it only reads, or allocates a result."""
    kind = _kind(type(op))
    if kind is not _Kind.DEPENDS:
        return kind is not _Kind.STAYS
    effects = effects_of(op)
    if effects is None or any(effect.kind not in _LEAVES_NO_TRACE for effect in effects):
        return False
    return not op.regions or (has_effects_of_regions(op) and all(map(_ends_or_is_erasable, _operations_in(op))))


def effects_of(op: Operation) -> Effects | None:
    """What the operation itself, its regions aside, does to memory; None when that is unknown."""
    asked = _asked(type(op))
    if asked is None:
        return None
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
def _kind(op_class: type[Operation]) -> _Kind:
    # xDSL calls some terminators pure; a `while` that only reads may wait for another thread
    if op_class.name == "scf.while" or op_class.has_trait(IsTerminator) or op_class.has_trait(SymbolOpInterface):
        return _Kind.STAYS
    traits = {type(trait) for trait in op_class.traits if isinstance(trait, MemoryEffect)}
    if not traits:
        if is_pure_name(op_class.name):
            return _Kind.PURE
        return _Kind.STAYS if upstream_effects(op_class.name) is None else _Kind.DEPENDS
    if traits & _STAYING:
        return _Kind.STAYS
    if traits <= _NOTHING:
        return _Kind.PURE
    return _Kind.ERASABLE if traits <= _NOTHING | _ERASABLE else _Kind.DEPENDS


_NOTHING: Set[type] = {Pure, NoMemoryEffect}
_ERASABLE: Set[type] = {MemoryReadEffect, MemoryAllocEffect, AllocatesResult}
_STAYING: Set[type] = {MemoryWriteEffect, MemoryFreeEffect, ActsOutside}
