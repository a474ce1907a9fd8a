"""Two functions that compilers of frameworks replace by their own in code that they trace.

A plugin tells its framework so, without a word of it here. The module imports next to nothing: a plugin may load it
whenever its framework is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

EMITTER: ContextVar[Any] = ContextVar("flydsl_emitter", default=None)
"""What a traced kernel or jit function is emitted to; None outside of traces."""


def is_tracing() -> bool:
    """Whether a kernel or jit function is being traced in this context; a framework that traces it says yes."""
    return EMITTER.get() is not None  # a framework's compiler that stops here lacks our plugin for it: import that


def slow_path_call(call: Callable[..., object], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a call that no stub serves, by the method `slow_path_call` of a callable of ours."""
    return call.slow_path_call(args, kwargs)  # type: ignore[attr-defined]
