"""The pass `nvvm-expand-wide-conversions`: integers of 128 bits to floats and back, by those of 64.

NVIDIA's instructions have no wider ones, and LLVM would call a library.

An integer is shifted until its first bit that is set is in front; what does not fit behind the bits that are kept
leaves a bit that is set in the last of them, far behind the place where the conversion rounds. So it rounds once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, Float32Type, Float64Type, IntegerType, f32, f64, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder, each_lane, lane_type
from flydsl.backend.math import F64
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, replace

_WIDE, _HALF = IntegerType(128), 64
_CONVERSIONS = ("arith.sitofp", "arith.uitofp", "arith.fptosi", "arith.fptoui")
_KEPT, _KEPT_OF_NARROW = 64, 24  # bits that are converted; of f16 and bf16 as many as f32 holds exactly
_FIELDS = {32: (i32, 127, 23), 64: (i64, 1023, 52)}  # integer, bias of the exponent, bits behind it


@dataclass(frozen=True)
class ExpandWideConversions(KernelPass):
    """Conversions between integers of 128 bits and floats, without a library."""

    name = "nvvm-expand-wide-conversions"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        expand_wide_conversions(kernel)


def expand_wide_conversions(function: Operation) -> None:
    """Replace the conversions of a kernel, of scalars and of vectors, that LLVM would make calls of."""
    for op in operations(function, _CONVERSIONS):
        given, made = lane_type(op.operands[0].type), lane_type(op.results[0].type)
        if _WIDE in (given, made):
            convert = partial(_converted, LLVMBuilder.before_op(op), made, op.name.endswith(("sitofp", "fptosi")))
            replace(op, [each_lane(LLVMBuilder.before_op(op), op.operands[0], convert)])


def _converted(build: LLVMBuilder, type_: Attribute, signed: bool, value: SSAValue) -> SSAValue:
    return _to_integer(build, value, signed) if type_ == _WIDE else _to_float(build, value, type_, signed)


def _to_float(build: LLVMBuilder, x: SSAValue, type_: Attribute, signed: bool) -> SSAValue:
    is_double = isinstance(type_, Float64Type)
    kept = _KEPT if is_double or isinstance(type_, Float32Type) else _KEPT_OF_NARROW
    zero = build.constant(0, _WIDE)
    is_negative = build.compare("slt", x, zero) if signed else build.constant(0, IntegerType(1))
    magnitude = build.select(is_negative, build.sub(zero, x), x)
    leading = build.raw("math.ctlz", (magnitude,), (_WIDE,)).results[0]
    count = build.bit_and(leading, build.constant(127, _WIDE))
    front = build.value(arith.ShLIOp, (magnitude, count), _WIDE)
    rest = build.value(arith.ShLIOp, (front, build.constant(kept, _WIDE)), _WIDE)
    top = build.shift_right(front, build.constant(128 - kept, _WIDE))
    sticky = build.zero_extend(build.compare("ne", rest, zero), i64)
    bits = build.bit_or(build.value(arith.TruncIOp, (top,), i64), sticky)
    float_type = f64 if is_double else f32
    converted = build.value(arith.UIToFPOp, (bits,), float_type)
    power = build.sub(build.constant(128 - kept, i64), build.value(arith.TruncIOp, (leading,), i64))
    scaled = build.value(arith.MulfOp, (converted, _power_of_two(build, power, float_type)), float_type)
    negated = build.value(arith.NegfOp, (scaled,), float_type)
    result = build.select(is_negative, negated, scaled)
    return result if type_ == float_type else build.value(arith.TruncFOp, (result,), type_)


def _power_of_two(build: LLVMBuilder, power: SSAValue, type_: AnyFloat) -> SSAValue:
    integer, bias, shift = _FIELDS[type_.bitwidth]
    field = build.value(arith.ShLIOp, (build.add(power, build.constant(bias, i64)), build.constant(shift, i64)), i64)
    return build.bitcast(build.integer_cast(field, integer), type_)


def _to_integer(build: LLVMBuilder, value: SSAValue, signed: bool) -> SSAValue:
    """The two halves of the magnitude, each by a conversion; what is subtracted between them is exact."""
    x = F64(build, value if isinstance(value.type, Float64Type) else build.value(arith.ExtFOp, (value,), f64))
    magnitude = x.magnitude()
    high = build.value(arith.FPToUIOp, ((magnitude * 2.0**-_HALF).value,), i64)
    taken = F64(build, build.value(arith.UIToFPOp, (high,), f64)) * 2.0**_HALF
    low = build.value(arith.FPToUIOp, ((magnitude - taken).value,), i64)
    shifted = build.value(arith.ShLIOp, (build.zero_extend(high, _WIDE), build.constant(_HALF, _WIDE)), _WIDE)
    whole = build.bit_or(shifted, build.zero_extend(low, _WIDE))
    if not signed:
        return whole
    return build.select(x.compare("<", 0.0), build.sub(build.constant(0, _WIDE), whole), whole)
