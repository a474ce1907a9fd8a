"""The enumerations of the language under one name (`fx.enum.SyncScope`)."""

from __future__ import annotations

from flydsl.expr.address import AddressSpace
from flydsl.expr.arith import FastMathFlags, RoundingMode
from flydsl.expr.atomics import AtomicOrdering, SyncScope
from flydsl.expr.choices import AtomicOp, CachePolicy, GemmTraversalOrder, MmaOperand
from flydsl.expr.vector import ReductionOp

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
