"""Elements that threads exchange and choose: numbers, and Vectors, records and tuples of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Boolean, Numeric, as_numeric
from flydsl.expr.struct import Struct
from flydsl.extension.coop.operators import Element


def element(value: Any) -> Element:
    """What a caller passed as an element; Python numbers become Numerics. FrontendError for anything else."""
    if isinstance(value, Numeric | Vector):
        return value
    if isinstance(value, tuple):
        return _remade(value, [element(part) for part in value])
    try:
        return as_numeric(value)
    except FrontendError:
        raise FrontendError(f"threads combine numbers, vectors, records and tuples of them, found {value!r}") from None


def exchanged(value: Element, move: Callable[[Numeric], Numeric]) -> Element:
    """An element whose numbers have moved between threads, one by one."""
    if isinstance(value, tuple):
        return _remade(value, [exchanged(part, move) for part in value])
    if isinstance(value, Vector):
        moved = Vector.from_elements([move(part) for part in value.reshape(value.numel)], value.dtype)
        return moved.flattened_like(value)
    return move(value)


def chosen(condition: Boolean, if_true: Element, if_false: Element) -> Element:
    """One of two elements of one type, without a branch."""
    if isinstance(if_true, tuple):
        return _remade(if_true, [chosen(condition, a, b) for a, b in zip(if_true, if_false, strict=True)])
    return condition.select(if_true, if_false)


def _remade(like: tuple[Any, ...], parts: list[Any]) -> Element:
    if isinstance(like, Struct):
        return type(like)._make(parts)
    return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)
