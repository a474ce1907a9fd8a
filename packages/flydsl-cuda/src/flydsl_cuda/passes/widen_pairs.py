"""The pass `nvvm-widen-pairs`: vectors of bf16 become f32 by pairs.

The lower one of a register is shifted, the upper one masked.

LLVM takes every register apart into two of 16 bits first, which costs an instruction more for each pair.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import BFloat16Type, Float32Type, IntegerAttr, VectorType, f32, i32
from xdsl.ir import Operation, SSAValue

from flydsl.backend.dialect import OPERATIONS
from flydsl.backend.llvm import LLVMBuilder, splat
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, position, replace

_HALF, _UPPER = 16, -65536


@dataclass(frozen=True)
class WidenPairs(KernelPass):
    """Extensions of vectors of bf16, two elements of a register at a time."""

    name = "nvvm-widen-pairs"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        widen_pairs(kernel)


def widen_pairs(function: Operation) -> None:
    """Expand extensions of vectors with an even number of bf16."""
    for op in operations(function, ("arith.extf",)):
        if isinstance(op, arith.ExtFOp) and _is_paired(op):
            replace(op, [_widened(LLVMBuilder.before_op(op), op.operands[0])])


def _is_paired(op: arith.ExtFOp) -> bool:
    source, result = op.operands[0].type, op.results[0].type
    if not isinstance(source, VectorType) or not isinstance(result, VectorType):
        return False
    is_flat = len(source.get_shape()) == 1 and source.get_shape()[0] % 2 == 0
    return is_flat and isinstance(source.element_type, BFloat16Type) and isinstance(result.element_type, Float32Type)


def _widened(build: LLVMBuilder, value: SSAValue) -> SSAValue:
    assert isinstance(value.type, VectorType)
    (count,) = value.type.get_shape()
    words = VectorType(i32, [count // 2])
    pairs = build.value(vector.BitcastOp, (value,), words)
    half = splat(build, words, IntegerAttr(_HALF, i32))
    upper = splat(build, words, IntegerAttr(_UPPER, i32))
    parts = (build.value(arith.ShLIOp, (pairs, half), words), build.bit_and(pairs, upper))
    elements = []
    for place in range(count):
        properties = {"static_position": position(place // 2)}
        bits = build.value(vector.ExtractOp, (parts[place % 2],), i32, properties)
        elements.append(build.value(arith.BitcastOp, (bits,), f32))
    return build.value(OPERATIONS["vector.from_elements"], tuple(elements), VectorType(f32, [count]))
