"""Operations of a target's own dialect: fields, memory effects, and operations of MLIR that have no class here.

class StrikeOp(FlyOp):
    name = "tiny.strike"
    anvil, force = Operand(WRITE), Operand()
    traits = BY_OPERANDS
"""

from __future__ import annotations

from flydsl.ir.fly.attributes import integer, integer_array
from flydsl.ir.fly.effects import ACTS_OUTSIDE, BY_OPERANDS, PURE
from flydsl.ir.fly.fields import READ, WRITE, Attr, Operand, OptionalAttr, OptionalOperand, VariadicOperand
from flydsl.ir.fly.op import FlyOp
from flydsl.ir.upstream import OPERATIONS, upstream_op

__all__ = [
    "ACTS_OUTSIDE",
    "BY_OPERANDS",
    "OPERATIONS",
    "PURE",
    "READ",
    "WRITE",
    "Attr",
    "FlyOp",
    "Operand",
    "OptionalAttr",
    "OptionalOperand",
    "VariadicOperand",
    "integer",
    "integer_array",
    "upstream_op",
]
