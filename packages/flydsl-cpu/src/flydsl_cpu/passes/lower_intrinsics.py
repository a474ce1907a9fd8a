"""The pass `cpu-lower-intrinsics`: operations that are LLVM's intrinsics, as calls of them.

MLIR would take them apart into more instructions than the processor needs (`maxnumf`, `minnumf`), or make comparisons
and choices of them that take 0.0 and -0.0 for equal, where LLVM's have an order (`maximumf`, `minimumf`). As the last
of our passes: the ones before look for the operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from flydsl.backend.llvm import LLVMBuilder, call_intrinsic
from flydsl.backend.rewriting import operations, replace
from flydsl_cpu.dialect import LDEXP

_INTRINSICS = {
    LDEXP.name: "llvm.ldexp",
    "arith.maximumf": "llvm.maximum",
    "arith.maxnumf": "llvm.maxnum",
    "arith.minimumf": "llvm.minimum",
    "arith.minnumf": "llvm.minnum",
}


@dataclass(frozen=True)
class LowerIntrinsics(ModulePass):
    """Replaces these operations, of scalars and of vectors, in kernels and on the host."""

    name = "cpu-lower-intrinsics"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite `op`, in place."""
        for found in operations(op, _INTRINSICS):
            _rewrite(found)


def _rewrite(op: Operation) -> None:
    build, type_ = LLVMBuilder.before_op(op), op.results[0].type
    flat, values = type_, list(op.operands)
    if isinstance(type_, VectorType) and len(type_.get_shape()) != 1:
        flat = VectorType(type_.element_type, [type_.element_count()])
        values = [build.raw("vector.shape_cast", (value,), (flat,)).results[0] for value in values]
    flags = op.properties.get("fastmath")
    result = call_intrinsic(build, _INTRINSICS[op.name], values, (flat,), flags).results[0]
    replace(op, [result if flat == type_ else build.raw("vector.shape_cast", (result,), (type_,)).results[0]])
