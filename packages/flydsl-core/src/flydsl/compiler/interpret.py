"""`flyc.interpret`: a @jit function in, its kernels executed in Python with every access checked out.

Three ways: `flyc.interpret(function)(*args)` for one call, `with flyc.interpret():` for the calls of a block, and
FLYDSL_INTERPRET=1 for those of a process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any

from flydsl.base import settings
from flydsl.base.errors import ArgumentError
from flydsl.expr.tracing.context import is_tracing

if TYPE_CHECKING:
    from flydsl.compiler.jit import JitFunction

_INTERPRETING: ContextVar[bool] = ContextVar("flydsl_interpreting", default=False)
_LOCK = threading.Lock()


def interpret(function: JitFunction | None = None) -> Any:
    """A callable that interprets calls of `function`; without one, a context manager that interprets all calls.

    Tensors are those of the host. The checks raise `KernelError`s: accesses outside of a tensor, use of memory that
    nobody wrote, data races, barriers that not all threads reach, deadlocks. `breakpoint()` stops in a debugger.
    """
    if function is None:
        return _interpreting()
    from flydsl.compiler.jit import JitFunction

    if isinstance(function, partial) and isinstance(function.func, JitFunction):  # as a method of an instance is
        return partial(_caller(function.func), *function.args, **function.keywords)
    if not isinstance(function, JitFunction):
        raise ArgumentError(
            f"interpret takes a function decorated with @flyc.jit, found {type(function).__name__}; "
            "without an argument it interprets the calls of a with statement"
        )
    return _caller(function)


def is_interpreting() -> bool:
    """Whether calls of this context are interpreted."""
    return _INTERPRETING.get() or settings.debug.interpret


def _caller(function: JitFunction) -> Callable[..., None]:
    def call(*args: Any, **kwargs: Any) -> None:
        from flydsl.compiler.interpreted_call import interpret_call

        interpret_call(function, args, kwargs)

    return call


@contextmanager
def _interpreting() -> Iterator[None]:
    token = _INTERPRETING.set(True)
    _Door.open()
    try:
        yield
    finally:
        _Door.close()
        _INTERPRETING.reset(token)


class _Door:
    """Functions that were called before launch without asking anything: calls go another way while a block is open.

    The way costs nothing outside of such a block; other threads are sent on as usual.
    """

    blocks = 0
    usual: Any = None

    @classmethod
    def open(cls) -> None:
        from flydsl.compiler.jit import JitFunction

        with _LOCK:
            if cls.blocks == 0:
                cls.usual = JitFunction.__call__
                JitFunction.__call__ = _call  # type: ignore[method-assign, assignment]
            cls.blocks += 1

    @classmethod
    def close(cls) -> None:
        from flydsl.compiler.jit import JitFunction

        with _LOCK:
            cls.blocks -= 1
            if cls.blocks == 0:
                JitFunction.__call__ = cls.usual  # type: ignore[method-assign]


def _call(function: JitFunction, *args: Any, **kwargs: Any) -> None:
    if _INTERPRETING.get() and not is_tracing():
        _caller(function)(*args, **kwargs)
    else:
        _Door.usual(function, *args, **kwargs)
