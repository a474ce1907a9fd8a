"""The truth of a condition: a Python bool where it is static, one Boolean where it is dynamic."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.int_tuple import IntTuple
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Boolean, Numeric, as_numeric
from flydsl.expr.values.wrap import box


def is_dynamic(value: Any) -> bool:
    """Whether a condition is known only at run time."""
    if isinstance(value, Numeric | IntTuple):
        return not value.is_static
    return isinstance(value, Vector | SSAValue)


def truth(value: Any) -> bool:
    """The truth of a static condition."""
    return bool(value.value) if isinstance(value, Numeric) else bool(value)


def as_condition(value: Any) -> Boolean:
    """A dynamic condition as one Boolean."""
    if isinstance(value, SSAValue):  # of raw bindings
        value = box(value)
    if isinstance(value, Vector):
        raise FrontendError(f"a condition must be one Boolean, found {value!r}; use .select() or reduce it")
    scalar = as_numeric(value)
    return scalar if isinstance(scalar, Boolean) else Boolean(scalar)
