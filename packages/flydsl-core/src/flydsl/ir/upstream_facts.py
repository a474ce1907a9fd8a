"""Memory effects of upstream operations that xDSL leaves undescribed, and which of them only a device performs.

An operation that neither its class nor this table describes has unknown effects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation
from xdsl.traits import EffectInstance, MemoryEffectKind

from flydsl.ir.fly.effects import OUTSIDE

PURE_OPERATIONS = frozenset(
    {
        *("arith.extsi", "arith.remui", "llvm.intr.fabs", "vector.bitcast", "vector.create_mask", "vector.reduction"),
        *("gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim", "gpu.lane_id", "gpu.global_id"),
        *("gpu.subgroup_id", "gpu.subgroup_size", "gpu.num_subgroups"),
    }
)
"""Functions of their operands, and of the thread that asks."""
_READ, _WRITE = MemoryEffectKind.READ, MemoryEffectKind.WRITE
# operation -> what happens through which operand
_THROUGH_OPERANDS: Mapping[str, tuple[tuple[MemoryEffectKind, int], ...]] = {
    "llvm.store": ((_WRITE, 1),),
    "llvm.atomicrmw": ((_READ, 0), (_WRITE, 0)),
    "llvm.cmpxchg": ((_READ, 0), (_WRITE, 0)),
    "vector.load": ((_READ, 0),),
    "vector.maskedload": ((_READ, 0),),
    "vector.store": ((_WRITE, 1),),
    "vector.maskedstore": ((_WRITE, 0),),
}

# what an operation does, as a phrase for the message that refuses it in host code
DEVICE_ONLY: Mapping[str, str] = {
    "llvm.load": "an atomic load",
    "llvm.store": "an atomic store",
    "llvm.atomicrmw": "an atomic operation",
    "llvm.cmpxchg": "compare and exchange",
    "llvm.fence": "a memory fence",
    "gpu.barrier": "a barrier",
    "gpu.shuffle": "a shuffle",
    "gpu.lane_id": "lane_id",
    "gpu.thread_id": "thread_idx",
    "gpu.block_id": "block_idx",
    "gpu.block_dim": "block_dim",
    "gpu.grid_dim": "grid_dim",
}


def is_pure_name(name: str) -> bool:
    """Whether every operation of this name is a function of its operands."""
    return name in PURE_OPERATIONS


def upstream_effects(name: str) -> Callable[[Operation], Set[EffectInstance]] | None:
    """What tells the effects of operations of this name; None when they are unknown."""
    if is_pure_name(name):
        return lambda op: frozenset()
    if name == "llvm.load":
        return _load
    through = _THROUGH_OPERANDS.get(name)
    return None if through is None else lambda op: {EffectInstance(kind, op.operands[index]) for kind, index in through}


def _load(op: Operation) -> Set[EffectInstance]:
    """An atomic or volatile load also orders other accesses: it stays."""
    read = EffectInstance(_READ, op.operands[0])
    ordering = op.get_attr_or_prop("ordering")
    is_plain = ordering is None or (isinstance(ordering, IntegerAttr) and ordering.value.data == 0)
    return {read} if is_plain and op.get_attr_or_prop("volatile_") is None else {read, OUTSIDE}
