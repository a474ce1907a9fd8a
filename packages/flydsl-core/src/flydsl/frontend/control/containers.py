"""Containers mutated inside branches and loops: their leaves as variables, errors for other objects."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from types import ModuleType
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.base.wording import with_article
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Numeric
from flydsl.frontend.control.pytree import flatten, is_container, refill, structure
from flydsl.frontend.control.raw_values import IR_OBJECTS, RawValue
from flydsl.frontend.control.undefined import Undefined, is_empty, variable


class Containers:
    """The containers among some variables: a region carries their leaves, and its results are stored back.

    Objects of the user's classes, classes and modules are watched: a region must not change their attributes, besides
    those that an object fills on first use, nor the items of sets and deques.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        objects = {id(value): (name, value) for name, value in zip(names, values, strict=True) if value is not None}
        containers = [(name, value) for name, value in objects.values() if is_container(value)]
        self.names = [name for name, _ in containers]
        self._values = [value for _, value in containers]
        self._structures = [structure(value) for value in self._values]
        self._before = [flatten(value)[0] for value in self._values]
        others = [(name, value) for name, value in objects.values() if not is_container(value)]
        self._sets = [(name, value, list(value)) for name, value in others if isinstance(value, set | deque)]
        self._watched = [(name, value, dict(_items(value)), _inner(value)) for name, value in others]

    def take(self) -> list[list[Any]]:
        """The leaves at the end of a path; the containers are restored to what they were before it."""
        outcomes = []
        for name, value, before, kept in zip(self.names, self._values, self._before, self._structures, strict=True):
            if structure(value) != kept:
                count, after = len(before), len(flatten(value)[0])
                raise FrontendError(
                    f"{variable(name)} holds {count} values before a dynamic branch or loop and "
                    f"{after if after != count else 'others'} in it: how many there are must not depend on what is "
                    "known only at run time; make it of its final size before, or use range_constexpr for a loop"
                )
            outcomes.append(flatten(value)[0])
            refill(value, before)
        for name, value, items in self._sets:
            _check_same_items(name, value, items)
        for name, value, attributes, inner in self._watched:
            if any(map(is_empty, attributes.values())):
                _empty_filled(name, value, attributes)
            _check_unchanged(name, value, attributes, inner)
        return outcomes

    def put(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Store the leaves, the last of `values`, into the containers; returns the values before them."""
        count = len(values) - len(self.names)
        for value, leaves in zip(self._values, values[count:], strict=True):
            refill(value, leaves)
        return tuple(values[:count])


def _empty_filled(name: str, value: Any, before: Mapping[str, Any]) -> None:
    from flydsl.frontend.control.filled_attributes import empty_filled  # few objects have empty attributes

    empty_filled(name, value, before)


def _items(value: Any) -> Mapping[str, Any]:
    """The attributes of an object that is not part of the language."""
    if isinstance(value, (Undefined, *IR_OBJECTS)) or type(value).__module__.partition(".")[0] == "flydsl":
        return {}
    return getattr(value, "__dict__", {})


def _inner(value: Any) -> dict[str, Any]:
    """The contents of the containers among the attributes of an object; modules and classes have too many."""
    if isinstance(value, ModuleType | type):
        return {}
    return {name: _contents(item) for name, item in _items(value).items() if is_container(item)}


def _contents(item: Any) -> tuple[Any, list[Hashable]]:
    return structure(item), [_identity(leaf) for leaf in flatten(item)[0]]


def _identity(leaf: Any) -> Hashable:
    """A key that changes only by assignment: the SSA value, because leaves of user-defined types are rebuilt."""
    if isinstance(leaf, bool | int | float):
        return type(leaf), repr(leaf)
    plain = isinstance(leaf, Numeric | Vector | RawValue)
    value = getattr(leaf, "value", None) if plain else getattr(leaf, "_value", None)
    return id(leaf if value is None or isinstance(value, bool | int | float) else value)


def _check_same_items(name: str, value: Any, before: list[Any]) -> None:
    if len(value) != len(before) or any(now is not then for now, then in zip(value, before, strict=True)):
        raise FrontendError(
            f"{variable(name)} is {with_article(type(value).__name__)} and changes in a dynamic branch or loop: Python "
            "would change it while tracing, whether the branch is taken or not; keep flags or numbers in variables "
            "or a list"
        )


def _check_unchanged(name: str, value: Any, before: Mapping[str, Any], inner: Mapping[str, Any]) -> None:
    now = _items(value)
    pairs = {key: (before.get(key, _MISSING), now.get(key, _MISSING)) for key in {**before, **now}}
    changed = [key for key, pair in pairs.items() if pair[0] is not pair[1] and not all(map(is_empty, pair))]
    changed += [key for key, kept in inner.items() if key not in changed and _contents(now[key]) != kept]
    if changed:
        raise FrontendError(
            f"{name}.{changed[0]} changes in a dynamic branch or loop, and {name} is "
            f"{with_article(type(value).__name__)}: Python would change it while tracing, whether the branch is "
            "taken or not; keep the value in a variable, a list, a dict, a SimpleNamespace or a dataclass of values of "
            "the kernel"
        )


_MISSING = object()
