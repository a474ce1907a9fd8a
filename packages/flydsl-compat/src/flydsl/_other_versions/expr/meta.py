"""Names of `flydsl.expr.meta`: options that helpers of a trace read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from types import MappingProxyType
from typing import Any

_OPTIONS: ContextVar[Mapping[str, Any]] = ContextVar("flydsl_tracing_options", default=MappingProxyType({}))


def tracing_option(key: str, default: Any = None) -> Any:
    """The option `key` of the innermost context that has it."""
    return _OPTIONS.get().get(key, default)


def tracing_context(func: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Options for a `with` block, or, as a decorator, for the calls of a function."""
    if func is None:
        return _with(options)

    @wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with _with(options):
            return func(*args, **kwargs)

    return call


@contextmanager
def _with(options: Mapping[str, Any]) -> Iterator[None]:
    token = _OPTIONS.set(MappingProxyType({**_OPTIONS.get(), **options}))
    try:
        yield
    finally:
        _OPTIONS.reset(token)
