"""Operations of a finished kernel that are LLVM's intrinsics: `llvm.ldexp`, and `llvm.maxnum` and `llvm.minnum`, which
MLIR would take apart into more instructions than the processor needs.
"""

from __future__ import annotations

from xdsl.ir import Operation

from flydsl.backend.llvm import LLVMBuilder, call_intrinsic
from flydsl.backend.rewriting import operations, replace

_INTRINSICS = {"llvm.intr.ldexp": "llvm.ldexp", "arith.maxnumf": "llvm.maxnum", "arith.minnumf": "llvm.minnum"}


def lower_intrinsics(function: Operation) -> None:
    """Replace them by calls, in place."""
    for op in operations(function, _INTRINSICS):
        build, name, flags = LLVMBuilder.before_op(op), _INTRINSICS[op.name], op.properties.get("fastmath")
        replace(op, call_intrinsic(build, name, op.operands, (op.results[0].type,), flags).results)
