"""Math operations as LLVM intrinsics that AMD's code generator expands itself, without device libraries.

MLIR's own lowering calls ocml for most of them. What is left to ocml: functions of f64. Where a function may be
approximated (`afn`), exponentials, logarithms and roots of f32 are the instruction of the chip and a product: subnormal
arguments and results are zeros then. LLVM's own intrinsics keep the scaling that makes them right, whatever the flags.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, ModuleOp, VectorType, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.backend.llvm import LLVMBuilder, call_intrinsic, intrinsic_of_lanes, lane_type, may_approximate, narrowed
from flydsl.backend.math import F32, ExpandMath, approximations, expansions, select
from flydsl.backend.rewriting import operations, replace

_ROUNDINGS = frozenset(f"math.{name}" for name in ("ceil", "floor", "round", "roundeven", "trunc"))
_INTRINSICS = {
    **{name: f"llvm.{name.partition('.')[2]}" for name in _ROUNDINGS},
    **{f"math.{name}": f"llvm.{name}" for name in ("exp", "exp2", "log", "log10", "log2")},
}
_EXPANDED = ",".join(name for name in expansions() if f"math.{name}" not in _INTRINSICS)
_PRECISE = (Float16Type, Float64Type)  # f16 has instructions for LLVM's intrinsics, f64 has none
_RECIPROCAL_ROOT = "llvm.amdgcn.rsq"
_SMALLEST_NORMAL = 1.17549435e-38
_APPROXIMATIONS = approximations(
    exp2="llvm.amdgcn.exp2", log2="llvm.amdgcn.log", rsqrt="llvm.amdgcn.rsq", sqrt="llvm.amdgcn.sqrt"
)


@dataclass(frozen=True)
class LowerMath(ModulePass):
    """Math functions as instructions, intrinsics or arithmetic, but for those of f64 that the device library has."""

    name = "rocdl-lower-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the kernels and host functions of a module, in place."""
        lower_math(ctx, op)


def lower_math(context: Context, module: ModuleOp) -> None:
    """Replace the math operations of `module` that need no device library."""
    ExpandMath(_EXPANDED).apply(context, module)
    for op in operations(module, {*_APPROXIMATIONS, *_INTRINSICS, "math.rsqrt"}):
        is_short = not isinstance(lane_type(op.results[0].type), _PRECISE)
        if op.name in _APPROXIMATIONS and may_approximate(op) and is_short:
            _APPROXIMATIONS[op.name].replace(op)
        elif op.name in _INTRINSICS:
            _to_intrinsic(op)
        elif op.name == "math.rsqrt" and not isinstance(lane_type(op.results[0].type), Float64Type):
            _reciprocal_root(op)


def _to_intrinsic(op: Operation) -> None:
    element = lane_type(op.results[0].type)
    if isinstance(element, Float64Type) and op.name not in _ROUNDINGS:
        return
    build = LLVMBuilder.before_op(op)
    narrow = (BFloat16Type,) if op.name in _ROUNDINGS or may_approximate(op) else (BFloat16Type, Float16Type)
    operands, type_ = _widened(build, op, narrow)
    # As calls: MLIR's conversion of GPU modules refuses the operations of these intrinsics.
    flags = op.properties.get("fastmath")
    result = call_intrinsic(build, _INTRINSICS[op.name], operands, (type_,), flags).results[0]
    replace(op, [narrowed(build, result, op.results[0].type)])


def _reciprocal_root(op: Operation) -> None:
    """The instruction, which is right to one unit in the last place; it takes no subnormal f32, so those are scaled
    first.
    """
    build = LLVMBuilder.before_op(op)
    (argument,), type_ = _widened(build, op)
    if not isinstance(lane_type(type_), Float32Type):
        replace(op, [intrinsic_of_lanes(build, _RECIPROCAL_ROOT, argument)])
        return
    x = F32(build, argument)
    tiny = x.compare("<", _SMALLEST_NORMAL)
    scaled = select(tiny, x * 2.0**24, x)
    root = F32(build, intrinsic_of_lanes(build, _RECIPROCAL_ROOT, scaled.value))
    replace(op, [narrowed(build, select(tiny, root * 2.0**12, root).value, op.results[0].type)])


def _widened(
    build: LLVMBuilder, op: Operation, narrow: tuple[type[Attribute], ...] = (BFloat16Type,)
) -> tuple[list[SSAValue], Attribute]:
    """The operands, and their type; those of a `narrow` type, which has no precise instruction, as f32."""
    type_ = op.results[0].type
    if not isinstance(lane_type(type_), narrow):
        return list(op.operands), type_
    wide = VectorType(f32, type_.shape) if isinstance(type_, VectorType) else f32
    return [build.value(arith.ExtFOp, (operand,), wide) for operand in op.operands], wide
