"""`and` and `or` on static and dynamic operands, evaluated as Python does.

Their value is one of the operands, as in Python; operands that are known only at run time are joined as the values of
two branches are. What is only tested for its truth, such as the condition of an `if`, takes operands of any types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flydsl.expr.numeric import Boolean
from flydsl.frontend.control.regions import emit_if
from flydsl.frontend.control.truth import as_condition, is_dynamic, truth

Body = Callable[[], Any]


def and_(first: Any, *rest: Body) -> Any:
    """`a and b`, evaluating b only where a is true."""
    return _short_circuit(first, rest, stop_on=False, tested=False)


def or_(first: Any, *rest: Body) -> Any:
    """`a or b`, evaluating b only where a is false."""
    return _short_circuit(first, rest, stop_on=True, tested=False)


def all_(first: Any, *rest: Body) -> Any:
    """The truth of `a and b`."""
    return _short_circuit(first, rest, stop_on=False, tested=True)


def any_(first: Any, *rest: Body) -> Any:
    """The truth of `a or b`."""
    return _short_circuit(first, rest, stop_on=True, tested=True)


def _short_circuit(first: Any, rest: Sequence[Body], *, stop_on: bool, tested: bool) -> Any:
    result = first
    for index, read in enumerate(rest):
        if is_dynamic(result):
            return _emit_short_circuit(result, rest[index:], stop_on, tested)
        if truth(result) is stop_on:
            return result
        result = read()
    return result


def _emit_short_circuit(first: Any, rest: Sequence[Body], stop_on: bool, tested: bool) -> Any:
    condition = as_condition(first)
    left = Boolean(stop_on) if tested or condition is first else first

    def evaluate() -> tuple[Any]:
        right = _short_circuit(rest[0](), rest[1:], stop_on=stop_on, tested=tested)
        return (_as_boolean(right) if tested else right,)

    def stop() -> tuple[Any]:
        return (left,)

    then, orelse = (stop, evaluate) if stop_on else (evaluate, stop)
    name = "the condition" if tested else f"the value of `{'or' if stop_on else 'and'}`"
    return emit_if(condition, then, orelse, (name,))[0]


def _as_boolean(value: Any) -> Boolean:
    return as_condition(value) if is_dynamic(value) else Boolean(truth(value))
