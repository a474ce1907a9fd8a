"""f32 arguments in, elementary functions of them out, to a few units in the last place.

Sources: exponential, logarithm and small-argument tanh are those of Moshier's Cephes library (single precision); erf
is the rational approximation x P(x^2) / Q(x^2) used by Eigen; log1p and expm1 use Kahan's correction of log(1 + x)
and exp(x) - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, f32, f64
from xdsl.ir import SSAValue

from flydsl.passes.math.expression import F32, I32, select
from flydsl.passes.to_llvm.builder import splat

__all__ = ["FUNCTIONS", "SCALAR_FUNCTIONS"]

_INFINITY, _NAN = float("inf"), float("nan")
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
_LOG2_E, _LOG10_E = 1.44269504088896341, 0.434294481903251828
_SQRT_HALF_BITS, _ONE_BITS, _MANTISSA = 0x3F3504F3, 0x3F800000, 0x7FFFFF
_SMALLEST_NORMAL = 1.17549435e-38

_EXP = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
_EXP2 = (
    *(1.52527338e-5, 1.54035304e-4, 1.33335581e-3, 9.61812911e-3),
    *(5.55041087e-2, 2.40226507e-1, 6.93147181e-1, 1.0),
)
_LOG = (
    *(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1),
    *(-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1),
)
_TANH = (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
_SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_TWO_OVER_PI = 0.63661977236758134
_HALF_PI = (1.57079637050628662109375, -4.37113900018624283e-8, -1.71512449e-15)
"""pi/2 as a sum of three f32 numbers."""
_HALF_PI_HIGH, _HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17
_F32_RANGE = 32768.0
_ERF_P = (
    *(-2.72614225801306e-10, 2.77068142495902e-8, -2.10102402082508e-6, -5.69250639462346e-5),
    *(-7.34990630326855e-4, -2.95459980854025e-3, -1.60960333262415e-2),
)
_ERF_Q = (
    *(-1.45660718464996e-5, -2.13374055278905e-4, -1.68282697438203e-3, -7.37332916720468e-3),
    -1.42647390514189e-2,
)


def _scaled(x: F32, power: I32) -> F32:
    """x * 2 ** power, in two steps so that subnormal results and 2 ** 128 come out right."""
    half = power >> 1
    rest = power - half
    return x * ((half + 127) << 23).as_f32() * ((rest + 127) << 23).as_f32()


def _exp(x: F32) -> F32:
    y = x.clamped(-104.0, 89.0)
    n = (y * _LOG2_E).rounded()
    r = y - n * _LN2_HIGH - n * _LN2_LOW
    result = _scaled(r.polynomial(_EXP) * (r * r) + r + 1.0, n.to_i32())
    return select(x.compare("unordered", x), x, result)


def _exp2(x: F32) -> F32:
    y = x.clamped(-151.0, 129.0)
    n = y.rounded()
    result = _scaled((y - n).polynomial(_EXP2), n.to_i32())
    return select(x.compare("unordered", x), x, result)


def _split(x: F32) -> tuple[F32, F32]:
    """(m - 1, e) with x = m * 2 ** e and m between sqrt(1/2) and sqrt(2)."""
    tiny = x.compare("<", _SMALLEST_NORMAL)
    bits = select(tiny, x * 8388608.0, x).as_i32()
    shifted = bits - _SQRT_HALF_BITS
    exponent = (shifted >> 23).to_f32()
    exponent = select(tiny, exponent - 23.0, exponent)
    mantissa = ((shifted & _MANTISSA) + _SQRT_HALF_BITS).as_f32()
    return mantissa - 1.0, exponent


def _log_edges(x: F32, result: F32) -> F32:
    """Logarithms of 0, negative numbers, infinity and NaN."""
    result = select(x.compare("==", _INFINITY), x, result)
    result = select(x.compare(">", 0.0), result, _NAN)
    return select(x.compare("==", 0.0), x.constant(-_INFINITY), result)


def _log_parts(x: F32) -> tuple[F32, F32, F32]:
    """(y, p, e) with log(x) = y + p + e * log(2)."""
    y, e = _split(x)
    z = y * y
    return y, y.polynomial(_LOG) * y * z - z * 0.5, e


def _log(x: F32) -> F32:
    y, p, e = _log_parts(x)
    return _log_edges(x, (p + e * _LN2_LOW) + y + e * _LN2_HIGH)


def _log2(x: F32) -> F32:
    y, p, e = _log_parts(x)
    excess = _LOG2_E - 1.0
    return _log_edges(x, p * excess + y * excess + p + y + e)


def _log10(x: F32) -> F32:
    y, p, e = _log_parts(x)
    high, low = 0.4341354370117188, 1.5895998477935791e-4  # high + low = log10(e)
    two_high, two_low = 0.301025390625, 4.6050389811952137e-6  # two_high + two_low = log10(2)
    small = p * low + y * low + e * two_low
    return _log_edges(x, small + p * high + y * high + e * two_high)


def _log1p(x: F32) -> F32:
    u = x + 1.0
    d = u - 1.0
    corrected = _log(u) * (x / d)
    result = select(d.compare("==", 0.0), x, corrected)
    return select(u.compare("==", _INFINITY), u, result)


def _expm1(x: F32) -> F32:
    u = _exp(x)
    d = u - 1.0
    corrected = d * (x / _log(u))
    result = select(d.compare("==", 0.0), x, corrected)
    result = select(d.compare("==", -1.0), d, result)
    return select(u.compare("==", _INFINITY), u, result)


def _tanh(x: F32) -> F32:
    size = x.magnitude()
    z = x * x
    small = z.polynomial(_TANH) * z * x + x
    large = (1.0 - x.constant(2.0) / (_exp(size + size) + 1.0)).with_sign_of(x)
    return select(size.compare("<", 0.625), small, large)


def _erf(x: F32) -> F32:
    y = x.clamped(-4.0, 4.0)
    z = y * y
    result = y * (z.polynomial(_ERF_P) / z.polynomial(_ERF_Q))
    return select(x.compare("unordered", x), x, result)


def _quadrant(x: F32) -> tuple[F32, I32]:
    """(r, n) with x = r + n * pi/2 and |r| <= pi/4: three-part subtraction, in f64 where f32 runs out of digits."""
    large = x.magnitude().compare(">", _F32_RANGE)
    chosen, then, otherwise = x.build.if_(large, (f32, f32))
    for build, reduce in ((then, _reduced_wide), (otherwise, _reduced)):
        build.yield_(*(value.value for value in reduce(F32(build, x.value))))
    r, n = (F32(x.build, result) for result in chosen.results)
    return r, (n - (n * 0.25).rounded() * 4.0).to_i32()


def _reduced(x: F32) -> tuple[F32, F32]:
    n = (x * _TWO_OVER_PI).rounded()
    r = n.fused(-_HALF_PI[2], n.fused(-_HALF_PI[1], n.fused(-_HALF_PI[0], x)))
    return r, n


def _reduced_wide(x: F32) -> tuple[F32, F32]:
    """Exact enough up to about 1e15; the quadrant is taken modulo 4 before it goes back to f32."""
    build = x.build
    wide = build.value(arith.ExtFOp, (x.value,), f64)

    def constant(value: float) -> SSAValue:
        return splat(build, f64, FloatAttr(value, f64))

    def fused(a: SSAValue, factor: float, b: SSAValue) -> SSAValue:
        return build.value(math.FmaOp, (a, constant(factor), b), f64)

    scaled = build.value(arith.MulfOp, (wide, constant(_TWO_OVER_PI)), f64)
    n = build.value(math.RoundEvenOp, (scaled,), f64)
    r = fused(n, -_HALF_PI_LOW, fused(n, -_HALF_PI_HIGH, wide))
    turns = build.value(math.FloorOp, (build.value(arith.MulfOp, (n, constant(0.25)), f64),), f64)
    quadrant = fused(turns, -4.0, n)
    narrow = (F32(build, build.value(arith.TruncFOp, (value,), f32)) for value in (r, quadrant))
    first, second = narrow
    return first, second


def _sine_and_cosine(x: F32, shift: int) -> F32:
    """sin(x + shift * pi/2)."""
    r, n = _quadrant(x)
    z = r * r
    sine = z.polynomial(_SIN) * z * r + r
    cosine = z.polynomial(_COS) * z * z - z * 0.5 + 1.0
    quadrant = n + shift
    odd = x.build.compare("ne", (quadrant & 1).value, (quadrant & 0).value)
    chosen = select(odd, cosine, sine)
    result = (chosen.as_i32() ^ ((quadrant & 2) << 30)).as_f32()
    # x - x is NaN for infinity and NaN.
    return select(x.magnitude().compare("<", _INFINITY), result, _NAN)


def _sin(x: F32) -> F32:
    result = _sine_and_cosine(x, 0)
    return select(x.compare("==", 0.0), x, result)


def _cos(x: F32) -> F32:
    return _sine_and_cosine(x, 1)


def _tan(x: F32) -> F32:
    return _sin(x) / _cos(x)


FUNCTIONS: Mapping[str, Callable[[F32], F32]] = {
    "math.erf": _erf,
    "math.exp": _exp,
    "math.exp2": _exp2,
    "math.expm1": _expm1,
    "math.log": _log,
    "math.log10": _log10,
    "math.log1p": _log1p,
    "math.log2": _log2,
    "math.tanh": _tanh,
}
"""Operation name -> the function of one f32 argument that replaces it."""

SCALAR_FUNCTIONS: Mapping[str, Callable[[F32], F32]] = {"math.cos": _cos, "math.sin": _sin, "math.tan": _tan}
"""Functions that branch: vectors are taken apart for them."""
