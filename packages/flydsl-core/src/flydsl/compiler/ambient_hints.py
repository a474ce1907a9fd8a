"""Compile hints for all calls of a block: `with CompilationContext.compile_hints({...})`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from flydsl.compiler.hints import NO_HINTS, Hints, frozen_hints
from flydsl.compiler.interpreting import blocks, is_interpreting

if TYPE_CHECKING:
    from flydsl.compiler.call.sites import Sites
    from flydsl.compiler.jit import JitFunction

_HINTS: ContextVar[Hints] = ContextVar("flydsl_compile_hints", default=NO_HINTS)


def ambient_hints() -> Hints:
    """The hints of the blocks around, in this context."""
    return _HINTS.get()


@contextmanager
def hinting_block(hints: Hints) -> Iterator[None]:
    """Compile calls of the block with `hints` besides those of outer blocks; the inner ones count if not None.

    ArgumentError for a name or a value that is no hint.
    """
    given = {name: value for name, value in frozen_hints(hints).items() if value is not None}
    token = _HINTS.set(frozen_hints({**_HINTS.get(), **given}))
    blocks.add(1)
    try:
        yield
    finally:
        blocks.add(-1)
        _HINTS.reset(token)


class HintedCalls:
    """The calls of a function inside of blocks with some hints: they have stubs of their own."""

    __slots__ = ("_function", "_sites")

    def __init__(self, function: JitFunction, sites: Sites) -> None:
        self._function, self._sites = function, sites

    def __call__(self, *values: Any) -> None:
        """Launch for these arguments, all by position."""
        stub = self._sites.stubs.get(tuple(map(type, values)))
        return self._miss(values) if stub is None else stub(*values)

    def _miss(self, values: tuple[Any, ...]) -> None:
        if is_interpreting():
            self._function(*values)
            return None
        return self._function.launch_by(self._sites, values, self._miss)
