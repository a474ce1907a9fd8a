"""The record of what a reading depends on: guards on what was read, and doubts where no text stands for it."""

from __future__ import annotations

import functools
from abc import ABCMeta, get_cache_token
from collections.abc import Callable
from typing import Any

from flydsl.cache.guards import Guard, holds


class DependencyRecord:
    """What a reading of values notes besides their texts."""

    def __init__(self) -> None:
        self.guards: list[Guard] = []
        self.doubts: list[str] = []
        """Why equal texts may make other code."""
        self.unguarded: list[str] = []
        """Of these, what no guard can watch."""
        self.portions: set[str] = set()
        """The packages of other distributions in our namespace that were met: the key has digests of their files."""
        self.attributes: set[str] = set()
        self.computes = False
        """Whether attributes may be read by names that code makes."""
        self.matches_classes = False
        self.place = ""
        self._conditions: list[tuple[frozenset[str], str, str]] = []
        self._abstract = ""

    def guard(self, kind: Any, owner: Any, name: str, value: Any) -> None:
        self.guards.append(Guard(kind, owner, name, value))

    def guard_signature(self, value: Any, signature: object) -> None:
        """Watch what an object says of itself: what that is made of, which is quicker, where its class says so."""
        attributes = getattr(type(value), "__cache_attributes__", None)
        if attributes is None:
            self.guard("signature", value, "", signature)
        for name in attributes or ():
            self.guard("attribute", value, name, getattr(value, name))

    def mark_uncacheable(self, label: str, what: str) -> str:
        """The text of what can be neither encoded nor watched; the reason is kept."""
        self.doubts.append(f"{label}: {what}")
        self.unguarded.append(f"{label} ({self.place}): {what}" if self.place else self.doubts[-1])
        return "?"

    def watched(self, label: str, what: str, answer: Callable[[], object], name: str = "") -> str:
        """The text of what cannot be encoded, but watched: equal answers mean that nothing changed."""
        self.doubts.append(f"{label}: {what}")
        self.guard("answer", answer, name, answer())
        return "?"

    def unless(self, attributes: frozenset[str], label: str, what: str) -> None:
        """A doubt, unless no function reads any of these attributes."""
        self._conditions.append((attributes, f"{label} ({self.place})" if self.place else label, what))

    def finish(self, text_now: Callable[[Guard], str | None]) -> None:
        """Say what can only be said when everything is read; `text_now` reads the variable of a guard again."""
        self.place = ""
        for attributes, label, what in self._conditions:
            used = sorted(attributes & self.attributes) or (["an attribute of any name"] if self.computes else [])
            if used:
                self.mark_uncacheable(label, f"{what}: {used[0]}")
        if self._abstract and self.matches_classes:
            what = "it is abstract, and classes may be registered with it"
            self.watched(self._abstract, what, get_cache_token, "registered classes")
        if not all(map(holds, self.guards)):
            self._read_again(text_now)

    def _read_again(self, text_now: Callable[[Guard], str | None]) -> None:
        """Guards of variables that hold a new object at each read compare its text."""
        for index, guard in enumerate(self.guards):
            if holds(guard):
                continue
            answer = functools.partial(text_now, guard)
            text = answer() if guard.kind == "attribute" else None
            if text is None or answer() != text:
                self.mark_uncacheable(repr(guard.name), f"each read of it gives another {type(guard.value).__name__}")
            else:
                self.guards[index] = Guard("answer", answer, guard.name, text)

    def note_class(self, cls: object, label: str) -> None:
        """Remember the first class whose instances may be told by a registry."""
        if isinstance(cls, ABCMeta) and not self._abstract:
            self._abstract = label
