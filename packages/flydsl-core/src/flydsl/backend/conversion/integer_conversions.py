"""Conversions of integers to bf16, fp8, fp6 and fp4, rounded once.

LLVM goes through f32 and rounds twice. Here an integer of more bits than f32 holds is rounded to odd first: it is
shifted until its first bit that is set is in front, and what does not fit into 24 bits sets the last of them, far
behind the place where the conversion rounds (see `flydsl.base.arithmetic.to_odd`).
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import BFloat16Type, IntegerAttr, IntegerType, VectorType, f32, i32
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.conversion.conversion import Conversion, Handlers
from flydsl.backend.conversion.narrow_floats import is_narrow, narrow_bits
from flydsl.ir.fly.element import element_bits
from flydsl.passes.to_llvm.builder import LLVMBuilder, splat
from flydsl.passes.to_llvm.lanes import lane_type

_KEPT = 24
"""Bits that f32 holds."""


def _convert(conversion: Conversion, op: Operation) -> None:
    target = op.results[0].type
    element, is_signed = lane_type(target), isinstance(op, arith.SIToFPOp)
    if not isinstance(element, BFloat16Type) and not is_narrow(element):
        conversion.keep(op)
        return
    build, value = conversion.build, conversion.value(op.operands[0])
    single = _to_f32(build, value, is_signed)
    if is_narrow(element):
        conversion.replace(op, narrow_bits(build, single, element))
    else:
        conversion.replace(op, build.value(arith.TruncFOp, (single,), target))


def _to_f32(build: LLVMBuilder, value: SSAValue, is_signed: bool) -> SSAValue:
    """The integer as f32, rounded to odd where that does not hold it."""
    width = element_bits(lane_type(value.type))
    if width - is_signed <= _KEPT:
        return build.value(arith.SIToFPOp if is_signed else arith.UIToFPOp, (value,), _like(value, f32))
    zero = _number(build, value, 0)
    magnitude, is_negative = value, None
    if is_signed:
        is_negative = build.compare("slt", value, zero)
        magnitude = build.select(is_negative, build.sub(zero, value), value)
    leading = build.raw("math.ctlz", (magnitude,), (value.type,)).results[0]
    count = build.bit_and(leading, _number(build, value, width - 1))  # no shift by the whole width, of 0
    front = build.value(arith.ShLIOp, (magnitude, count), value.type)
    rest = build.value(arith.ShLIOp, (front, _number(build, value, _KEPT)), value.type)
    sticky = build.zero_extend(build.compare("ne", rest, zero), _like(value, i32))
    top = _as_i32(build, build.shift_right(front, _number(build, value, width - _KEPT)))
    whole = build.value(arith.UIToFPOp, (build.bit_or(top, sticky),), _like(value, f32))
    bias = _number(build, top, 127 + width - _KEPT)
    field = build.value(
        arith.ShLIOp, (build.sub(bias, _as_i32(build, leading)), _number(build, top, _KEPT - 1)), top.type
    )
    scaled = build.value(arith.MulfOp, (whole, build.bitcast(field, whole.type)), whole.type)
    if is_negative is None:
        return scaled
    return build.select(is_negative, build.value(arith.NegfOp, (scaled,), scaled.type), scaled)


def _as_i32(build: LLVMBuilder, value: SSAValue) -> SSAValue:
    return value if lane_type(value.type) == i32 else build.value(arith.TruncIOp, (value,), _like(value, i32))


def _number(build: LLVMBuilder, like: SSAValue, number: int) -> SSAValue:
    element = lane_type(like.type)
    assert isinstance(element, IntegerType)
    return splat(build, like.type, IntegerAttr(number, element))


def _like(value: SSAValue, element: Attribute) -> Attribute:
    return VectorType(element, value.type.shape) if isinstance(value.type, VectorType) else element


INTEGER_CONVERSION_HANDLERS: Handlers = {arith.SIToFPOp: _convert, arith.UIToFPOp: _convert}
