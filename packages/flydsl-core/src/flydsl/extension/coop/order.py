"""The order of keys in sorts by comparisons: total, with NaN behind all numbers, as NumPy has it."""

from __future__ import annotations

from typing import Any

from flydsl.expr.numeric import Boolean


def goes_before(a: Any, b: Any) -> Boolean:
    """Whether key a is the smaller one; every number is smaller than NaN. -0.0 and 0.0 are equal, as are NaNs."""
    if getattr(getattr(a, "dtype", None), "is_float", False):
        return Boolean(a == a) & ~Boolean(b <= a)  # the second comparison is false for a NaN on either side
    return Boolean(a < b)
