"""The pass `nvvm-lower-math`: math operations as LLVM intrinsics and arithmetic, without libraries but for f64.

MLIR's own lowering calls NVIDIA's libdevice for all of them. Where a function may be approximated (`afn`), functions of
f32 are the instruction of the chip and a product. What is left to libdevice: functions of f64.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    ModuleOp,
    VectorType,
    f32,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.backend.llvm import LLVMBuilder, call_intrinsic, intrinsic_of_lanes, lane_type, may_approximate, narrowed
from flydsl.backend.math import F64, FUNCTIONS, SCALAR_FUNCTIONS, ExpandMath, approximations, expansions, widened
from flydsl.backend.rewriting import operations, position, replace, with_location
from flydsl.base.errors import IRError
from flydsl_cuda.lowering.remainders import lower_remainder

_EXPANDED = ",".join(expansions())
_APPROXIMATIONS = approximations(
    exp2="llvm.nvvm.ex2.approx.ftz",
    log2="llvm.nvvm.lg2.approx.ftz.f",
    **{name: f"llvm.nvvm.{name}.approx.ftz.f" for name in ("cos", "rsqrt", "sin", "sqrt")},
)
"""Without subnormal numbers: with them, each would be scaled before and after."""
_QUOTIENT = "llvm.nvvm.div.approx.ftz.f"
_FLOATS = {
    **{f"math.{name}": f"llvm.{name}" for name in ("ceil", "copysign", "floor", "fma", "round", "roundeven", "trunc")},
    "arith.maxnumf": "llvm.maxnum",
    "arith.minnumf": "llvm.minnum",
    "math.absf": "llvm.fabs",
    "math.sqrt": "llvm.sqrt",
}
_INTEGERS = {"math.absi": "llvm.abs", "math.ctlz": "llvm.ctlz", "math.cttz": "llvm.cttz", "math.ctpop": "llvm.ctpop"}
_WITH_POISON = ("math.absi", "math.ctlz", "math.cttz")  # a flag says whether a special argument gives poison
_OF_LIBDEVICE = {*FUNCTIONS, *SCALAR_FUNCTIONS} - {"math.fpowi"}
"""Functions of f64 that MLIR calls there: those of f32 that have expansions."""
_RECIPROCAL_ROOT = "llvm.nvvm.rsqrt.approx.f"


@dataclass(frozen=True)
class LowerMath(ModulePass):
    """Math functions as instructions, intrinsics or arithmetic, but for those of f64 that libdevice has."""

    name = "nvvm-lower-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the kernels and host functions of a module, in place."""
        lower_math(ctx, op)


def lower_math(context: Context, module: ModuleOp) -> None:
    """Replace the math operations of `module`."""
    _approximate(module)
    ExpandMath(_EXPANDED).apply(context, module)
    for op in operations(module, ("arith.remf",)):
        if not _is_on_host(op):
            lower_remainder(op)
    for op in operations(module):
        if op.name in _FLOATS:
            _to_intrinsic(op, _FLOATS[op.name])
        elif op.name in _INTEGERS:
            _to_integer_intrinsic(op, _INTEGERS[op.name])
        elif op.name == "math.rsqrt":
            _reciprocal_root(op)
        elif op.name.startswith("math.") and op.name not in _OF_LIBDEVICE and not _is_on_host(op):
            raise with_location(_missing(op), op)


def _approximate(module: ModuleOp) -> None:
    for op in operations(module, {*_APPROXIMATIONS, "arith.divf"}):
        if op.name in _APPROXIMATIONS and may_approximate(op) and _is_single(op):
            _APPROXIMATIONS[op.name].replace(op)
        elif isinstance(op, arith.DivfOp) and may_approximate(op) and _is_flat_f32(op) and not _is_on_host(op):
            _approximate_quotient(op)


def _approximate_quotient(op: Operation) -> None:
    """The dividend times the instruction's reciprocal, of each lane."""
    build, type_ = LLVMBuilder.before_op(op), op.results[0].type
    if not isinstance(type_, VectorType):
        replace(op, [call_intrinsic(build, _QUOTIENT, op.operands, (f32,)).results[0]])
        return
    lanes = [_lanes(build, operand) for operand in op.operands]
    found = [call_intrinsic(build, _QUOTIENT, pair, (f32,)).results[0] for pair in zip(*lanes, strict=True)]
    replace(op, [build.raw("vector.from_elements", found, (type_,)).results[0]])


def _lanes(build: LLVMBuilder, value: SSAValue) -> list[SSAValue]:
    assert isinstance(value.type, VectorType)
    places = [{"static_position": position(i)} for i in range(value.type.element_count())]
    return [build.value(vector.ExtractOp, (value,), f32, place) for place in places]


def _is_flat_f32(op: Operation) -> bool:
    type_ = op.results[0].type
    is_flat = not isinstance(type_, VectorType) or len(type_.get_shape()) == 1
    return is_flat and isinstance(lane_type(type_), Float32Type)


def _to_intrinsic(op: Operation, name: str) -> None:
    """As a call: MLIR's conversion of GPU modules refuses the operations of these intrinsics. bf16 has no rounding and
    no root of its own."""
    build, type_ = LLVMBuilder.before_op(op), op.results[0].type
    is_wide = isinstance(lane_type(type_), BFloat16Type) and op.name != "math.fma"
    operands = [widened(build, operand) for operand in op.operands] if is_wide else list(op.operands)
    found = call_intrinsic(build, name, operands, (operands[0].type,), op.properties.get("fastmath")).results[0]
    replace(op, [narrowed(build, found, type_)])


def _to_integer_intrinsic(op: Operation, name: str) -> None:
    build, type_ = LLVMBuilder.before_op(op), op.results[0].type
    operands = list(op.operands)
    if op.name in _WITH_POISON:
        properties: dict[str, Attribute] = {"value": arith.ConstantOp.from_int_and_width(0, i1).value}
        operands.append(build.value(llvm.ConstantOp, (), i1, properties))  # immediate: a constant of LLVM's dialect
    replace(op, [call_intrinsic(build, name, operands, (type_,)).results[0]])


def _reciprocal_root(op: Operation) -> None:
    """The instruction, which is right to two units in the last place, subnormal arguments too; of f64 by a division."""
    build, type_ = LLVMBuilder.before_op(op), op.results[0].type
    if _is_single(op):
        found = intrinsic_of_lanes(build, _RECIPROCAL_ROOT, widened(build, op.operands[0]))
        replace(op, [narrowed(build, found, type_)])
        return
    root = call_intrinsic(build, "llvm.sqrt", (op.operands[0],), (type_,)).results[0]
    x = F64(build, root)
    replace(op, [(x.constant(1.0) / x).value])


def _is_single(op: Operation) -> bool:
    return _is_short(op.results[0].type)


def _is_short(type_: Attribute) -> bool:
    """Whether f32 holds it."""
    return isinstance(lane_type(type_), Float32Type | Float16Type | BFloat16Type)


def _is_on_host(op: Operation) -> bool:
    parent: Operation | None = op
    while parent is not None and parent.name != "gpu.func":
        parent = parent.parent_op()
    return parent is None


def _missing(op: Operation) -> IRError:
    return IRError(f"there is no {op.name} on {op.results[0].type} for NVIDIA GPUs; compute it from others")
