"""Powers and cube roots.

Powers of f32 go through a logarithm and an exponential in f64, so that the result is that of one rounding but for
ties; the series are those of atanh and exp. The cube root takes Halley's iteration and one step of Newton's with the
residual computed exactly.
"""

from __future__ import annotations

from math import factorial, log

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from flydsl.passes.math.exponential import split
from flydsl.passes.math.expression import F32, F64, I32, both, select
from flydsl.passes.to_llvm.builder import LLVMBuilder, splat

_INFINITY, _NAN = float("inf"), float("nan")
_SMALLEST_NORMAL = 1.17549435e-38
_LOG2 = tuple(2 / log(2) / (2 * k + 1) for k in reversed(range(9)))
"""log2((1 + s) / (1 - s)) / s in s^2, for s up to 0.172: relative error 2^-50."""
_EXP2 = tuple(log(2) ** k / factorial(k) for k in reversed(range(12)))
"""2^f for |f| <= 1/2: relative error 2^-45."""
_THIRD_OF_BIAS = 709958130.0
"""Two thirds of the bits of 1.0: a third of the bits of x and this are about those of the cube root."""


def powf(x: F32, y: F32) -> F32:
    """x ** y; special cases as C's pow."""
    size = x.magnitude()
    result = _power(size, y.wide())
    whole, half = y.truncated(), y * 0.5
    is_whole = whole.compare("==", y)
    odd = both(x, is_whole, half.truncated().compare("!=", half))
    result = select(odd, result.with_sign_of(x), result)
    negative = both(x, x.compare("<", 0.0), x.compare(">", -_INFINITY), whole.compare("!=", y))
    result = select(negative, x.constant(_NAN), result)
    one = both(x, size.compare("==", 1.0), y.magnitude().compare("==", _INFINITY))
    for mask in (one, y.compare("==", 0.0), x.compare("==", 1.0)):
        result = select(mask, x.constant(1.0), result)
    return result


def fpowi(x: F32, n: I32) -> F32:
    """x ** n for a signed integer n."""
    result = _power(x.magnitude(), n.to_f64())
    result = select((n & 1).compare("ne", 0), result.with_sign_of(x), result)
    return select(n.compare("eq", 0), x.constant(1.0), result)


def ipowi(build: LLVMBuilder, base: SSAValue, exponent: SSAValue, width: int) -> SSAValue:
    """base ** exponent of signed integers modulo 2 ** width; for a negative exponent 1, -1 or 0."""

    def constant(value: int) -> SSAValue:
        return splat(build, base.type, IntegerAttr(value, width))

    zero, one, minus_one = constant(0), constant(1), constant(-1)
    odd = build.compare("ne", build.bit_and(exponent, one), zero)
    result, square = build.select(odd, base, one), base
    for bit in range(1, width - 1):
        square = build.mul(square, square)
        used = build.compare("ne", build.bit_and(exponent, constant(1 << bit)), zero)
        result = build.select(used, build.mul(result, square), result)
    unit = build.select(odd, base, one)
    is_unit = build.bit_or(build.compare("eq", base, one), build.compare("eq", base, minus_one))
    inverse = build.select(is_unit, unit, zero)
    return build.select(build.compare("slt", exponent, zero), inverse, result)


def cbrt(x: F32) -> F32:
    """The cube root, of negative numbers too."""
    size = x.magnitude()
    tiny, large = size.compare("<", _SMALLEST_NORMAL), size.compare(">", 1e30)
    scaled = select(large, size * 2.0**-24, select(tiny, size * 2.0**24, size))
    t = (scaled.as_i32().to_f32() * (1 / 3) + _THIRD_OF_BIAS).to_i32().as_f32()
    for _ in range(2):
        cube = t * t * t
        t = t * ((cube + scaled + scaled) / (cube + cube + scaled))
    square = t * t
    residual = t.fused(square, -scaled) + t.fused(t, -square) * t
    t = t - residual / (square * 3.0)
    result = select(large, t * 2.0**8, select(tiny, t * 2.0**-8, t))
    ordinary = both(x, size.compare(">", 0.0), size.compare("<", _INFINITY))
    return select(ordinary, result.with_sign_of(x), x)


def _power(size: F32, exponent: F64) -> F32:
    """size ** exponent for size >= 0."""
    t = exponent * _log2(size)
    bounded = t.clamped(-200.0, 200.0)
    n = bounded.rounded()
    result = ((bounded - n).polynomial(_EXP2) * n.to_i32().power_of_two()).narrow()
    return select(t.compare("unordered", t), size.constant(_NAN), result)


def _log2(size: F32) -> F64:
    y, e = (part.wide() for part in split(size))
    s = y / (y + 2.0)
    result = (s * s).polynomial(_LOG2) * s + e
    wide = size.wide()
    result = select(wide.compare("<", _INFINITY), result, wide)  # infinity and NaN stay
    return select(wide.compare("==", 0.0), wide.constant(-_INFINITY), result)
