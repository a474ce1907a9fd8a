"""Subtractions of one number from a vector, as CDNA's packed additions of its negative.

CDNA adds and multiplies two f32 by one instruction, which can negate its operands. LLVM 22 takes it for subtractions of
two lanes, but takes those of more lanes apart; it leaves an addition of what a scalar's negative is broadcast to whole.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, VectorType
from xdsl.ir import Operation

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, replace

_BROADCAST, _WHOLE = "vector.broadcast", 2


@dataclass(frozen=True)
class PackSubtractions(KernelPass):
    """Subtractions of vectors of f32 as packed additions."""

    name = "rocdl-pack-subtractions"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        pack_subtractions(kernel)


def pack_subtractions(kernel: Operation) -> None:
    """Rewrite the subtractions of a kernel."""
    for op in operations(kernel, ("arith.subf",)):
        type_, subtracted = op.results[0].type, op.operands[1].owner
        if not isinstance(type_, VectorType) or type_.element_count() <= _WHOLE:
            continue
        if not isinstance(subtracted, Operation) or subtracted.name != _BROADCAST:
            continue
        scalar = subtracted.operands[0]
        if not isinstance(scalar.type, Float32Type):
            continue
        build = LLVMBuilder.before_op(op)
        negative = build.value(arith.NegfOp, (scalar,), scalar.type)
        everywhere = build.raw(_BROADCAST, (negative,), (type_,)).results[0]
        replace(op, [build.value(arith.AddfOp, (op.operands[0], everywhere), type_, dict(op.properties))])
