"""erf and erfc in f32.

The polynomials are minimax fits made for this module (Remez). erf: x + x P(x^2) near 0, 1 - exp(-Q(|x|)) elsewhere.
erfc: exp(-x^2) / (1 + 2 x) times a polynomial in (x - 3) / (x + 3), after Shepherd and Laframboise (1981), with the
rounding error of x^2 put back.
"""

from __future__ import annotations

from flydsl.passes.math.exponential import exp
from flydsl.passes.math.expression import F32, select

_NEAR = (
    *(8.334098674822599e-05, -0.0008134160307236016, 0.005200276616960764, -0.026859093457460403),
    *(0.11283689737319946, -0.37612631916999817, 0.12837916612625122),
)
"""erf(x) / x - 1 in x^2 for |x| < 0.927: relative error 2^-31."""
_FAR = (
    *(2.1161829863558523e-05, -0.0004352180112618953, 0.004174638539552689, -0.025128614157438278),
    *(0.10829392820596695, 0.6333346962928772, 1.1295207738876343, -0.00017587300681043416),
)
"""-log(erfc(x)) for x from 0.92 to 4."""
_SCALED = (
    *(-0.0002685091458261013, -0.0007785782217979431, 0.0020011828746646643, 0.00256769685074687),
    *(-0.02379712462425232, 0.06829577684402466, -0.11927104741334915, 0.1296464055776596),
    *(-0.04756239429116249, -0.13562114536762238, 1.2530080080032349),
)
"""exp(x^2) erfc(x) (1 + 2 x) in (x - 3) / (x + 3) for x from 0 to 10.06: relative error 2^-29."""
_EDGE = 0.925
_HALFWAY = 0.4769363
"""erf and erfc are both 1/2 there."""


def erf(x: F32) -> F32:
    """The error function."""
    far = (1.0 - exp(-x.magnitude().clamped(0.0, 4.0).polynomial(_FAR))).with_sign_of(x)
    result = select(x.magnitude().compare("<", _EDGE), _near(x), far)
    return select(x.compare("unordered", x), x, result)


def erfc(x: F32) -> F32:
    """1 - erf(x), accurate where it is small too."""
    a = x.magnitude().clamped(0.0, 10.1)
    square = a * a
    lost = a.fused(a, -square)
    power = exp(-square)
    scaled = ((a - 3.0) / (a + 3.0)).polynomial(_SCALED) / (a + a + 1.0)
    right = scaled * (power - power * lost)
    result = select(x.compare("<", 0.0), 2.0 - right, right)
    result = select(a.compare("<", _HALFWAY), 1.0 - _near(x), result)
    return select(x.compare("unordered", x), x, result)


def _near(x: F32) -> F32:
    """erf(x) for |x| < 0.927."""
    z = x * x
    return z.polynomial(_NEAR) * x + x
