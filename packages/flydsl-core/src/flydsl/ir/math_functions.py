"""Functions of floats, one entry each: what Python computes, the expansion, the largest error, and where it is tested.

Tracing folds by `fold`, the interpreter runs `evaluate`, passes load the expansion, and the tests of every backend read
the bound. A function without an expansion is an instruction of every target; one that is neither is refused by all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

Real = Callable[..., float]

INSTRUCTION = "instruction"
"""The expansion of a function that every target has."""
_ANYWHERE = (-12.0, 12.0)


@dataclass(frozen=True, slots=True)
class MathFunction:
    """The function `math.<name>` of MLIR."""

    name: str
    fold: Real
    """Of doubles; raises where Python has no NaN or infinity, and is then left to the target."""
    expansion: str = ""
    """`module.function` in `flydsl.passes.math`, `INSTRUCTION`, or empty where there is none."""
    bound: float = math.inf
    """The largest error of f32, in units in the last place of the exact result."""
    total: Real | None = None
    """`fold` with its poles, where they are not a NaN of the domain or a positive infinity."""
    domain: tuple[float, float] = _ANYWHERE
    """Where tests have a dense range of arguments."""
    operands: int = 1
    branches: bool = False
    """Whether the expansion does: vectors are taken apart for it, and targets with a library leave it to that."""
    wide_expansion: str = ""
    """The same of f64, where libraries lose digits."""

    def evaluate(self, *values: float) -> float:
        """Of doubles: NaN outside of the domain, infinity where it overflows."""
        try:
            return float((self.total or self.fold)(*values))
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf


def _at_zero(function: Real, value: float) -> Real:
    """A function with a pole at 0."""
    return lambda x: value if x == 0 else function(x)


def _whole(function: Callable[[float], float]) -> Real:
    """A rounding of Python's to integers that keeps infinities, NaN and the sign of zero."""
    return lambda x: math.copysign(function(x), x) if math.isfinite(x) else x


def _away(x: float) -> float:
    """The nearest integer, ties away from zero."""
    whole = math.trunc(x)
    return whole + math.copysign(1, x) if abs(x - whole) >= 0.5 else whole


def _reciprocal_root(x: float) -> float:
    return 1.0 / math.sqrt(x)


def _overflowing_to_sign(function: Real) -> Real:
    """An odd function that grows beyond all bounds."""

    def apply(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.copysign(math.inf, x)

    return apply


def _power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        if x == 0:  # to a negative power
            return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
        return math.nan


def _unary() -> tuple[MathFunction, ...]:
    of, unit, positive = MathFunction, (-1.0, 1.0), (0.0, 50.0)
    return (
        of("absf", abs, INSTRUCTION, 0),
        of("acos", math.acos, "trigonometric.acos", 1.5, domain=unit),
        of("acosh", math.acosh, "hyperbolic.acosh", 3, domain=(1.0, 50.0)),
        of("asin", math.asin, "trigonometric.asin", 2.5, domain=unit),
        of("asinh", math.asinh, "hyperbolic.asinh", 3),
        of("atan", math.atan, "trigonometric.atan", 1.5),
        of(
            *("atanh", math.atanh, "hyperbolic.atanh", 3.5),
            total=lambda x: math.copysign(math.inf, x) if abs(x) == 1 else math.atanh(x),
            domain=unit,
        ),
        of("cbrt", math.cbrt, "powers.cbrt", 1),
        of("ceil", _whole(math.ceil), INSTRUCTION, 0),
        of("cos", math.cos, "trigonometric.cos", 1.6, branches=True),
        of("cosh", math.cosh, "hyperbolic.cosh", 1.5),
        of("erf", math.erf, "error_function.erf", 1.5),
        of("erfc", math.erfc, "error_function.erfc", 5, domain=(-4.0, 10.2)),
        of("exp", math.exp, "exponential.exp", 1),
        of("exp2", math.exp2, "exponential.exp2", 1),
        of("expm1", math.expm1, "exponential.expm1", 3, wide_expansion="exponential.expm1_wide"),
        of("floor", _whole(math.floor), INSTRUCTION, 0),
        of("log", math.log, "exponential.log", 1.5, _at_zero(math.log, -math.inf), positive),
        of(
            *("log1p", math.log1p, "exponential.log1p", 3),
            total=lambda x: -math.inf if x == -1 else math.log1p(x),
            domain=(-1.0, 50.0),
            wide_expansion="exponential.log1p_wide",
        ),
        of("log10", math.log10, "exponential.log10", 4.1, _at_zero(math.log10, -math.inf), positive),
        of("log2", math.log2, "exponential.log2", 1.5, _at_zero(math.log2, -math.inf), positive),
        of("round", _whole(_away), INSTRUCTION, 0),
        of("roundeven", _whole(round), INSTRUCTION, 0),
        of(
            *("rsqrt", _reciprocal_root, INSTRUCTION, 2),
            total=lambda x: math.copysign(math.inf, x) if x == 0 else _reciprocal_root(x),
            domain=positive,
        ),
        of("sin", math.sin, "trigonometric.sin", 1.6, branches=True),
        of("sinh", math.sinh, "hyperbolic.sinh", 2, _overflowing_to_sign(math.sinh), (-90.0, 90.0)),
        of("sqrt", math.sqrt, INSTRUCTION, 0.5, domain=positive),
        of("tan", math.tan, "trigonometric.tan", 3.5, branches=True),
        of("tanh", math.tanh, "hyperbolic.tanh", 1.5),
        of("trunc", _whole(math.trunc), INSTRUCTION, 0),
    )


def _binary() -> tuple[MathFunction, ...]:
    of = MathFunction
    return (
        of("powf", math.pow, "powers.powf", 0.501, _power, operands=2),
        of("atan2", math.atan2, "trigonometric.atan2", 1.5, operands=2),
        of("copysign", math.copysign, INSTRUCTION, 0, operands=2),
        of("fpowi", math.pow, "powers.fpowi", 0.501, _power, operands=2),
    )


MATH_FUNCTIONS: dict[str, MathFunction] = {function.name: function for function in (*_unary(), *_binary())}
"""By name; those of one operand first, in the order of the alphabet."""
EXACT = frozenset(
    {
        *("absi", "clampf", "ctlz", "ctpop", "cttz", "fma", "ipowi"),
        *("isfinite", "isinf", "isnan", "isnormal"),
    }
)
"""Names of the other operations of `math`, which every target has: of integers, tests, and those that round once."""
