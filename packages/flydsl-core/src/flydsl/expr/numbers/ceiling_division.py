"""Division of integers with a quotient that is rounded up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.expr.numbers.operands import check_keywords, integer_operand
from flydsl.expr.numbers.operators import binary

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import VectorLike
    from flydsl.expr.values.traced_types import ScalarOrVector


def ceildiv(lhs: VectorLike, rhs: VectorLike, **kwargs: object) -> ScalarOrVector:
    """The quotient lhs / rhs of two integers, rounded up."""
    check_keywords("ceildiv", kwargs)
    a, b = integer_operand("ceildiv", lhs), integer_operand("ceildiv", rhs)
    down = binary("floordiv", a, b)
    return down + (binary("mul", down, b) != a)  # type: ignore[no-any-return]
