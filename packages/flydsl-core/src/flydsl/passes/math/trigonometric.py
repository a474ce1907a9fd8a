"""Sine, cosine, tangent and their inverses in f32.

Sources: the polynomials of sine and cosine are those of Moshier's Cephes library (single precision); those of the
inverse functions are minimax fits made for this module (Remez). Arguments are reduced by a three-part pi/2 (Cody and
Waite) and above 32768 by multiplying with as many bits of 2/pi as matter (Payne and Hanek, 1983), so every finite
argument is reduced exactly enough.
"""

from __future__ import annotations

from itertools import pairwise

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, f32, f64, i64
from xdsl.ir import SSAValue

from flydsl.passes.math.expression import F32, I32, select
from flydsl.passes.to_llvm.builder import LLVMBuilder, splat

_INFINITY, _NAN = float("inf"), float("nan")
_SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_ASIN = (
    *(0.036238085478544235, 0.015424221754074097, 0.031522322446107864),
    *(0.04455499351024628, 0.07500278204679489, 0.166666641831398),
)
"""(asin(s) / s - 1) / s^2 in s^2, for s up to 1/2: relative error 2^-31."""
_ATAN = (
    *(0.0011879263911396265, -0.007697831839323044, 0.023369822651147842, -0.045697782188653946),
    *(0.06815899908542633, -0.0884518027305603, 0.11067801713943481, -0.14281386137008667),
    *(0.19999799132347107, -0.3333333134651184),
)
"""(atan(s) / s - 1) / s^2 in s^2, for s up to 1: relative error 2^-30."""
_TWO_OVER_PI = 0.63661977236758134
_HALF_PI = (1.57079637050628662109375, -4.37113900018624283e-8, -1.71512449e-15)
"""pi/2 as a sum of three f32 numbers."""
_PI_HIGH, _PI_LOW = 3.1415927410125732421875, -8.74227800037248566e-8
_F32_RANGE = 32768.0
_BITS_OF_TWO_OVER_PI = (0x0028BE60, 0xDB939105, 0x4A7F09D5, 0xF47D4D37, 0x7036D8A5, 0x664F10E4, 0x107F9458)
"""2/pi behind nine zero bits, in words of 32 bits: the first bit has the weight 2^9."""


def sin(x: F32) -> F32:
    """The sine; the zeros keep their sign."""
    sine, cosine, quadrant = _parts(x)
    return select(x.compare("==", 0.0), x, _finite(x, _chosen(sine, cosine, quadrant)))


def cos(x: F32) -> F32:
    """The cosine."""
    sine, cosine, quadrant = _parts(x)
    return _finite(x, _chosen(sine, cosine, quadrant + 1))


def tan(x: F32) -> F32:
    """The tangent; the zeros keep their sign."""
    sine, cosine, quadrant = _parts(x)
    odd = (quadrant & 1).compare("ne", 0)
    result = select(odd, -cosine, sine) / select(odd, sine, cosine)
    return select(x.compare("==", 0.0), x, _finite(x, result))


def asin(x: F32) -> F32:
    """The inverse of the sine, from -pi/2 to pi/2."""
    p, large = _asin_part(x)
    return select(large, _HALF_PI[0] - (p + p - _HALF_PI[1]), p).with_sign_of(x)


def acos(x: F32) -> F32:
    """The inverse of the cosine, from 0 to pi."""
    p, large = _asin_part(x)
    twice = p + p
    far = select(x.compare("<", 0.0), _PI_HIGH - (twice - _PI_LOW), twice)
    return select(large, far, _HALF_PI[0] - (p.with_sign_of(x) - _HALF_PI[1]))


def atan(x: F32) -> F32:
    """The inverse of the tangent, from -pi/2 to pi/2."""
    size = x.magnitude()
    steep = size.compare(">", 1.0)
    p = _atan_part(select(steep, x.constant(1.0) / size, size))
    return select(steep, _HALF_PI[0] - (p - _HALF_PI[1]), p).with_sign_of(x)


def atan2(y: F32, x: F32) -> F32:
    """The angle of the point (x, y), from -pi to pi; signed zeros and infinities as in C."""
    height, width = y.magnitude(), x.magnitude()
    steep = height.compare(">", width)
    low, high = select(steep, width, height), select(steep, height, width)
    slope = select(low.compare("==", _INFINITY), x.constant(1.0), low / high)
    p = _atan_part(select(high.compare("==", 0.0), high, slope))
    angle = select(steep, _HALF_PI[0] - (p - _HALF_PI[1]), p)
    left = x.constant(1.0).with_sign_of(x).compare("<", 0.0)
    result = select(left, _PI_HIGH - (angle - _PI_LOW), angle).with_sign_of(y)
    return select(x.compare("unordered", y), x.constant(_NAN), result)


