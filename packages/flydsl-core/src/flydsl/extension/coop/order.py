"""The order of keys in sorts by comparisons: total, with NaN behind all numbers, as NumPy has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from flydsl.expr.numeric import Boolean, Numeric

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import ScalarLike
    from flydsl.expr.values.traced_types import Item


Compared: TypeAlias = "Callable[[Item, Item], ScalarLike]"
"""Whether the first of two keys goes before the second."""


def goes_before(a: Numeric, b: Numeric) -> Boolean:
    """Whether key a is the smaller one; every number is smaller than NaN. -0.0 and 0.0 are equal, as are NaNs."""
    if getattr(getattr(a, "dtype", None), "is_float", False):
        return Boolean(a == a) & ~Boolean(b <= a)  # the second comparison is false for a NaN on either side
    return Boolean(a < b)
