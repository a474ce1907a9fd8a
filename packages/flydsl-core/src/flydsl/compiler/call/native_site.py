"""Call sites that the native reader of `flydsl-reader` serves, where it is installed: a stub in C for usual arguments.

It launches what it has read and knows a plan for. Everything else, errors too, is left to the generated stub.
"""

from __future__ import annotations

import ctypes
import re
from _ctypes import CFuncPtr
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from struct import calcsize
from typing import TYPE_CHECKING, Any

from flydsl.base import settings
from flydsl.base.log import get_logger
from flydsl.cache.guards import MISSING, Guard
from flydsl.compiler.call.stream import is_no_stream
from flydsl.plugins.selection import choice

if TYPE_CHECKING:
    from flydsl.compiler.call.bound_call import BoundCall
    from flydsl.compiler.call.stub import Plan, Site
    from flydsl_reader import Calls as ReaderCalls
    from flydsl_reader import Site as ReaderSite

INTERFACE = 3
"""The version of `flydsl_reader.Site` and `Calls` that is used here."""


class NativeSite:
    """The reader's part of a site: plans by what it reads of a call. `launch` serves calls."""

    __slots__ = ("_arguments", "_find", "_format", "_site", "launch")

    def __init__(
        self,
        make: Callable[..., ReaderSite],
        arguments: Sequence[tuple[Any, ...]],
        defaults: Sequence[Any],
        site: Site,
        fail: Callable[[int], None],
        guards: Sequence[Guard],
        is_current: Callable[[], bool] | None,
        current_stream: object,
        written: Mapping[Callable[..., object], Sequence[int]],
    ) -> None:
        plans, key = site.plans, site.key
        self._find: Callable[..., Plan | None] = lambda *leaves: plans.get(key(*leaves))
        self._arguments, self._format = arguments, re.compile("<" + "".join(map(_format, arguments)))
        self._site = make(
            tuple(arguments),
            tuple(defaults),
            site.stub,
            self._learn,
            fail,
            tuple(map(_described, guards)),
            is_current,
            current_stream,
            tuple((note, tuple(indices)) for note, indices in written.items()),
        )
        self.launch: Callable[..., None] = self._site.launch

    def serve_in(self, calls: ReaderCalls, types: tuple[type, ...]) -> None:
        """Serve the calls of a function whose arguments have these types."""
        calls.add(types, self._site)

    def add(self, leaves: Sequence[Any], plan: Plan) -> None:
        """Serve calls like one with these leaves by `plan`, if the reader can read them."""
        self._add(self._site.key(*leaves), leaves, plan)

    def _learn(self, leaves: tuple[Any, ...]) -> None:
        """Take over the plan that the stub has for these leaves, if they stay as they are meanwhile."""
        key = self._site.key(*leaves)
        plan = self._find(*leaves)
        if plan is not None:
            self._add(key, leaves, plan)

    def _add(self, key: bytes | None, leaves: Sequence[Any], plan: Plan) -> None:
        launch, table, module, ordinal, pack, device, *values = plan
        if key is None or not isinstance(launch, CFuncPtr) or not self._format.fullmatch(pack.__self__.format):
            return
        rest = iter(values)
        parts = tuple((next(rest), next(rest)) if kind in _TENSORS else None for kind, *_ in self._arguments)
        address = ctypes.cast(launch, ctypes.c_void_p).value or 0
        launcher = (address, table.value or 0, module.value or 0, ordinal)
        self._site.add(key, tuple(leaves), parts, launcher, device, plan)


_TENSORS = frozenset({"exchange", "header"})
_BLOCK = 8


def native_site(
    call: BoundCall,
    site: Site,
    *,
    fail: Callable[[int], None],
    is_current: Callable[[], bool] | None,
    guards: Sequence[Guard] = (),
) -> NativeSite | None:
    """The reader's part of a site for calls like `call`; None when there is no reader, or it cannot read them.

    Its plans count while the `guards`, which compare identities, hold, and `is_current` says so.
    """
    make = reader()
    if make is None or site.current is not None:
        return None
    arguments: list[tuple[Any, ...]] = []
    notes: dict[Callable[..., object], list[int]] = {}
    passed = len(call.passed_leaves)
    for index, argument in enumerate(call.arguments):
        is_written = index in site.written
        description = None if argument.convert is not None else argument.native(is_written)
        if description is None:
            return None
        if index >= passed and is_no_stream(call.leaves.values[index]):
            description = ("no stream", description[1])  # a default, which guards watch: nothing is to be asked of it
        arguments.append(description)
        note = argument.native_note() if is_written else None
        if note is not None:
            notes.setdefault(note, []).append(index)
    steady = {(id(guard.owner), guard.name): guard for one in call.arguments for guard in one.native_guards()}
    guards = (*guards, *steady.values())
    defaults = call.leaves.values[passed:]
    if site.pair is not None:
        guards = (Guard("attribute", choice, "pair", site.pair), *guards)
    asked = (argument.native_streams(site.current_stream) for argument in call.arguments)
    stream = next((one for one in asked if one is not None), site.current_stream)
    try:
        return NativeSite(make, arguments, defaults, site, fail, guards, is_current, stream, notes)
    except (TypeError, ValueError) as error:  # too many arguments, or a plugin that describes its tensors wrongly
        get_logger(__name__).info("calls are left to the generated stub: %s", error)
        return None


def reader() -> Callable[..., ReaderSite] | None:
    """What makes the reader's part of a site; None: generated stubs alone serve calls."""
    return _installed()[0] if settings.runtime.native_reader else None


def reader_calls() -> ReaderCalls | None:
    """What serves the calls of one function, once sites are added; None without a reader."""
    if reader() is None:
        return None
    from flydsl_reader import Calls

    return Calls()


def describe_reader() -> str:
    """What serves calls, and why, for `flydsl doctor`."""
    if not settings.runtime.native_reader:
        return "generated stubs: FLYDSL_RUNTIME_NATIVE_READER is off"
    make, reason = _installed()
    return f"generated stubs: {reason}" if make is None else reason


@cache
def _installed() -> tuple[Callable[..., ReaderSite] | None, str]:
    try:
        import flydsl_reader
    except ImportError as error:
        return None, f"flydsl-reader is not installed ({error})"
    if flydsl_reader.INTERFACE != INTERFACE:
        return None, f"flydsl-reader has interface {flydsl_reader.INTERFACE}, and {INTERFACE} is needed"
    return flydsl_reader.Site, "flydsl-reader, in C"


def _described(guard: Guard) -> tuple[str, Any, str, Any]:
    """A guard as the reader takes it: what was missing is an item of its own kind."""
    kind, owner, name, value = guard
    return ("absent", owner, name, None) if kind == "item" and value is MISSING else (kind, owner, name, value)


def _format(argument: Sequence[Any]) -> str:
    """A pattern of what `struct` packs the argument by: the reader packs by the same rules, or not at all."""
    kind = argument[0]
    if kind in _TENSORS:
        return r"Q\d+s"
    if kind == "number":
        return "(?:i4x|q)" if argument[1] == "n" else re.escape(_padded(argument[1]))
    return "" if kind == "constant" else "Q"


def _padded(letter: str) -> str:
    padding = _BLOCK - calcsize("<" + letter)
    return letter + (f"{padding}x" if padding else "")
