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
from flydsl.ir.math_functions import MATH_FUNCTIONS, Real


def _real(function: Real) -> Handler:
    """A function of doubles, rounded to the type of the result."""

    def make(op: Operation) -> Real:
        round_ = rounder(scalar_type(op.results[0].type))
        return lambda *values: round_(function(*values))

    return each(make)


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


HANDLERS: Mapping[str, Handler] = {
    **{f"math.{name}": _real(function.evaluate) for name, function in MATH_FUNCTIONS.items()},
    "math.clampf": _real(lambda x, low, high: min(max(x, low), high)),
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
