"""Division of floats with a quotient that is rounded down, from C's remainder, which is exact: Python's `//` and `%`.

The quotient a / b itself does not do: it may round up to a whole number that it does not reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.expr.numbers import casts
from flydsl.expr.numbers.fast_math import FastMathFlags, overriding
from flydsl.expr.numbers.float_functions import unary
from flydsl.expr.numbers.operands import shaping
from flydsl.expr.numbers.registry import named
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.numbers.operands import Operand
    from flydsl.expr.values.traced_types import Scalar, ScalarOrVector


def floor_division(name: str, dtype: type[Numeric], lhs: Operand, rhs: Operand) -> ScalarOrVector:
    """The `floordiv` or `mod` of floats of type `dtype`, whatever the fast-math flags; narrow ones in single precision.

    `flydsl.base.arithmetic.floor_division` is what it computes.
    """
    target = shaping(name, lhs, rhs)
    wide = dtype if dtype.width == 64 else named("Float32")
    # by way of `dtype`, which a literal is rounded to
    a, b = (target._like(casts.broadcast_as(operand, dtype, target.extents), dtype).to(wide) for operand in (lhs, rhs))
    with overriding(FastMathFlags.none):
        rest = a._like(current().value("arith.remf", [a.value, b.value], a.value.type), wide)
        differs = (rest != 0.0) & ((rest < 0.0) != (b < 0.0))
        result = _modulus(b, rest, differs) if name == "mod" else _quotient(a, b, rest, differs)
        return result.to(dtype)  # type: ignore[no-any-return]


def _modulus(b: Scalar, rest: Scalar, differs: Scalar) -> Scalar:
    """`rest` with the sign of `b`."""
    zero = (b < 0.0).select(b.dtype.wrap(-0.0), b.dtype.wrap(0.0))
    return (rest == 0.0).select(zero, differs.select(rest + b, rest))  # type: ignore[return-value]


def _quotient(a: Scalar, b: Scalar, rest: Scalar, differs: Scalar) -> Scalar:
    """The whole number of times that `b` fits; a / b for a `b` of 0."""
    count = (b == 0.0).select(a, a - rest) / b
    count = differs.select(count - 1.0, count)
    whole = unary("floor", count)
    whole = (count - whole > 0.5).select(whole + 1.0, whole)
    zero = a * 0.0
    return (count == 0.0).select((b < 0.0).select(-zero, zero), whole)  # type: ignore[return-value]
