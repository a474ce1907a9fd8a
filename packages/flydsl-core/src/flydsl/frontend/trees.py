"""Nested Python containers in, their leaves and a way back out: how values are carried through regions and calls."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

__all__ = ["flatten"]


def flatten(value: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """The leaves of tuples, lists, dicts and SimpleNamespaces in order, and a function that rebuilds from new ones."""
    leaves: list[Any] = []
    build = _flatten(value, leaves)
    return leaves, lambda new: build(iter(new))


def _flatten(value: Any, leaves: list[Any]) -> Callable[[Any], Any]:
    if isinstance(value, tuple | list):
        parts = [_flatten(item, leaves) for item in value]
        make = value._make if hasattr(value, "_make") else type(value)
        return lambda new: make([part(new) for part in parts])
    if isinstance(value, dict):
        items = [(key, _flatten(item, leaves)) for key, item in value.items()]
        return lambda new: {key: part(new) for key, part in items}
    if isinstance(value, SimpleNamespace):
        named = [(key, _flatten(item, leaves)) for key, item in vars(value).items()]
        return lambda new: SimpleNamespace(**{key: part(new) for key, part in named})
    leaves.append(value)
    return next
