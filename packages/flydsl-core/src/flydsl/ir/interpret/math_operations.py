"""Operations of `math`: computed in double precision and rounded to their type, f64 as the C library has it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from xdsl.dialects.builtin import f64
from xdsl.ir import Attribute, Operation

from flydsl.ir.fly.element import element_bits
from flydsl.ir.interpret.handler import Handler, each, scalar_type
from flydsl.ir.interpret.numbers import fused, is_float, rounder

Real = Callable[..., float]


def _real(function: Real) -> Handler:
    """A function of doubles: NaN outside of its domain, infinity where it overflows."""

    def safe(*values: float) -> float:
        try:
            return float(function(*values))
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    def make(op: Operation) -> Real:
        round_ = rounder(scalar_type(op.results[0].type))
        return lambda *values: round_(safe(*values))

    return each(make)


def _at_zero(function: Real, value: float) -> Real:
    """A function with a pole at 0."""
    return lambda x: value if x == 0 else function(x)


def _whole(function: Callable[[float], int]) -> Real:
    """A rounding to integers, of numbers that are finite; the sign of zero stays."""
    return lambda x: math.copysign(function(x), x) if math.isfinite(x) else x


def _away(x: float) -> int:
    """The nearest integer, ties away from zero."""
    return math.trunc(x) + (int(math.copysign(1, x)) if abs(x - math.trunc(x)) >= 0.5 else 0)


def _overflows_to_sign(function: Real) -> Real:
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


def multiply_add(type_: Attribute) -> Real:
    """a * b + c of a scalar type, rounded once; integers wrap."""
    round_ = rounder(type_)
    if not is_float(type_):
        return lambda a, b, c: round_(a * b + c)
    if type_ != f64:
        return lambda a, b, c: round_(fused(a, b, c))

    def exact(a: float, b: float, c: float) -> float:
        if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
            return a * b + c
        total = Fraction(a) * Fraction(b) + Fraction(c)
        try:
            return float(total) if total else a * b + c
        except OverflowError:
            return math.inf if total > 0 else -math.inf

    return exact


def _integer(function: Callable[[int, int], int]) -> Handler:
    """A function of the bits of an integer and their number."""

    def make(op: Operation) -> Callable[[int], int]:
        type_ = scalar_type(op.results[0].type)
        bits, wrap = element_bits(type_), rounder(type_)
        return lambda x: wrap(function(x & ((1 << bits) - 1), bits))

    return each(make)


def _integer_power(op: Operation) -> Callable[[int, int], int]:
    """Multiplied out, modulo the width; a negative power is the reciprocal, truncated."""
    type_ = scalar_type(op.results[0].type)
    wrap, modulus = rounder(type_), 1 << element_bits(type_)

    def power(x: int, n: int) -> int:
        if n < 0:
            return x ** (-n % 2) if x in (1, -1) else 0
        return int(wrap(pow(x, n, modulus)))

    return power


def _absolute(op: Operation) -> Callable[[int], int]:
    wrap = rounder(scalar_type(op.results[0].type))
    return lambda x: wrap(abs(x))


def _test(function: Callable[[float], bool]) -> Handler:
    return each(lambda op: lambda x: int(function(x)))


_FUNCTIONS: dict[str, Real] = {
    "absf": abs,
    "acos": math.acos,
    "acosh": math.acosh,
    "asin": math.asin,
    "asinh": math.asinh,
    "atan": math.atan,
    "atan2": math.atan2,
    "atanh": lambda x: math.copysign(math.inf, x) if abs(x) == 1 else math.atanh(x),
    "cbrt": math.cbrt,
    "ceil": _whole(math.ceil),
    "clampf": lambda x, low, high: min(max(x, low), high),
    "copysign": math.copysign,
    "cos": math.cos,
    "cosh": math.cosh,
    "erf": math.erf,
    "erfc": math.erfc,
    "exp": math.exp,
    "exp2": lambda x: math.nan if x != x else 2.0**x,
    "expm1": math.expm1,
    "floor": _whole(math.floor),
    "fpowi": _power,
    "log": _at_zero(math.log, -math.inf),
    "log10": _at_zero(math.log10, -math.inf),
    "log1p": lambda x: -math.inf if x == -1 else math.log1p(x),
    "log2": _at_zero(math.log2, -math.inf),
    "powf": _power,
    "round": _whole(_away),
    "roundeven": _whole(round),
    "rsqrt": lambda x: math.copysign(math.inf, x) if x == 0 else 1.0 / math.sqrt(x),
    "sin": math.sin,
    "sinh": _overflows_to_sign(math.sinh),
    "sqrt": math.sqrt,
    "tan": math.tan,
    "tanh": math.tanh,
    "trunc": _whole(math.trunc),
}

HANDLERS: Mapping[str, Handler] = {
    **{f"math.{name}": _real(function) for name, function in _FUNCTIONS.items()},
    "math.fma": each(lambda op: multiply_add(scalar_type(op.results[0].type))),
    "math.absi": each(_absolute),
    "math.ipowi": each(_integer_power),
    "math.ctpop": _integer(lambda x, bits: x.bit_count()),
    "math.ctlz": _integer(lambda x, bits: bits - x.bit_length()),
    "math.cttz": _integer(lambda x, bits: (x & -x).bit_length() - 1 if x else bits),
    "math.isfinite": _test(math.isfinite),
    "math.isinf": _test(math.isinf),
    "math.isnan": _test(math.isnan),
}
