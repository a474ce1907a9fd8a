"""The pass `nvvm-split-packed-sums`: sums of 16-bit integers, one by one.

ptxas 13.0 adds 0 where a packed addition has a constant and one half of the sum is used:

    mov.b32 %r2, 65537;  add.s16x2 %r3, %r1, %r2;  mov.b32 {%rs1, _}, %r3;     becomes   VIADD.16x2 R3, R1, 0x0

It was seen on an H200, and in the code for sm_90a and sm_100a at every level of optimisation but 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import vector
from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import Operation, SSAValue

from flydsl.backend.dialect import OPERATIONS
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, position, replace

_PACKED_BITS = 16
_SUMS = ("arith.addi", "arith.subi")


@dataclass(frozen=True)
class SplitPackedSums(KernelPass):
    """Sums of vectors of 16-bit integers, element by element."""

    name = "nvvm-split-packed-sums"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        split_packed_sums(kernel)


def split_packed_sums(function: Operation) -> None:
    """Add and subtract vectors of 16-bit integers element by element."""
    for op in operations(function, _SUMS):
        if _is_packed(op.results[0].type):
            replace(op, [_by_elements(LLVMBuilder.before_op(op), op)])


def _is_packed(type_: object) -> bool:
    if not isinstance(type_, VectorType) or not isinstance(type_.element_type, IntegerType):
        return False
    return type_.element_type.width.data == _PACKED_BITS and len(type_.get_shape()) == 1


def _by_elements(build: LLVMBuilder, op: Operation) -> SSAValue:
    type_ = op.results[0].type
    assert isinstance(type_, VectorType)
    (count,) = type_.get_shape()
    elements = []
    for place in range(count):
        properties = {"static_position": position(place)}
        operands = tuple(
            build.value(vector.ExtractOp, (operand,), type_.element_type, properties) for operand in op.operands
        )
        elements.append(build.value(type(op), operands, type_.element_type, dict(op.properties)))
    return build.value(OPERATIONS["vector.from_elements"], tuple(elements), type_)
