"""The operations of numbers beside what they mean: a table for kernels and for numbers known while tracing."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from support.exact_numbers import KINDS, Kind, Number

import flydsl.expr as fx


@dataclass(frozen=True)
class Rule:
    """An operation: what a kernel writes, and the exact result of two numbers of a kind, None where none is defined.

    `result` names the kind of the result, by that of the operands.
    """

    name: str
    written: Callable[[Any, Any], Any]
    meaning: Callable[[Kind, Any, Any], Number | None]
    result: Callable[[Kind], Kind]
    either_zero: bool = False
    """A result of zero may have either sign."""


def _same(kind: Kind) -> Kind:
    return KINDS["Int32"] if kind.name == "Boolean" else kind


def _bits_of(kind: Kind) -> Kind:
    return kind


def _boolean(kind: Kind) -> Kind:
    return KINDS["Boolean"]


def _quotient_kind(kind: Kind) -> Kind:
    return kind if kind.is_float else KINDS["Float32" if kind.bits <= 32 else "Float64"]


def _integer(function: Callable[[int, int], int | None]) -> Callable[[Kind, int, int], int | None]:
    def meaning(kind: Kind, a: int, b: int) -> int | None:
        result = function(a, b)
        return None if result is None else _same(kind).wrap(result)

    return meaning


def _divided(function: Callable[[int, int], int]) -> Callable[[Kind, int, int], int | None]:
    """No result by zero, and none of the least number by -1."""

    def meaning(kind: Kind, a: int, b: int) -> int | None:
        low, high = _same(kind).limits
        return function(a, b) if b and low <= a // b <= high else None

    return meaning


def _bitwise(function: Callable[[int, int], int]) -> Callable[[Kind, int, int], int]:
    return lambda kind, a, b: kind.wrap(function(a, b))


def _true_quotient(kind: Kind, a: int, b: int) -> float:
    target = _quotient_kind(kind)
    return _float_quotient(target, target.nearest(Fraction(a)), target.nearest(Fraction(b)))


def _power(kind: Kind, a: int, b: int) -> int:
    if b >= 0:
        return kind.wrap(pow(a, b, 1 << kind.bits))
    return a ** (-b % 2) if a in (1, -1) else 0


def _bounded(b: Any, kind: Any) -> Any:
    return b & kind.dtype(kind.dtype.width - 1)


_INTEGER_RULES = [
    Rule("+", operator.add, _integer(operator.add), _same),
    Rule("-", operator.sub, _integer(operator.sub), _same),
    Rule("*", operator.mul, _integer(operator.mul), _same),
    Rule("//", operator.floordiv, _divided(operator.floordiv), _same),
    Rule("%", operator.mod, _divided(lambda a, b: int(math.copysign(1, a)) * (abs(a) % abs(b))), _same),
    Rule("ceildiv", lambda a, b: fx.arith.ceildiv(a, b).to(a.dtype), _divided(lambda a, b: -(-a // b)), _bits_of),
    Rule("/", operator.truediv, _true_quotient, _quotient_kind),
    Rule("max", fx.max, lambda kind, a, b: max(a, b), _same),
    Rule("min", fx.min, lambda kind, a, b: min(a, b), _same),
    Rule("neg", lambda a, b: -a, _integer(lambda a, b: -a), _same),
    Rule("cube", lambda a, b: a**3, _integer(lambda a, b: a**3), _same),
]
_BIT_RULES = [
    Rule("&", operator.and_, _bitwise(operator.and_), _bits_of),
    Rule("|", operator.or_, _bitwise(operator.or_), _bits_of),
    Rule("^", operator.xor, _bitwise(operator.xor), _bits_of),
    Rule("~", lambda a, b: ~a, _bitwise(lambda a, b: ~a), _bits_of),
]
_WORD_RULES = [  # of numbers, not of truth values
    Rule("abs", lambda a, b: abs(a), _integer(lambda a, b: abs(a)), _same),
    Rule("<<", lambda a, b: a << _bounded(b, a), lambda kind, a, b: kind.wrap(a << (b % kind.bits)), _bits_of),
    Rule(">>", lambda a, b: a >> _bounded(b, a), lambda kind, a, b: a >> (b % kind.bits), _bits_of),
    Rule(
        "shrui",
        lambda a, b: fx.shrui(a, _bounded(b, a)),
        lambda kind, a, b: kind.wrap((a % (1 << kind.bits)) >> (b % kind.bits)),
        _bits_of,
    ),
]
_POWER_RULES = [Rule("**", lambda a, b: fx.ipowi(a, b), _power, _bits_of)]
_COMPARISONS = [
    Rule(name, written, lambda kind, a, b, written=written: int(written(a, b)), _boolean)  # type: ignore[misc]
    for name, written in (
        *(("==", operator.eq), ("!=", operator.ne), ("<", operator.lt)),
        *(("<=", operator.le), (">", operator.gt), (">=", operator.ge)),
    )
]


def _float_quotient(kind: Kind, a: float, b: float) -> float:
    if a != a or b != b or math.isinf(a) or b == 0:
        with np.errstate(all="ignore"):
            return float(np.float64(a) / np.float64(b))
    if math.isinf(b) or a == 0:
        return math.copysign(0.0, a) * math.copysign(1.0, b)
    return kind.nearest(Fraction(a) / Fraction(b))


def _rounded(function: Callable[[Any, Any], Any]) -> Callable[[Kind, float, float], float]:
    """A sum or product: exact, and rounded; of infinities, NaN and zeros as doubles have it."""

    def meaning(kind: Kind, a: float, b: float) -> float:
        if math.isfinite(a) and math.isfinite(b) and (exact := function(Fraction(a), Fraction(b))):
            return kind.nearest(exact)
        return float(function(a, b))

    return meaning


def _of_numpy(function: Any) -> Callable[[Kind, float, float], float]:
    def meaning(kind: Kind, a: float, b: float) -> float:
        with np.errstate(all="ignore"):
            x, y = (np.array(value).astype(kind.storage) for value in (a, b))
            return float(np.asarray(function(x, y)).astype(np.float64))

    return meaning


def _extreme(sign: int) -> Callable[[Kind, float, float], float]:
    def meaning(kind: Kind, a: float, b: float) -> float:
        if a != a or b != b:
            return math.nan
        return max((a, b), key=lambda x: (sign * x, sign * math.copysign(1.0, x)))

    return meaning


def _number_extreme(sign: int) -> Callable[[Kind, float, float], float]:
    return lambda kind, a, b: b if a != a else a if b != b else _extreme(sign)(kind, a, b)


def _whole(function: Callable[[float], int]) -> Callable[[Kind, float, float], float]:
    return lambda kind, a, b: math.copysign(function(a), a) if math.isfinite(a) else a


_FLOAT_RULES = [
    Rule("+", operator.add, _rounded(operator.add), _same),
    Rule("-", operator.sub, _rounded(operator.sub), _same),
    Rule("*", operator.mul, _rounded(operator.mul), _same),
    Rule("/", operator.truediv, _float_quotient, _same),
    Rule("//", operator.floordiv, _of_numpy(np.floor_divide), _same),
    Rule("%", operator.mod, _of_numpy(np.remainder), _same),
    Rule("max", fx.max, _extreme(1), _same),
    Rule("min", fx.min, _extreme(-1), _same),
    Rule("maximumf", fx.maximumf, _extreme(1), _same),
    Rule("minimumf", fx.minimumf, _extreme(-1), _same),
    Rule("maxnumf", fx.maxnumf, _number_extreme(1), _same, either_zero=True),
    Rule("minnumf", fx.minnumf, _number_extreme(-1), _same, either_zero=True),
    Rule("neg", lambda a, b: -a, lambda kind, a, b: -a, _same),
    Rule("abs", lambda a, b: abs(a), lambda kind, a, b: abs(a), _same),
    Rule("copysign", lambda a, b: fx.copysign(a, b), lambda kind, a, b: None if b != b else math.copysign(a, b), _same),
    Rule("floor", lambda a, b: fx.floor(a), _whole(math.floor), _same),
    Rule("ceil", lambda a, b: fx.ceil(a), _whole(math.ceil), _same),
    Rule("trunc", lambda a, b: fx.trunc(a), _whole(math.trunc), _same),
    Rule("roundeven", lambda a, b: fx.roundeven(a), _whole(round), _same),
    Rule("isnan", lambda a, b: fx.isnan(a), lambda kind, a, b: int(math.isnan(a)), _boolean),
]


def rules_of(kind: Kind, *, wide: bool = True) -> list[Rule]:
    """The operations of a kind; without `wide` not those of 128 bits that take a compiler seconds."""
    if kind.is_float:
        return [*_FLOAT_RULES, *_COMPARISONS] if kind.bits > 8 else []
    if kind.name == "Boolean":
        return [*_INTEGER_RULES, *_BIT_RULES, *_COMPARISONS]
    rules = [*_INTEGER_RULES, *_BIT_RULES, *_WORD_RULES, *_COMPARISONS, *_POWER_RULES]
    if kind.bits == 128 and not wide:
        slow = ("//", "%", "ceildiv", "**", "/")
        rules = [rule for rule in rules if rule.name not in slow]
    return rules


def converted(source: Kind, target: Kind, value: Number) -> Number | None:
    """A number as one of another kind: rounded once; None where the result is not defined."""
    if target.name == "Boolean":
        return int(value != 0)
    if not target.is_float:
        return _to_integer(source, target, value)
    if isinstance(value, float) and not math.isfinite(value):
        return _of_special(target, value)
    if value == 0 and source.is_float:
        if target.name == "Float8E8M0FNU":
            return math.nan
        return 0.0 if target.name.endswith("FNUZ") else value
    return target.nearest(Fraction(value))


def _to_integer(source: Kind, target: Kind, value: Number) -> int | None:
    if not source.is_float:
        return target.wrap(int(value))
    low, high = target.limits
    return math.trunc(value) if math.isfinite(value) and low <= math.trunc(value) <= high else None


def _of_special(target: Kind, value: float) -> float | None:
    if target.bits < 8:
        return None  # such formats have neither infinities nor NaN
    if target.name == "Float8E8M0FNU":
        return math.nan
    with np.errstate(all="ignore"):
        return float(np.array(value).astype(target.storage).astype(np.float64))
