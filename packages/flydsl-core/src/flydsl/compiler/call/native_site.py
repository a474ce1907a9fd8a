"""Call sites that the native reader of `flydsl-reader` serves, where it is installed: a stub in C for usual arguments.

It launches what it has read and knows a plan for. Everything else, errors too, is left to the generated stub.
"""

from __future__ import annotations

import ctypes
import re
from _ctypes import CFuncPtr
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from struct import calcsize
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from flydsl.base import settings
from flydsl.base.errors import ArgumentError
from flydsl.base.process.log import get_logger
from flydsl.cache.guards import MISSING, Guard, checker, holds, plain_dict
from flydsl.compiler.call.stream import is_no_stream
from flydsl.plugins.active.selection import choice

if TYPE_CHECKING:
    from flydsl.compiler.call.bound_call import BoundCall
    from flydsl.compiler.call.stub import Plan, Site
    from flydsl_reader import Calls as ReaderCalls
    from flydsl_reader import Site as ReaderSite

INTERFACE = 4
"""The version of `flydsl_reader.Site` and `Calls` that is used here."""


class NativeSite:
    """The reader's part of a site: plans by what it reads of a call. `launch` serves calls."""

    __slots__ = ("_arguments", "_checks", "_find", "_format", "_site", "launch")

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
        self._checks = ConstantChecks(is_current, guards) if any(map(_may_change, arguments)) else None
        self._site = make(
            tuple(arguments),
            tuple(defaults),
            site.stub,
            self._learn,
            fail,
            tuple(map(_described, guards)),
            is_current if self._checks is None else self._checks,
            current_stream,
            tuple((note, tuple(indices)) for note, indices in written.items()),
        )
        self.launch: Callable[..., None] = self._site.launch

    def serve_in(self, calls: ReaderCalls, types: tuple[type, ...]) -> None:
        """Serve the calls of a function whose arguments have these types."""
        calls.add(types, self._site)

    def add(self, leaves: Sequence[Any], plan: Plan) -> None:
        """Serve calls like one with these leaves by `plan`, if the reader can read them."""
        if self._watch(leaves):
            self._add(self._site.key(*leaves), leaves, plan)

    def _learn(self, leaves: tuple[Any, ...]) -> None:
        """Take over the plan that the stub has for these leaves, if they stay as they are meanwhile."""
        if not self._watch(leaves):
            return
        key = self._site.key(*leaves)
        plan = self._find(*leaves)
        if plan is not None:
            self._add(key, leaves, plan)

    def _watch(self, leaves: Sequence[Any]) -> bool:
        """Whether the reader can tell the compile-time values among the leaves from others, now that it watches what
        they rest on.
        """
        guards: list[Guard] = []
        for (kind, *rest), value in zip(self._arguments, leaves, strict=False):
            if kind == "constant" and not _is_readable(value, rest[1], guards):
                return False
        return not guards or (self._checks is not None and self._checks.add(guards))

    def _add(self, key: bytes | None, leaves: Sequence[Any], plan: Plan) -> None:
        launch, table, module, ordinal, pack, device, *values = plan
        if key is None or not isinstance(launch, CFuncPtr) or not self._format.fullmatch(pack.__self__.format):
            return
        rest = iter(values)
        parts = tuple((next(rest), next(rest)) if kind in _TENSORS else None for kind, *_ in self._arguments)
        address = ctypes.cast(launch, ctypes.c_void_p).value or 0
        launcher = (address, table.value or 0, module.value or 0, ordinal)
        self._site.add(key, tuple(leaves), parts, launcher, device, plan)


class ConstantChecks:
    """Whether the classes and functions among the compile-time values of a site are as they were, and `first` holds.

    The reader itself tests `known` guards.
    """

    __slots__ = ("_check", "_first", "_guards", "_known")

    def __init__(self, first: Callable[[], bool] | None, known: Sequence[Guard]) -> None:
        self._first = first
        self._known = {_place(guard): guard for guard in known}
        self._guards: dict[Hashable, Guard] = {}
        self._check = checker(())

    def __call__(self) -> bool:
        return self._check() and (self._first is None or self._first())

    def add(self, guards: Sequence[Guard]) -> bool:
        """Watch these too: False when they are too many, or something has changed, for which plans may still be there.

        They hold what is there now, so those that are watched already are left as they are.
        """
        new = {_place(guard): guard for guard in guards}
        if not self._check() or not all(map(holds, (self._known[place] for place in new if place in self._known))):
            return False
        new = {place: guard for place, guard in new.items() if place not in self._known}
        if not new.keys() <= self._guards.keys():
            if len(self._guards) + len(new) > _MOST_GUARDS:
                return False
            self._guards = {**new, **self._guards}
            self._check = checker(tuple(self._guards.values()))
        return True


_MOST_GUARDS = 256


def _place(guard: Guard) -> Hashable:
    """What a guard watches. The dict of a class is a new object each time: it is told by what is in it."""
    is_proxy = type(guard.owner) is MappingProxyType
    return guard.kind, guard.name, tuple(map(id, guard.value)) if is_proxy else id(guard.owner)


def _may_change(argument: Sequence[Any]) -> bool:
    """Whether values of an argument may rest on what can change: not where they are plain numbers or text."""
    return argument[0] == "constant" and argument[1] not in _PLAIN


def _is_readable(value: Any, records: dict[type, Any], guards: list[Guard]) -> bool:
    from flydsl.cache.argument_keys import is_readable

    try:
        return is_readable(value, records, guards)
    except ArgumentError:  # no compile-time value: the stub says so
        return False


_PLAIN = frozenset({bool, int, float, str, bytes, type(None)})
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
    steady = {_place(guard): guard for one in call.arguments for guard in one.native_guards()}
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
    if kind == "contents":
        return kind, plain_dict(owner), name, value
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
