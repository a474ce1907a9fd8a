"""Calls of a @jit function from code that relies on what they write, such as the graph of a framework."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.base.errors import RuntimeFailure
from flydsl.compiler.call.sites import Sites
from flydsl.compiler.modes.call_mode import blocks, is_interpreting

if TYPE_CHECKING:
    from flydsl.compiler.call.prepared_call import PreparedCall
    from flydsl.compiler.jit import JitFunction


class WriteCheckedCalls:
    """Calls as fast as others, which notice what the function reads as others do, and write only what they may.

    A global that has changed since the caller was told may let a kernel write another argument: that is refused.
    """

    __slots__ = ("_function", "_sites", "_stubs", "_written")

    def __init__(self, function: JitFunction, sites: Sites, written: frozenset[int]) -> None:
        self._function, self._sites, self._written = function, sites, written
        self._stubs = sites.stubs

    def __call__(self, *values: Any) -> None:
        """Launch for these arguments, which are all of them, by position."""
        stub = self._stubs.get(tuple(map(type, values)))
        if stub is None or blocks.open:
            return self._miss(values)
        return stub(*values)

    def _miss(self, values: tuple[Any, ...]) -> None:
        if is_interpreting():
            self._function(*values)
            return None
        return self._function.launch_by(self._sites, values, self._miss, self._check)

    def _check(self, prepared: PreparedCall) -> None:
        more = sorted(prepared.written - self._written)
        if more:
            names = ", ".join(repr(prepared.call.arguments[index].parameter.name) for index in more)
            raise RuntimeFailure(
                f"{self._function.__name__!r} writes {names} now, which it did not when this code was traced: a value "
                "that it reads has changed since; trace anew"
            )
