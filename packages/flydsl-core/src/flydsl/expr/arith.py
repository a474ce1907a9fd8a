"""Comparisons, extremes and divisions by name, with fast-math flags and rounding modes beside them."""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.fast_math import FastMathFlags, Flags, RoundingMode, fastmath, overriding
from flydsl.expr.numbers.operands import check_keywords, emit_joint, float_operand, integer_operand, is_known
from flydsl.expr.numbers.operators import binary, emit_comparison, float_extreme, shrui
from flydsl.expr.numbers.promotion import arithmetic_type

__all__ = [
    "FastMathFlags",
    "RoundingMode",
    "ceildiv",
    "cmpf",
    "cmpi",
    "fastmath",
    "max",
    "maximumf",
    "maxnumf",
    "min",
    "minimumf",
    "shrui",
]

_CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_CMPF = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


def max(*operands: Any, fastmath: Flags = None, **kwargs: Any) -> Any:
    """The largest of the operands after promotion; NaN propagates."""
    return _fold_operands("maximum", operands, fastmath, kwargs)


def min(*operands: Any, fastmath: Flags = None, **kwargs: Any) -> Any:
    """The smallest of the operands after promotion; NaN propagates."""
    return _fold_operands("minimum", operands, fastmath, kwargs)


def maximumf(a: Any, b: Any, *, fastmath: Flags = None, **kwargs: Any) -> Any:
    """The larger of two floats; NaN propagates, and 0.0 is larger than -0.0."""
    return _extreme("maximumf", a, b, fastmath, kwargs)


def minimumf(a: Any, b: Any, *, fastmath: Flags = None, **kwargs: Any) -> Any:
    """The smaller of two floats; NaN propagates, and -0.0 is smaller than 0.0."""
    return _extreme("minimumf", a, b, fastmath, kwargs)


def maxnumf(a: Any, b: Any, *, fastmath: Flags = None, **kwargs: Any) -> Any:
    """The larger of two floats; a number wins over NaN."""
    check_keywords("maxnumf", kwargs)
    a, b = float_operand("maxnumf", a), float_operand("maxnumf", b)
    if is_known(a) and is_known(b):
        first, second = (b, a) if a.value != a.value else (a, b)
        return first if second.value != second.value else binary("maximum", first, second)
    return emit_joint("maxnumf", "arith.maxnumf", a, b, fastmath=fastmath)


def ceildiv(lhs: Any, rhs: Any, **kwargs: Any) -> Any:
    """lhs / rhs of integers, rounded up."""
    check_keywords("ceildiv", kwargs)
    a, b = integer_operand("ceildiv", lhs), integer_operand("ceildiv", rhs)
    down = binary("floordiv", a, b)
    return down + (binary("mul", down, b) != a)


def cmpi(predicate: str | int, lhs: Any, rhs: Any, **kwargs: Any) -> Any:
    """Compare integers: `predicate` is one of eq ne slt sle sgt sge ult ule ugt uge, or its number."""
    check_keywords("cmpi", kwargs)
    operands = integer_operand("cmpi", lhs), integer_operand("cmpi", rhs)
    return _compare("arith.cmpi", _CMPI, predicate, operands)


def cmpf(predicate: str | int, lhs: Any, rhs: Any, *, fastmath: Flags = None, **kwargs: Any) -> Any:
    """Compare floats: `predicate` is one of oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno false true, or its
    number; o... is false and u... is true when an operand is NaN.
    """
    check_keywords("cmpf", kwargs)
    with overriding(fastmath):
        return _compare("arith.cmpf", _CMPF, predicate, (float_operand("cmpf", lhs), float_operand("cmpf", rhs)))


def _compare(op: str, names: tuple[str, ...], predicate: Any, operands: tuple[Any, Any]) -> Any:
    name = op.partition(".")[2]
    a, b = operands
    dtype = a.dtype if a.dtype is b.dtype else arithmetic_type(a.dtype, b.dtype)
    return emit_comparison(name, op, _predicate(name, names, predicate), dtype, a, b)


def _predicate(function: str, names: tuple[str, ...], predicate: Any) -> int:
    if isinstance(predicate, str) and predicate.lower() in names:
        return names.index(predicate.lower())
    if isinstance(predicate, int) and 0 <= predicate < len(names):
        return int(predicate)
    raise FrontendError(f"{function} takes one of {', '.join(names)}, found {predicate!r}")


def _extreme(name: str, a: Any, b: Any, fastmath: Flags, keywords: dict[str, Any]) -> Any:
    check_keywords(name, keywords)
    with overriding(fastmath):
        return float_extreme(name, a, b)


def _fold_operands(name: str, operands: tuple[Any, ...], fastmath: Flags, keywords: dict[str, Any]) -> Any:
    check_keywords(name, keywords)
    if not operands:
        raise FrontendError(f"{name} needs at least one operand")
    result = operands[0]
    with overriding(fastmath):
        for operand in operands[1:]:
            result = binary(name, result, operand)
    return result
