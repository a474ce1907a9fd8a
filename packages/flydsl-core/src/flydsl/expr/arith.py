"""Comparisons, extremes and divisions by name, with fast-math flags and rounding modes beside them."""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers import casts
from flydsl.expr.numbers.fast_math import FastMathFlags, Flags, RoundingMode, fastmath, overriding
from flydsl.expr.numbers.operands import check_keywords, emit_joint, float_operand, integer_operand, is_known, wrapped
from flydsl.expr.numbers.operators import binary
from flydsl.expr.numbers.promotion import arithmetic_type
from flydsl.expr.numeric import Boolean
from flydsl.expr.tracing.context import current

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
    return _fold_operands("maximum", (float_operand("maximumf", a), float_operand("maximumf", b)), fastmath, kwargs)


def minimumf(a: Any, b: Any, *, fastmath: Flags = None, **kwargs: Any) -> Any:
    """The smaller of two floats; NaN propagates, and -0.0 is smaller than 0.0."""
    return _fold_operands("minimum", (float_operand("minimumf", a), float_operand("minimumf", b)), fastmath, kwargs)


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


def shrui(value: Any, amount: Any, *, is_exact: bool | None = None, **kwargs: Any) -> Any:
    """An integer shifted right with zeros coming in, also of a signed type; `is_exact`: no set bit is lost."""
    check_keywords("shrui", kwargs)
    operand, count = integer_operand("shrui", value), integer_operand("shrui", amount)
    if is_known(operand) and is_known(count):
        if not 0 <= count.value < operand.dtype.width:
            raise FrontendError(f"shrui of a {operand.dtype.__name__} by {count.value!r} bits")
        return operand.dtype((int(operand.value) & ((1 << operand.dtype.width) - 1)) >> count.value)
    shape = operand.shape if operand.shape is not None else count.shape
    lanes = [casts.lanes(one, operand.dtype, shape) for one in (operand, count)]
    exact = {"isExact": current().unit()} if is_exact else {}
    result = current().value("arith.shrui", lanes, lanes[0].type, properties=exact)
    return wrapped(result, shape, operand.dtype)


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
    number = _predicate(op.partition(".")[2], names, predicate)
    a, b = operands
    dtype = a.dtype if a.dtype is b.dtype else arithmetic_type(a.dtype, b.dtype)
    if a.shape is not None and b.shape is not None and a.shape != b.shape:
        raise FrontendError(f"{op.partition('.')[2]} needs vectors of one shape, found {a.shape} and {b.shape}")
    shape = a.shape if a.shape is not None else b.shape
    emitter = current()
    lanes = [casts.lanes(one, dtype, shape) for one in operands]
    properties = {"predicate": emitter.integer(number, 64)}
    return wrapped(emitter.value(op, lanes, emitter.type(Boolean, shape), properties=properties), shape, Boolean)


def _predicate(function: str, names: tuple[str, ...], predicate: Any) -> int:
    if isinstance(predicate, str) and predicate.lower() in names:
        return names.index(predicate.lower())
    if isinstance(predicate, int) and 0 <= predicate < len(names):
        return int(predicate)
    raise FrontendError(f"{function} takes one of {', '.join(names)}, found {predicate!r}")


def _fold_operands(name: str, operands: tuple[Any, ...], fastmath: Flags, keywords: dict[str, Any]) -> Any:
    check_keywords(name, keywords)
    if not operands:
        raise FrontendError(f"{name} needs at least one operand")
    result = operands[0]
    with overriding(fastmath):
        for operand in operands[1:]:
            result = binary(name, result, operand)
    return result
