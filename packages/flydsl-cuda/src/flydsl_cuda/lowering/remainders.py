"""The remainder of floats (`arith.remf`, C's fmod), exact, without a library.

LLVM's own for NVIDIA GPUs rounds the quotient: where that is large, nothing of the result is right. Here the divisor,
scaled by a power of two to 52 bits below the dividend, is subtracted as often as it fits, until it fits no more. The
quotient of two such numbers rounds to at most one too much, and the difference is a number of f64, so that the
multiply-add which makes it is exact.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import Float64Type, VectorType, f64, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.math import F64, I32, select
from flydsl.backend.rewriting import position, replace

_FRACTION_BITS, _EXPONENT = 52, 0x7FF
_STEP = 52  # bits of the quotient that one subtraction takes
_SMALLEST_NORMAL, _NORMALISING = 2.0**-1022, 54


def lower_remainder(op: Operation) -> None:
    """Replace an `arith.remf` of scalars or of vectors."""
    build, type_ = LLVMBuilder.before_op(op), op.results[0].type
    if not isinstance(type_, VectorType):
        replace(op, [_remainder(build, op.operands[0], op.operands[1], type_)])
        return
    flat = VectorType(type_.element_type, [type_.element_count()])
    x, y = (build.raw("vector.shape_cast", (value,), (flat,)).results[0] for value in op.operands)
    lanes = range(type_.element_count())
    found = [_remainder(build, _lane(build, x, i), _lane(build, y, i), type_.element_type) for i in lanes]
    made = build.raw("vector.from_elements", found, (flat,)).results[0]
    replace(op, [build.raw("vector.shape_cast", (made,), (type_,)).results[0]])


def _lane(build: LLVMBuilder, vector: SSAValue, index: int) -> SSAValue:
    assert isinstance(vector.type, VectorType)
    attributes = {"static_position": position(index)}
    return build.raw("vector.extract", (vector,), (vector.type.element_type,), attributes).results[0]


def _remainder(build: LLVMBuilder, left: SSAValue, right: SSAValue, type_: Attribute) -> SSAValue:
    """x - trunc(x / y) * y, with the sign of x; NaN for a y of 0, and for an x that is infinite."""
    x, y = (_as_f64(build, value) for value in (left, right))
    dividend, divisor = x.magnitude(), y.magnitude()
    is_number = build.bit_and(divisor.compare(">", 0.0), dividend.compare("<", float("inf")))
    rest = _reduced(build, dividend, divisor, is_number)
    product = x * y  # of NaN, infinity or 0
    result = select(is_number, rest.with_sign_of(x), product / product).value
    return result if isinstance(type_, Float64Type) else build.value(arith.TruncFOp, (result,), type_)


def _as_f64(build: LLVMBuilder, value: SSAValue) -> F64:
    wide = value if isinstance(value.type, Float64Type) else build.value(arith.ExtFOp, (value,), f64)
    return F64(build, wide)


def _reduced(build: LLVMBuilder, dividend: F64, divisor: F64, is_number: SSAValue) -> F64:
    """The remainder of numbers that are not negative, by a loop, which runs while the divisor fits."""
    exponent = _exponent(divisor)
    before, after = Block(arg_types=[f64]), Block(arg_types=[f64])
    head, body = LLVMBuilder(before), LLVMBuilder(after)
    fits = F64(head, before.args[0]).compare(">=", divisor)
    head.create(scf.ConditionOp, (head.bit_and(fits, is_number), before.args[0]))
    rest = F64(body, after.args[0])
    scale = I32(body, body.sub(_exponent(rest).value, exponent.value)) - _STEP
    step = _scaled(F64(body, divisor.value), I32(body, _not_negative(body, scale.value)))
    quotient = (rest / step).truncated()
    left = (-quotient).fused(step, rest)
    body.yield_(select(left.compare("<", 0.0), left + step, left).value)
    regions = (Region(before), Region(after))
    return F64(build, build.create(scf.WhileOp, (dividend.value,), (f64,), regions=regions).results[0])


def _exponent(x: F64) -> I32:
    """The exponent of a positive number, with the bias; that of a subnormal one is not positive."""
    build = x.build
    is_tiny = x.compare("<", _SMALLEST_NORMAL)
    bits = build.bitcast(select(is_tiny, x * 2.0**_NORMALISING, x).value, i64)
    shifted = build.shift_right(bits, build.constant(_FRACTION_BITS, i64))
    field = I32(build, build.value(arith.TruncIOp, (shifted,), i32)) & _EXPONENT
    return I32(build, build.select(is_tiny, (field - _NORMALISING).value, field.value))


def _not_negative(build: LLVMBuilder, value: SSAValue) -> SSAValue:
    return build.value(arith.MaxSIOp, (value, build.constant(0)), i32)


def _scaled(x: F64, power: I32) -> F64:
    """x * 2 ** power, by two factors: one of them cannot be more than 2 ** 1023."""
    half = power >> 1
    rest = I32(x.build, x.build.sub(power.value, half.value))
    return x * half.power_of_two() * rest.power_of_two()
