"""The running trace: the current emitter, carried by a context variable."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, cast

from flydsl.base.errors import FrontendError, NoTraceError
from flydsl.base.interception import EMITTER
from flydsl.base.interception import is_tracing as is_tracing
from flydsl.expr.tracing.interruptions import is_part_of_trace

if TYPE_CHECKING:
    from flydsl.expr.values.emitter import Emitter

_INTERPRETED: ContextVar[bool] = ContextVar("flydsl_interpreted", default=False)


def refuse_tracing(function: str, what: str) -> None:
    """Refuse what would run at once, and not become a part of the trace."""
    if is_part_of_trace():
        raise FrontendError(
            f"{function!r} is {what} inside of a traced function, where that happens while tracing and is no part of "
            f"the code; call the @flyc.jit function {function!r} itself there, or do this in Python outside"
        )


def current() -> Emitter:
    """The running emitter; raises `NoTraceError` outside of a traced function."""
    emitter = cast("Emitter | None", EMITTER.get())
    if emitter is None:
        raise NoTraceError(
            "this operation builds device code, and no kernel is being traced; "
            "call it inside a function decorated with @flyc.kernel or @flyc.jit"
        )
    return emitter


@contextmanager
def tracing(emitter: Emitter) -> Iterator[Emitter]:
    """Make `emitter` the current one within the block."""
    token = EMITTER.set(emitter)
    try:
        yield emitter
    finally:
        EMITTER.reset(token)


def is_interpreted() -> bool:
    """Whether the running trace is for the interpreter."""
    return _INTERPRETED.get()


@contextmanager
def interpreting() -> Iterator[None]:
    """Traces within the block are for the interpreter, which can stop in a debugger."""
    token = _INTERPRETED.set(True)
    try:
        yield
    finally:
        _INTERPRETED.reset(token)
