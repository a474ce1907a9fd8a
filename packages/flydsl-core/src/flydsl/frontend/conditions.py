"""`and` and `or` on static and dynamic operands, evaluated as Python does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flydsl.expr.numeric import Boolean
from flydsl.frontend.regions import emit_if
from flydsl.frontend.truth import as_condition, is_dynamic, truth

Body = Callable[[], Any]


def and_(first: Any, *rest: Body) -> Any:
    """`a and b`, evaluating b only where a is true."""
    return _short_circuit(first, rest, stop_on=False)


def or_(first: Any, *rest: Body) -> Any:
    """`a or b`, evaluating b only where a is false."""
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
