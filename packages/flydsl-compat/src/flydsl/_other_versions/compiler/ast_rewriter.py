"""Names of `flydsl.compiler.ast_rewriter`: control flow by calls, as rewritten code of other versions has it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from flydsl.backend.language import emit_for, emit_if, loop_range
from flydsl.base.errors import FrontendError
from flydsl.expr import Boolean, as_numeric

Branch = Callable[..., Any]


class ReplaceIfWithDispatch:
    """Branches whose paths are functions."""

    @staticmethod
    def scf_if_dispatch(
        cond: Any,
        then_fn: Branch,
        else_fn: Branch | None = None,
        *,
        result_names: Sequence[str] = (),
        result_values: Sequence[Any] = (),
        state_names: Sequence[str] = (),
        state_values: Sequence[Any] = (),
    ) -> Any:
        """`then_fn` where `cond` is true, else `else_fn`: nothing, the new value of the one name, or a tuple of values.

        Paths are called with the names and values, or with the values only, and return a dict of new values by name,
        a tuple or list of all of them, one value, or None, which changes nothing. A condition that is known while
        tracing chooses one of them; for another one no value may be None.
        """
        names, values = _state("scf_if_dispatch", result_names or state_names, result_values or state_values)
        then, orelse = partial(_outcome, then_fn, names, values), partial(_outcome, else_fn, names, values)
        condition = cond if isinstance(cond, bool) else as_numeric(cond)
        if isinstance(condition, bool) or condition.is_static:
            joined = then() if condition else orelse()
        else:
            _check_present(names, values, "a branch on a value of the device")
            joined = emit_if(Boolean(condition), then, orelse, names)
        return _given(joined)


class InsertEmptyYieldForSCFFor:
    """Loops whose bodies are functions."""

    @staticmethod
    def scf_for_dispatch(
        start: Any,
        stop: Any,
        step: Any,
        body_fn: Branch,
        *,
        result_names: Sequence[str] = (),
        result_values: Sequence[Any] = (),
        state_names: Sequence[str] = (),
        state_values: Sequence[Any] = (),
    ) -> Any:
        """A loop of the device: nothing, the last value of the one name, or a tuple of last values.

        `body_fn` is called with the number of the iteration, then as a path of `scf_if_dispatch` is, and returns what
        such a path does.
        """
        names, values = _state("scf_for_dispatch", result_names or state_names, result_values or state_values)
        _check_present(names, values, "a loop")

        def iteration(index: Any, *now: Any) -> tuple[Any, ...]:
            return _outcome(partial(body_fn, index), names, now)

        return _given(emit_for(loop_range((start, stop, step)), iteration, names, values))


def _state(function: str, names: Sequence[str], values: Sequence[Any]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    if len(names) != len(values):
        raise FrontendError(f"{function} has {len(names)} names for {len(values)} values")
    return tuple(names), tuple(values)


def _check_present(names: tuple[str, ...], values: tuple[Any, ...], before: str) -> None:
    absent = [name for name, value in zip(names, values, strict=True) if value is None]
    if absent:
        raise FrontendError(f"{absent[0]!r} is None before {before}; give it a value")


def _given(values: Sequence[Any]) -> Any:
    return None if not values else values[0] if len(values) == 1 else tuple(values)


def _outcome(path: Branch | None, names: tuple[str, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values after a path."""
    result = None if path is None else _called(path, names, values)
    if result is None:
        return values
    if isinstance(result, Mapping):
        return tuple(result.get(name, value) for name, value in zip(names, values, strict=True))
    if isinstance(result, list | tuple) and len(result) == len(names):
        return tuple(result)
    if len(names) == 1:
        return (result,)
    raise FrontendError(f"a path of a branch gives values of {', '.join(names) or 'no names'}, found {result!r}")


def _called(path: Branch, names: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    try:
        inspect.signature(path).bind(names, *values)
    except TypeError:
        return path(*values)
    return path(names, *values)
