"""Functions that may be approximated (`afn`): an instruction of f32, with a product where the base differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, VectorType, f32
from xdsl.ir import Operation, SSAValue

from flydsl.passes.math.expression import F32
from flydsl.passes.rewriting import replace
from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl.passes.to_llvm.lanes import intrinsic_of_lanes, lane_type, narrowed

_LOG2_E, _LN_2, _LOG10_2 = 1.4426950408889634, 0.6931471805599453, 0.30102999566398120


@dataclass(frozen=True, slots=True)
class Approximation:
    """An intrinsic of LLVM, and factors of its argument and of its result."""

    intrinsic: str
    before: float = 1.0
    after: float = 1.0

    def replace(self, op: Operation) -> None:
        """Let it take the place of a function of f32, or of what f32 holds."""
        build = LLVMBuilder.before_op(op)
        x = F32(build, widened(build, op.operands[0]))
        scaled = x * self.before if self.before != 1 else x
        result = F32(build, intrinsic_of_lanes(build, self.intrinsic, scaled.value))
        result = result * self.after if self.after != 1 else result
        replace(op, [narrowed(build, result.value, op.results[0].type)])


def approximations(*, exp2: str, log2: str, **others: str) -> Mapping[str, Approximation]:
    """By operation, for the intrinsics of a target; those of base 2 make exponentials and logarithms of all bases."""
    return {
        "math.exp": Approximation(exp2, before=_LOG2_E),
        "math.exp2": Approximation(exp2),
        "math.log": Approximation(log2, after=_LN_2),
        "math.log10": Approximation(log2, after=_LOG10_2),
        "math.log2": Approximation(log2),
        **{f"math.{name}": Approximation(intrinsic) for name, intrinsic in others.items()},
    }


def widened(build: LLVMBuilder, value: SSAValue) -> SSAValue:
    """A value of f32, f16 or bf16 as f32."""
    type_ = value.type
    if isinstance(lane_type(type_), Float32Type):
        return value
    wide = VectorType(f32, type_.shape) if isinstance(type_, VectorType) else f32
    return build.value(arith.ExtFOp, (value,), wide)
