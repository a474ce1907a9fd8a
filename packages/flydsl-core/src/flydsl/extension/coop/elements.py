"""Elements that threads exchange and choose: numbers, and Vectors, records and tuples of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Boolean, Numeric, as_numeric
from flydsl.expr.struct import Struct
from flydsl.extension.coop.operators import Element


def element(value: Element) -> Element:
    """What a caller passed as an element; Python numbers become Numerics. FrontendError for anything else."""
    if isinstance(value, Numeric | Vector):
        return value
    if isinstance(value, tuple):
        return _remade(value, [element(part) for part in value])
    given: Any = value
    try:
        number: Element = as_numeric(given)  # type: ignore[assignment]
    except FrontendError:
        raise FrontendError(f"threads combine numbers, vectors, records and tuples of them, found {value!r}") from None
    return number


def exchanged(value: Element, move: Callable[[Numeric], Numeric]) -> Element:
    """An element whose numbers have moved between threads, one by one."""
    if isinstance(value, tuple):
        return _remade(value, [exchanged(part, move) for part in value])
    moved: Any
    if isinstance(value, Vector):
        moved = Vector.from_elements([move(part) for part in value.reshape(value.numel)], value.dtype)
        moved = moved.flattened_like(value)
    else:
        moved = move(value)  # type: ignore[arg-type]
    result: Element = moved
    return result


def chosen(condition: Boolean, if_true: Element, if_false: Element) -> Element:
    """One of two elements of one type, without a branch."""
    if isinstance(if_true, tuple) and isinstance(if_false, tuple):
        return _remade(if_true, [chosen(condition, a, b) for a, b in zip(if_true, if_false, strict=True)])
    selected: Element = condition.select(if_true, if_false)  # type: ignore[arg-type, assignment]
    return selected


def _remade(like: Element, parts: list[object]) -> Element:
    kind: Any = type(like)
    if isinstance(like, Struct):
        return kind._make(parts)  # type: ignore[no-any-return]
    made: Any = kind(*parts) if hasattr(like, "_fields") else tuple(parts)
    return made  # type: ignore[no-any-return]
