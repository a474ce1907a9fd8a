"""`flyc.interpret`: the kernels of a @jit function executed in Python, with every access checked.

Three ways: `flyc.interpret(function)(*args)` for one call, `with flyc.interpret():` for the calls of a block, and
FLYDSL_INTERPRET=1 for those of a process.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, overload

from flydsl.base.errors import ArgumentError
from flydsl.compiler.jit import JitFunction
from flydsl.compiler.modes.call_mode import changed_mode
from flydsl.expr.tracing.context import refuse_tracing


@overload
def interpret(function: None = None) -> AbstractContextManager[None]: ...
@overload
def interpret(function: Callable[..., None]) -> Callable[..., None]: ...
def interpret(function: Callable[..., None] | None = None) -> AbstractContextManager[None] | Callable[..., None]:
    """A callable that interprets calls of `function`; without one, a context manager that interprets all calls.

    Tensors are those of the host. The checks raise `KernelError`s: accesses outside of a tensor, use of memory that
    nobody wrote, data races, barriers that not all threads reach, deadlocks. `breakpoint()` stops in a debugger.
    """
    if function is None:
        return changed_mode(interpreted=True)
    if isinstance(function, partial) and isinstance(function.func, JitFunction):  # as a method of an instance is
        return partial(_caller(function.func), *function.args, **function.keywords)
    if not isinstance(function, JitFunction):
        raise ArgumentError(
            f"interpret takes a function decorated with @flyc.jit, found {type(function).__name__}; "
            "without an argument it interprets the calls of a with statement"
        )
    return _caller(function)


def _caller(function: JitFunction) -> Callable[..., None]:
    def call(*args: Any, **kwargs: Any) -> None:
        from flydsl.compiler.modes.interpreted_call import interpret_call

        refuse_tracing(function.__name__, "interpreted")
        interpret_call(function, args, kwargs)

    return call
