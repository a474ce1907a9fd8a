"""Lists, dicts and SimpleNamespaces that a branch or loop changes in place in; their leaves as variables out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.frontend.trees import flatten, is_container, refill, structure

__all__ = ["Containers"]


class Containers:
    """The containers among some variables: as values that a region carries, and with the results put back in place."""

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        found = {id(value): (name, value) for name, value in zip(names, values, strict=True) if is_container(value)}
        self.names = [name for name, _ in found.values()]
        self._values = [value for _, value in found.values()]
        self._structures = [structure(value) for value in self._values]
        self._before = [flatten(value)[0] for value in self._values]

    def take(self) -> list[list[Any]]:
        """The leaves as a path left them; the containers are again as they were before it."""
        outcomes = []
        for name, value, before, kept in zip(self.names, self._values, self._before, self._structures, strict=True):
            if structure(value) != kept:
                raise FrontendError(
                    f"variable {name!r} gets other items in a dynamic branch or loop; "
                    "give it all its items before, or use a static loop"
                )
            outcomes.append(flatten(value)[0])
            refill(value, before)
        return outcomes

    def put(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Put the leaves, which are the last of `values`, in place; the values before them."""
        count = len(values) - len(self.names)
        for value, leaves in zip(self._values, values[count:], strict=True):
            refill(value, leaves)
        return tuple(values[:count])
