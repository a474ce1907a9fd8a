"""Exponentials and logarithms in f32.

Source of the polynomials: Moshier's Cephes library (single precision).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flydsl.passes.math.expression import F32, F64, I32, select

_T = TypeVar("_T", F32, F64)

_INFINITY, _NAN = float("inf"), float("nan")
LN2_HIGH, LN2_LOW = 0.693359375, -2.12194440e-4
"""ln 2 in two parts: multiples of the first by exponents of f32 are exact."""
LOG2_E = 1.44269504088896341
"""log2 e."""
_SQRT_HALF_BITS, _MANTISSA = 0x3F3504F3, 0x7FFFFF
_SMALLEST_NORMAL = 1.17549435e-38

EXP = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
EXP2 = (
    *(1.52527338e-5, 1.54035304e-4, 1.33335581e-3, 9.61812911e-3),
    *(5.55041087e-2, 2.40226507e-1, 6.93147181e-1, 1.0),
)
_LOG = (
    *(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1),
    *(-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1),
)


def scaled(x: F32, power: I32) -> F32:
    """x * 2 ** power, in two steps so that subnormal results and 2 ** 128 come out right."""
    half = power >> 1
    rest = power - half
    return x * ((half + 127) << 23).as_f32() * ((rest + 127) << 23).as_f32()


def exp(x: F32) -> F32:
    """e ** x."""
    return half_exp(x, 0)


def half_exp(x: F32, halvings: int = 1) -> F32:
    """e ** x / 2 ** halvings, also where e ** x is too large."""
    y = x.clamped(-104.0, 90.0)
    n = (y * LOG2_E).rounded()
    r = y - n * LN2_HIGH - n * LN2_LOW
    power = n.to_i32()
    result = scaled(r.polynomial(EXP) * (r * r) + r + 1.0, power - halvings if halvings else power)
    return select(x.compare("unordered", x), x, result)


def exp2(x: F32) -> F32:
    """2 ** x."""
    y = x.clamped(-151.0, 129.0)
    n = y.rounded()
    result = scaled((y - n).polynomial(EXP2), n.to_i32())
    return select(x.compare("unordered", x), x, result)


def split(x: F32) -> tuple[F32, F32]:
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
    y, e = split(x)
    z = y * y
    return y, y.polynomial(_LOG) * y * z - z * 0.5, e


def log(x: F32) -> F32:
    """The natural logarithm."""
    y, p, e = _log_parts(x)
    return _log_edges(x, (p + e * LN2_LOW) + y + e * LN2_HIGH)


def log2(x: F32) -> F32:
    """The logarithm to base 2."""
    y, p, e = _log_parts(x)
    excess = LOG2_E - 1.0
    return _log_edges(x, p * excess + y * excess + p + y + e)


def log10(x: F32) -> F32:
    """The logarithm to base 10."""
    y, p, e = _log_parts(x)
    high, low = 0.4341354370117188, 1.5895998477935791e-4  # high + low = log10(e)
    two_high, two_low = 0.301025390625, 4.6050389811952137e-6  # two_high + two_low = log10(2)
    small = p * low + y * low + e * two_low
    return _log_edges(x, small + p * high + y * high + e * two_high)


def log1p(x: F32) -> F32:
    """log(1 + x), by Kahan's correction of the logarithm of the rounded sum."""
    return _log1p(x, log)


def log1p_wide(x: F64) -> F64:
    """log1p with a library's logarithm."""
    return _log1p(x, F64.logarithm)


def expm1(x: F32) -> F32:
    """exp(x) - 1, by Kahan's correction of the rounded difference."""
    return _expm1(x, exp, log)


def expm1_wide(x: F64) -> F64:
    """expm1 with a library's exponential and logarithm."""
    return _expm1(x, F64.exponential, F64.logarithm)


def _log1p(x: _T, log: Callable[[_T], _T]) -> _T:
    u = x + 1.0
    d = u - 1.0
    corrected = log(u) * (x / d)
    result = select(d.compare("==", 0.0), x, corrected)
    return select(u.compare("==", _INFINITY), u, result)


def _expm1(x: _T, exp: Callable[[_T], _T], log: Callable[[_T], _T]) -> _T:
    u = exp(x)
    d = u - 1.0
    corrected = d * (x / log(u))
    result = select(d.compare("==", 0.0), x, corrected)
    result = select(d.compare("==", -1.0), d, result)
    return select(u.compare("==", _INFINITY), u, result)
