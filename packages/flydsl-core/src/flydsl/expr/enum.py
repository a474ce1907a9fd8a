"""The enumerations of the language under one name (`fx.enum.SyncScope`)."""

from __future__ import annotations

from flydsl.expr.arith import FastMathFlags, RoundingMode
from flydsl.expr.memory.address_space import AddressSpace
from flydsl.expr.memory.atomics import AtomicOrdering, SyncScope
from flydsl.expr.numbers.vector import ReductionOp
from flydsl.expr.tiles.enums import AtomicOp, CachePolicy, GemmTraversalOrder, MmaOperand

__all__ = [
    "AddressSpace",
    "AtomicOp",
    "AtomicOrdering",
    "CachePolicy",
    "FastMathFlags",
    "GemmTraversalOrder",
    "MmaOperand",
    "ReductionOp",
    "RoundingMode",
    "SyncScope",
]
