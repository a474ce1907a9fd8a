"""Nested Python containers in, their leaves and a way back out: how values are carried through regions and calls."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any

__all__ = ["flatten", "is_container", "refill", "structure"]


def flatten(value: Any) -> tuple[list[Any], Callable[[Iterable[Any]], Any]]:
    """The leaves of tuples, lists, dicts and SimpleNamespaces in order, and a function that rebuilds from new ones."""
    leaves: list[Any] = []
    build = _flatten(value, leaves)
    return leaves, lambda new: build(iter(new))


def structure(value: Any) -> Hashable:
    """What is left of a tree without its leaves: equal for trees that hold the same variables."""
    if isinstance(value, tuple | list):
        return (type(value), tuple(structure(item) for item in value))
    if isinstance(value, dict):
        return (dict, tuple((key, structure(item)) for key, item in value.items()))
    if isinstance(value, SimpleNamespace):
        return (SimpleNamespace, structure(vars(value)))
    return None


def is_container(value: Any) -> bool:
    """Whether the items of `value` can be replaced in place."""
    return isinstance(value, list | dict | SimpleNamespace)


def refill(value: Any, leaves: Iterable[Any]) -> Any:
    """`value` with new leaves: containers keep their identity, tuples are made anew."""
    return _refill(value, iter(leaves))


def _refill(value: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(value, list):
        value[:] = [_refill(item, leaves) for item in value]
        return value
    if isinstance(value, tuple):
        return _maker(value)([_refill(item, leaves) for item in value])
    items = vars(value) if isinstance(value, SimpleNamespace) else value
    if isinstance(items, dict):
        for key in items:
            items[key] = _refill(items[key], leaves)
        return value
    return next(leaves)


def _flatten(value: Any, leaves: list[Any]) -> Callable[[Iterator[Any]], Any]:
    if isinstance(value, tuple | list):
        parts = [_flatten(item, leaves) for item in value]
        make = _maker(value)
        return lambda new: make([part(new) for part in parts])
    if isinstance(value, dict):
        items = [(key, _flatten(item, leaves)) for key, item in value.items()]
        return lambda new: {key: part(new) for key, part in items}
    if isinstance(value, SimpleNamespace):
        build = _flatten(vars(value), leaves)
        return lambda new: SimpleNamespace(**build(new))
    leaves.append(value)
    return next


def _maker(value: Any) -> Callable[[list[Any]], Any]:
    return value._make if hasattr(value, "_make") else type(value)
