"""Conditions of the user's code in, their truth or one Boolean out, with `and` and `or` evaluated as Python does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.int_tuple import IntTuple
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Boolean, Numeric, as_numeric
from flydsl.frontend.regions import emit_if

Body = Callable[[], Any]


def is_dynamic(value: Any) -> bool:
    """Whether a condition is known only at run time."""
    return (isinstance(value, Numeric | IntTuple) and not value.is_static) or isinstance(value, Vector)


def truth(value: Any) -> bool:
    """The truth of a static condition."""
    return bool(value.value) if isinstance(value, Numeric) else bool(value)


def as_condition(value: Any) -> Boolean:
    """A dynamic condition as one Boolean."""
    if isinstance(value, Vector):
        raise FrontendError(f"a condition must be one Boolean, found {value!r}; use .select() or reduce it")
    scalar = as_numeric(value)
    return scalar if isinstance(scalar, Boolean) else Boolean(scalar)


def and_(first: Any, *rest: Body) -> Any:
    """`a and b`, evaluating b only where a holds."""
    return _short_circuit(first, rest, stop_on=False)


def or_(first: Any, *rest: Body) -> Any:
    """`a or b`, evaluating b only where a does not hold."""
    return _short_circuit(first, rest, stop_on=True)


def _short_circuit(first: Any, rest: Sequence[Body], *, stop_on: bool) -> Any:
    result = first
    for index, read in enumerate(rest):
        if is_dynamic(result):
            return _emit_short_circuit(as_condition(result), rest[index:], stop_on)
        if truth(result) is stop_on:
            return result
        result = read()
    return result


def _emit_short_circuit(condition: Boolean, rest: Sequence[Body], stop_on: bool) -> Any:
    def stop() -> tuple[Any]:
        return (Boolean(stop_on),)

    def evaluate() -> tuple[Any]:
        return (_as_boolean(_short_circuit(rest[0](), rest[1:], stop_on=stop_on)),)

    then, orelse = (stop, evaluate) if stop_on else (evaluate, stop)
    return emit_if(condition, then, orelse, ("the condition",))[0]


def _as_boolean(value: Any) -> Boolean:
    return as_condition(value) if is_dynamic(value) else Boolean(truth(value))
