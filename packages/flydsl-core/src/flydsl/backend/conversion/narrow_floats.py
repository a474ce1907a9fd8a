"""Conversions of fp8, fp6, fp4, and of f64 to 16 bits, as integer and f32 arithmetic on their bits.

Rounding is to nearest even. What is out of range becomes infinity where the format has one, else NaN, else the
largest value. Where there is no NaN it becomes zero of the opposite sign. A power-of-two scale of what is not positive
is NaN. So the results are those of the NumPy types of ml_dtypes. Every target gets these unless it has instructions of
its own.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, VectorType, f32, f64, i32, i64
from xdsl.ir import Attribute, SSAValue

from flydsl.backend.conversion.conversion import Conversion, Handlers
from flydsl.base.errors import IRError
from flydsl.base.float_formats import EXPONENT_ONLY, FLOAT_FORMATS, FloatFormat
from flydsl.ir.fly.element import element_bits
from flydsl.passes.to_llvm.builder import LLVMBuilder, splat
from flydsl.passes.to_llvm.lanes import lane_type

_F32_INFINITY, _F32_NAN = 0x7F800000, 0x7FC00000
_F64_MAGNITUDE = 0x7FFFFFFFFFFFFFFF
_ORDERED_UNEQUAL = IntegerAttr(6, i64)


_NARROW = {name: form for name, form in FLOAT_FORMATS.items() if form.sign_bit < 8}


class _Lanes:
    """i32 and f32 arithmetic on scalars or on vectors of one shape."""

    def __init__(self, build: LLVMBuilder, like: Attribute) -> None:
        self.build = build
        self.shape = like.shape if isinstance(like, VectorType) else None

    def type(self, element: Attribute) -> Attribute:
        """`element`, or the vector of it."""
        return element if self.shape is None else VectorType(element, self.shape)

    def number(self, value: int) -> SSAValue:
        """An i32 constant."""
        return splat(self.build, self.type(i32), IntegerAttr(value, i32))

    def wide(self, value: int) -> SSAValue:
        """An i64 constant."""
        return splat(self.build, self.type(i64), IntegerAttr(value, i64))

    def float(self, bits: int) -> SSAValue:
        """The f32 constant of these bits."""
        return self.build.bitcast(self.number(bits), self.type(f32))

    def compare(self, predicate: str, a: SSAValue, b: int) -> SSAValue:
        """A lane mask, of integers."""
        return self.build.compare(predicate, a, self.number(b))

    def masked(self, a: SSAValue, mask: int) -> SSAValue:
        """a & mask."""
        return self.build.bit_and(a, self.number(mask))

    def right(self, a: SSAValue, count: int) -> SSAValue:
        """a >> count."""
        return self.build.shift_right(a, self.number(count))

    def left(self, a: SSAValue, count: int) -> SSAValue:
        """a << count."""
        return self.build.value(arith.ShLIOp, (a, self.number(count)), a.type)


def _extend(conversion: Conversion, op: arith.ExtFOp) -> None:
    source = lane_type(conversion.type_of(op.input))
    if not is_narrow(source):
        conversion.keep(op)
        return
    build, value = conversion.build, conversion.value(op.input)
    lanes = _Lanes(build, value.type)
    wide = build.zero_extend(value, lanes.type(i32))
    result = _exponent_to_f32(lanes, wide) if source.name == EXPONENT_ONLY else _to_f32(lanes, wide, _format(source))
    conversion.replace(op, _resize(build, build.bitcast(result, lanes.type(f32)), op.result.type))


def _to_f32(lanes: _Lanes, bits: SSAValue, form: FloatFormat) -> SSAValue:
    """The bits of the f32 of the same value."""
    build = lanes.build
    magnitude = lanes.masked(bits, (1 << form.sign_bit) - 1)
    aligned = build.bitcast(lanes.left(magnitude, 23 - form.mantissa), lanes.type(f32))
    # A power of two moves the exponent to its f32 bias, and normalises subnormal values on the way.
    scaled = build.value(arith.MulfOp, (aligned, lanes.float((254 - form.bias) << 23)), aligned.type)
    result = build.bitcast(scaled, lanes.type(i32))
    if form.has_infinity:
        special = lanes.compare("uge", magnitude, form.largest + 1)
        result = build.select(special, build.bit_or(result, lanes.number(_F32_INFINITY)), result)
    elif form.nan is not None and form.negative_zero:
        result = build.select(lanes.compare("eq", magnitude, form.nan), lanes.number(_F32_NAN), result)
    sign = lanes.left(lanes.right(bits, form.sign_bit), 31)
    result = build.bit_or(result, sign)
    if not form.negative_zero:
        result = build.select(lanes.compare("eq", bits, form.overflow), lanes.number(_F32_NAN), result)
    return result


def _exponent_to_f32(lanes: _Lanes, bits: SSAValue) -> SSAValue:
    """2 ** (bits - 127), and NaN for 255."""
    build = lanes.build
    result = lanes.left(bits, 23)
    result = build.select(lanes.compare("eq", bits, 0), lanes.number(1 << 22), result)
    return build.select(lanes.compare("eq", bits, 255), lanes.number(_F32_NAN), result)


def _truncate(conversion: Conversion, op: arith.TruncFOp) -> None:
    target = lane_type(op.result.type)
    is_double = lane_type(op.input.type) == f64 and element_bits(target) <= 16
    if not is_narrow(target) and not is_double:
        conversion.keep(op)
        return
    build, value = conversion.build, conversion.value(op.input)
    lanes = _Lanes(build, op.result.type)
    single = _to_f32_odd(lanes, value) if is_double else _resize(build, value, lanes.type(f32))
    if not is_narrow(target):
        conversion.replace(op, build.value(arith.TruncFOp, (single,), op.result.type))
        return
    conversion.replace(op, narrow_bits(build, single, target, None if conversion.target.keeps_nan_signs else value))


def narrow_bits(build: LLVMBuilder, single: SSAValue, format_: Attribute, signed: SSAValue | None = None) -> SSAValue:
    """The bits of f32 numbers in a narrow format; `signed` has their signs where f32 may have lost that of a NaN."""
    lanes = _Lanes(build, single.type)
    bits = build.bitcast(single, lanes.type(i32))
    if format_.name == EXPONENT_ONLY:
        result = _exponent_of_f32(lanes, bits)
    else:
        signs = bits if signed is None else _with_sign(lanes, signed)
        result = _from_f32(lanes, bits, signs, _format(format_))
    return build.value(arith.TruncIOp, (result,), lanes.type(IntegerType(element_bits(format_))))


def _with_sign(lanes: _Lanes, value: SSAValue) -> SSAValue:
    """An i32 whose uppermost bit is the sign of a float of any width."""
    build, width = lanes.build, element_bits(lane_type(value.type))
    bits = build.bitcast(value, lanes.type(IntegerType(width)))
    if width < 32:
        return lanes.left(build.zero_extend(bits, lanes.type(i32)), 32 - width)
    if width == 32:
        return bits
    return build.value(arith.TruncIOp, (build.shift_right(bits, lanes.wide(32)),), lanes.type(i32))


def _to_f32_odd(lanes: _Lanes, value: SSAValue) -> SSAValue:
    """f64 to f32, rounded to odd: rounding that again to 16 bits or less is as good as rounding once.

    Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.
    Not every target has the conversion from f64 in one step, or a library to call for it.
    """
    build = lanes.build
    nearest = build.value(arith.TruncFOp, (value,), lanes.type(f32))
    back = build.value(arith.ExtFOp, (nearest,), value.type)
    magnitudes = [build.bit_and(build.bitcast(x, lanes.type(i64)), lanes.wide(_F64_MAGNITUDE)) for x in (back, value)]
    bits = build.bitcast(nearest, lanes.type(i32))
    away = build.zero_extend(build.compare("ugt", *magnitudes), lanes.type(i32))
    odd = build.bit_or(build.sub(bits, away), lanes.number(1))
    is_inexact = build.value(
        arith.CmpfOp, (back, value), build.compare_mask(value.type), {"predicate": _ORDERED_UNEQUAL}
    )
    return build.bitcast(build.select(is_inexact, odd, bits), lanes.type(f32))


def _from_f32(lanes: _Lanes, bits: SSAValue, signed: SSAValue, form: FloatFormat) -> SSAValue:
    """The bits in the narrow format of an f32, whose sign is that of `signed`."""
    build, shift = lanes.build, 23 - form.mantissa
    magnitude = lanes.masked(bits, 0x7FFFFFFF)
    even = lanes.masked(lanes.right(magnitude, shift), 1)
    rounded = build.add(build.add(magnitude, lanes.number((1 << (shift - 1)) - 1)), even)
    normal = build.sub(lanes.right(rounded, shift), lanes.number((127 - form.bias) << form.mantissa))
    # Adding a number whose last place is the smallest subnormal lets the addition do the rounding.
    magic = (127 - form.bias + shift + 1) << 23
    shifted = build.value(
        arith.AddfOp, (build.bitcast(magnitude, lanes.type(f32)), lanes.float(magic)), lanes.type(f32)
    )
    subnormal = build.sub(build.bitcast(shifted, lanes.type(i32)), lanes.number(magic))
    tiny = lanes.compare("ult", magnitude, (128 - form.bias) << 23)
    result = build.select(tiny, subnormal, normal)
    sign = lanes.left(lanes.right(signed, 31), form.sign_bit)
    if form.negative_zero:
        result = build.select(lanes.compare("sgt", result, form.largest), lanes.number(form.overflow), result)
        is_nan = lanes.compare("ugt", magnitude, _F32_INFINITY)
        if form.nan is None:
            zero = build.bit_xor(sign, lanes.number(1 << form.sign_bit))
            return build.select(is_nan, zero, build.bit_or(result, sign))
        return build.bit_or(build.select(is_nan, lanes.number(form.nan), result), sign)
    signed = build.select(lanes.compare("eq", result, 0), result, build.bit_or(result, sign))
    return build.select(lanes.compare("sgt", result, form.largest), lanes.number(form.overflow), signed)


def _exponent_of_f32(lanes: _Lanes, bits: SSAValue) -> SSAValue:
    """The exponent nearest to x, ties up (the one bit of a significand is always odd); 255 unless 0 < x < infinity."""
    build = lanes.build
    nearest = lanes.right(build.add(bits, lanes.number(1 << 22)), 23)
    # The smallest power, 2 ** -127, is subnormal: the next one is twice as large and starts 1.5 times above it.
    least = build.zero_extend(lanes.compare("uge", bits, 3 << 21), lanes.type(i32))
    rounded = build.select(lanes.compare("ult", bits, 1 << 23), least, nearest)
    is_scale = build.bit_and(lanes.compare("sgt", bits, 0), lanes.compare("ult", rounded, 255))
    return build.select(is_scale, rounded, lanes.number(255))


def _resize(build: LLVMBuilder, value: SSAValue, type_: Attribute) -> SSAValue:
    """`value` as another ordinary float type."""
    have, want = element_bits(lane_type(value.type)), element_bits(lane_type(type_))
    if value.type == type_:
        return value
    return build.value(arith.ExtFOp if have < want else arith.TruncFOp, (value,), type_)


def is_narrow(element: Attribute) -> bool:
    """Whether a type is a float of less than 16 bits."""
    return isinstance(element, AnyFloat) and element_bits(element) < 16


def _format(element: Attribute) -> FloatFormat:
    if element.name not in _NARROW:
        raise IRError(f"{element} cannot be converted; known: {', '.join((*_NARROW, EXPONENT_ONLY))}")
    return _NARROW[element.name]


NARROW_FLOAT_HANDLERS: Handlers = {arith.ExtFOp: _extend, arith.TruncFOp: _truncate}
