"""Comparisons, extremes and divisions by name, with fast-math flags and rounding modes beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

from flydsl.base.arithmetic import maximum_number, minimum_number
from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.ceiling_division import ceildiv
from flydsl.expr.numbers.fast_math import FastMathFlags, Flags, RoundingMode, fastmath, overriding
from flydsl.expr.numbers.folding import wrap_static
from flydsl.expr.numbers.operands import check_keywords, emit_joint, float_operand, integer_operand, is_static
from flydsl.expr.numbers.operators import CMPF, CMPI, binary, emit_comparison, float_extreme, shrui
from flydsl.expr.numbers.promotion import arithmetic_type

if TYPE_CHECKING:
    from flydsl.expr.numbers.operands import Operand
    from flydsl.expr.values.operand_types import ArithmeticT, VectorLike
    from flydsl.expr.values.traced_types import ScalarOrVector

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
    "minnumf",
    "shrui",
]


@overload
def max(*operands: ArithmeticT, fastmath: Flags = None, **kwargs: object) -> ArithmeticT: ...  # type: ignore[overload-overlap]
@overload
def max(*operands: VectorLike, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector: ...
def max(*operands: VectorLike, fastmath: Flags = None, **kwargs: object) -> Operand:
    """The largest of the operands, promoted to one type and broadcast to one shape; NaN propagates."""
    return _fold_operands("maximum", operands, fastmath, kwargs)


@overload
def min(*operands: ArithmeticT, fastmath: Flags = None, **kwargs: object) -> ArithmeticT: ...  # type: ignore[overload-overlap]
@overload
def min(*operands: VectorLike, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector: ...
def min(*operands: VectorLike, fastmath: Flags = None, **kwargs: object) -> Operand:
    """The smallest of the operands, promoted to one type and broadcast to one shape; NaN propagates."""
    return _fold_operands("minimum", operands, fastmath, kwargs)


def maximumf(a: VectorLike, b: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """The larger of two floats; NaN propagates, and 0.0 is larger than -0.0."""
    return _extreme("maximumf", a, b, fastmath, kwargs)


def minimumf(a: VectorLike, b: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """The smaller of two floats; NaN propagates, and -0.0 is smaller than 0.0."""
    return _extreme("minimumf", a, b, fastmath, kwargs)


def maxnumf(a: VectorLike, b: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """The larger of two floats; if one operand is NaN, the other one. Of zeros, either."""
    return _number_extreme("maxnumf", maximum_number, (a, b), fastmath, kwargs)


def minnumf(a: VectorLike, b: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """The smaller of two floats; if one operand is NaN, the other one. Of zeros, either."""
    return _number_extreme("minnumf", minimum_number, (a, b), fastmath, kwargs)


def cmpi(predicate: str | int, lhs: VectorLike, rhs: VectorLike, **kwargs: object) -> ScalarOrVector:
    """Compare integers, as Boolean: `predicate` is eq, ne, slt, sle, sgt, sge, ult, ule, ugt or uge, or its index."""
    check_keywords("cmpi", kwargs)
    operands = integer_operand("cmpi", lhs), integer_operand("cmpi", rhs)
    return _compare("arith.cmpi", CMPI, predicate, operands)


def cmpf(
    predicate: str | int, lhs: VectorLike, rhs: VectorLike, *, fastmath: Flags = None, **kwargs: object
) -> ScalarOrVector:
    """Compare floats, as Boolean: `predicate` is one of oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule,
    une, uno, false and true, or its index; if an operand is NaN, `o...` is false and `u...` is true.
    """
    check_keywords("cmpf", kwargs)
    with overriding(fastmath):
        return _compare("arith.cmpf", CMPF, predicate, (float_operand(lhs), float_operand(rhs)))


def _compare(
    op: str, names: tuple[str, ...], predicate: str | int, operands: tuple[Operand, Operand]
) -> ScalarOrVector:
    name = op.partition(".")[2]
    a, b = operands
    dtype = a.dtype if a.dtype is b.dtype else arithmetic_type(a.dtype, b.dtype)
    return emit_comparison(name, op, _predicate(name, names, predicate), dtype, a, b)


def _predicate(function: str, names: tuple[str, ...], predicate: str | int) -> int:
    if isinstance(predicate, str) and predicate.lower() in names:
        return names.index(predicate.lower())
    if isinstance(predicate, int) and 0 <= predicate < len(names):
        return int(predicate)
    raise FrontendError(f"{function} takes one of {', '.join(names)}, found {predicate!r}")


def _extreme(name: str, a: VectorLike, b: VectorLike, fastmath: Flags, keywords: dict[str, object]) -> ScalarOrVector:
    check_keywords(name, keywords)
    with overriding(fastmath):
        return float_extreme(name, a, b)


def _number_extreme(
    name: str,
    fold: Callable[[float, float], float],
    operands: tuple[VectorLike, VectorLike],
    fastmath: Flags,
    keywords: dict[str, object],
) -> ScalarOrVector:
    check_keywords(name, keywords)
    x, y = (float_operand(operand) for operand in operands)
    if is_static(x) and is_static(y):
        dtype = arithmetic_type(x.dtype, y.dtype)
        return dtype.wrap(fold(*(wrap_static(dtype, operand.value) for operand in (x, y))))  # type: ignore[return-value]
    return emit_joint(name, f"arith.{name}", x, y, fastmath=fastmath)


def _fold_operands(
    name: str, operands: tuple[VectorLike, ...], fastmath: Flags, keywords: dict[str, object]
) -> ScalarOrVector:
    check_keywords(name, keywords)
    if not operands:
        raise FrontendError(f"{name} needs at least one operand")
    result: Any = operands[0]
    with overriding(fastmath):
        for operand in operands[1:]:
            result = binary(name, result, operand)
    return result  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    """Single operations by MLIR's names, such as `minsi`, which the functions above are made of."""
    if name.startswith("__"):
        raise AttributeError(name)
    from flydsl.expr.operations import lookup

    return lookup(name)
