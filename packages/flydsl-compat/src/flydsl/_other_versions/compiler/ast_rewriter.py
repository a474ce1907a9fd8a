"""Names of `flydsl.compiler.ast_rewriter`: control flow by calls, as rewritten code of other versions has it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from flydsl.backend.language import emit_if
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
        names, values = tuple(result_names or state_names), tuple(result_values or state_values)
        if len(names) != len(values):
            raise FrontendError(f"scf_if_dispatch has {len(names)} names for {len(values)} values")
        then, orelse = partial(_outcome, then_fn, names, values), partial(_outcome, else_fn, names, values)
        condition = cond if isinstance(cond, bool) else as_numeric(cond)
        if isinstance(condition, bool) or condition.is_static:
            joined = then() if condition else orelse()
        else:
            absent = [name for name, value in zip(names, values, strict=True) if value is None]
            if absent:
                raise FrontendError(f"{absent[0]!r} is None before a branch on a value of the device; give it a value")
            joined = emit_if(Boolean(condition), then, orelse, names)
        return None if not names else joined[0] if len(names) == 1 else tuple(joined)


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