def _asin_part(x: F32) -> tuple[F32, SSAValue]:
    """(p, large): asin(|x|) = p, and pi/2 - 2 p in lanes of `large`, where |x| > 1/2."""
    size = x.magnitude()
    large = size.compare(">", 0.5)
    square = select(large, (1.0 - size) * 0.5, size * size)
    s = select(large, square.root(), size)
    return square.polynomial(_ASIN) * square * s + s, large


def _atan_part(t: F32) -> F32:
    """atan(t) for t from 0 to 1."""
    square = t * t
    return square.polynomial(_ATAN) * square * t + t


def _parts(x: F32) -> tuple[F32, F32, I32]:
    """(sin(r), cos(r), n) with x = r + n * pi/2."""
    r, n = _quadrant(x)
    z = r * r
    return z.polynomial(_SIN) * z * r + r, z.polynomial(_COS) * z * z - z * 0.5 + 1.0, n


def _chosen(sine: F32, cosine: F32, quadrant: I32) -> F32:
    """sin(r + quadrant * pi/2)."""
    chosen = select((quadrant & 1).compare("ne", 0), cosine, sine)
    return (chosen.as_i32() ^ ((quadrant & 2) << 30)).as_f32()


def _finite(x: F32, result: F32) -> F32:
    return select(x.magnitude().compare("<", _INFINITY), result, _NAN)


def _quadrant(x: F32) -> tuple[F32, I32]:
    """(r, n) with x = r + n * pi/2, modulo 2 pi, and |r| <= pi/4."""
    large = x.magnitude().compare(">", _F32_RANGE)
    chosen, then, otherwise = x.build.if_(large, (f32, f32))
    for build, reduce in ((then, _reduced_large), (otherwise, _reduced)):
        build.yield_(*(value.value for value in reduce(F32(build, x.value))))
    r, n = (F32(x.build, result) for result in chosen.results)
    return r, (n - (n * 0.25).rounded() * 4.0).to_i32()


def _reduced(x: F32) -> tuple[F32, F32]:
    n = (x * _TWO_OVER_PI).rounded()
    r = n.fused(-_HALF_PI[2], n.fused(-_HALF_PI[1], n.fused(-_HALF_PI[0], x)))
    return r, n


def _reduced_large(x: F32) -> tuple[F32, F32]:
    """|x| = m * 2^s with 24 bits of m: m times the bits of 2/pi * 2^s from the weight 2 on is |x| * 2/pi modulo 4."""
    build = x.build
    bits = x.magnitude().as_i32()
    mantissa = _unsigned(build, ((bits & 0x7FFFFF) | 0x800000).value)
    start = (bits >> 23) - (127 + 23 - 8)  # the first bit that matters
    upper, lower = _window(build, start)
    product = build.add(build.mul(mantissa, upper), _shift_right(build, build.mul(mantissa, lower), 32))
    quadrant = _shift_right(build, build.add(product, build.constant(1 << 61, i64)), 62)
    sixty_two = build.constant(62, i64)
    fraction = build.sub(product, build.value(arith.ShLIOp, (quadrant, sixty_two), i64))
    wide = build.value(arith.SIToFPOp, (fraction,), f64)
    scale = splat(build, f64, FloatAttr(1.5707963267948966 * 2.0**-62, f64))
    r = F32(build, build.value(arith.TruncFOp, (build.value(arith.MulfOp, (wide, scale), f64),), f32))
    n = F32(build, build.value(arith.SIToFPOp, (quadrant,), f32))
    negative = x.compare("<", 0.0)
    return select(negative, -r, r), select(negative, -n, n)


def _window(build: LLVMBuilder, start: I32) -> tuple[SSAValue, SSAValue]:
    """64 bits of 2/pi from bit `start` of the table on, and 32 more, both as i64."""
    word, offset = start >> 5, _unsigned(build, (start & 31).value)
    words = []
    for index in range(4):
        value = build.constant(_BITS_OF_TWO_OVER_PI[index], i64)
        for skipped in range(1, len(_BITS_OF_TWO_OVER_PI) - 3):
            other = build.constant(_BITS_OF_TWO_OVER_PI[skipped + index], i64)
            value = build.select(word.compare("eq", skipped), other, value)
        words.append(value)

    def joined(high: SSAValue, low: SSAValue) -> SSAValue:
        """32 bits of two words from `offset` on."""
        pair = build.bit_or(build.value(arith.ShLIOp, (high, build.constant(32, i64)), i64), low)
        return _shift_right(build, build.value(arith.ShLIOp, (pair, offset), i64), 32)

    first, second, third = (joined(*pair) for pair in pairwise(words))
    return build.bit_or(build.value(arith.ShLIOp, (first, build.constant(32, i64)), i64), second), third


def _unsigned(build: LLVMBuilder, value: SSAValue) -> SSAValue:
    return build.zero_extend(value, i64)


def _shift_right(build: LLVMBuilder, value: SSAValue, count: int) -> SSAValue:
    return build.shift_right(value, build.constant(count, i64))
