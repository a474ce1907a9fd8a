"""The pass `cpu-ordered-zeros`: `maximumf` and `minimumf` as LLVM's intrinsics, for which 0.0 is larger than -0.0.

MLIR would make comparisons and choices of them (`arith-expand`), which take the two zeros for equal. As the last of our
passes: the ones before look for the operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from flydsl.backend.llvm import LLVMBuilder, call_intrinsic
from flydsl.backend.rewriting import operations, replace

_INTRINSICS = {"arith.maximumf": "llvm.maximum", "arith.minimumf": "llvm.minimum"}


@dataclass(frozen=True)
class CpuOrderedZeros(ModulePass):
    """Replaces both operations, of scalars and of vectors."""

    name: ClassVar[str] = "cpu-ordered-zeros"

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
