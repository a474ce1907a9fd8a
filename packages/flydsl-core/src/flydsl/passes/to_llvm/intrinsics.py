"""Calls of LLVM intrinsics by name, for those that no dialect has an operation for."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.passes.to_llvm.builder import LLVMBuilder


def call_intrinsic(
    build: LLVMBuilder,
    name: str,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    fastmath: Attribute | None = None,
) -> Operation:
    """`llvm.call_intrinsic "name"(operands)`; overloaded intrinsics need the name without type suffix. `fastmath` are
    the flags of the `math` operation that it stands for.
    """
    properties: dict[str, Attribute] = {
        "intrin": StringAttr(name),
        "op_bundle_sizes": DenseArrayBase.from_list(i32, []),
        "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(operands), 0]),
    }
    if isinstance(fastmath, arith.FastMathFlagsAttr):
        properties["fastmathFlags"] = llvm.FastMathAttr(fastmath.data)
    return build.create(llvm.CallIntrinsicOp, operands, result_types, properties=properties)
