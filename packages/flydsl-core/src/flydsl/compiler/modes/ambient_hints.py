"""Compile hints for all calls of a block: `with CompilationContext.compile_hints({...})`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flydsl.compiler.modes.call_mode import call_mode, changed_mode, is_interpreting
from flydsl.compiler.options.hints import Hints, frozen_hints

if TYPE_CHECKING:
    from flydsl.compiler.call.sites import Sites
    from flydsl.compiler.jit import JitFunction


def ambient_hints() -> Hints:
    """The hints of the blocks around, in this context."""
    return call_mode().hints


@contextmanager
def hinting_block(hints: Hints) -> Iterator[None]:
    """Compile calls of the block with `hints` besides those of outer blocks; the inner ones count if not None.

    ArgumentError for a name or a value that is no hint.
    """
    given = {name: value for name, value in frozen_hints(hints).items() if value is not None}
    with changed_mode(hints=frozen_hints({**ambient_hints(), **given})):
        yield


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
