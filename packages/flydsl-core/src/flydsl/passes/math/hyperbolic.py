"""Hyperbolic functions and their inverses in f32.

Source of the polynomial of tanh: Moshier's Cephes library (single precision); that of sinh is its Taylor series.
"""

from __future__ import annotations

from flydsl.passes.math.exponential import exp, half_exp, log, log1p
from flydsl.passes.math.expression import F32, select

_NAN = float("nan")
_TANH = (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
_SINH = (2.50521083854e-8, 2.75573192240e-6, 1.98412698413e-4, 8.33333333333e-3, 1.66666666667e-1)
_LN2 = 0.693147180559945309
_HUGE = 8192.0
"""From here on x^2 + 1 and x^2 - 1 are x^2 in f32."""


def tanh(x: F32) -> F32:
    """The hyperbolic tangent."""
    size = x.magnitude()
    z = x * x
    small = z.polynomial(_TANH) * z * x + x
    large = 1.0 - x.constant(2.0) / (exp(size + size) + 1.0)
    return select(size.compare("<", 0.625), small, large).with_sign_of(x)


def sinh(x: F32) -> F32:
    """The hyperbolic sine."""
    size = x.magnitude()
    z = x * x
    small = z.polynomial(_SINH) * z * x + x
    half = half_exp(size)
    large = (half - x.constant(0.25) / half).with_sign_of(x)
    return select(size.compare("<", 1.0), small, large)


def cosh(x: F32) -> F32:
    """The hyperbolic cosine."""
    half = half_exp(x.magnitude())
    return x.constant(0.25) / half + half


def asinh(x: F32) -> F32:
    """The inverse of sinh."""
    size = x.magnitude()
    z = size * size
    result = log1p(z / ((z + 1.0).root() + 1.0) + size)
    return select(size.compare(">", _HUGE), log(size) + _LN2, result).with_sign_of(x)


def acosh(x: F32) -> F32:
    """The inverse of cosh, for x >= 1."""
    t = x - 1.0
    result = log1p((t * (t + 2.0)).root() + t)
    result = select(x.compare(">", _HUGE), log(x) + _LN2, result)
    return select(x.compare("<", 1.0), x.constant(_NAN), result)


def atanh(x: F32) -> F32:
    """The inverse of tanh, for -1 <= x <= 1."""
    size = x.magnitude()
    return (log1p((size + size) / (1.0 - size)) * 0.5).with_sign_of(x)
