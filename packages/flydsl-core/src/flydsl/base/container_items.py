"""Containers of Python, one level at a time: their items with labels, and the same container of other items."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from flydsl.base.errors import ArgumentError

CONTAINERS = (tuple, list, dict, SimpleNamespace)
"""The types whose objects are containers of whatever they hold; dataclasses are asked for with `is_dataclass`."""


def items_of(value: Any) -> Iterable[tuple[Any, Any]]:
    """Label and item of each part of a sequence (by index), mapping (by key), namespace or dataclass (by name).

    Raises ArgumentError for a dataclass of which a field was never set.
    """
    if isinstance(value, tuple | list):
        return enumerate(value)
    if isinstance(value, SimpleNamespace):
        return vars(value).items()
    if isinstance(value, (dict, Mapping)):  # the check for a dict is much the faster one
        return value.items()
    cls: Any = type(value)
    try:
        return [(name, getattr(value, name)) for name in _field_names(cls)]
    except AttributeError as error:
        raise ArgumentError(f"a record of type {cls.__qualname__!r} is incomplete: {error}") from None


def with_items(value: Any, items: Iterable[tuple[Any, Any]]) -> Any:
    """A container like `value` with these labels and items; mappings become dicts, and namespaces plain ones."""
    if isinstance(value, tuple | list):
        parts = [item for _, item in items]
        return value._make(parts) if hasattr(value, "_make") else type(value)(parts)
    if isinstance(value, (dict, Mapping)):
        return dict(items)
    return set_items(SimpleNamespace() if isinstance(value, SimpleNamespace) else copy.copy(value), items)


def set_items(value: Any, items: Iterable[tuple[Any, Any]]) -> Any:
    """`value` itself, with other items under the labels that it has; it is no tuple."""
    if isinstance(value, list):
        value[:] = [item for _, item in items]
    elif isinstance(value, dict):
        value.update(items)
    else:
        for name, item in items:
            object.__setattr__(value, name, item)  # a frozen dataclass too
    return value


def container_type(value: Any) -> type[Any]:
    """The type of what `with_items` makes of `value`."""
    return next((kind for kind in (dict, SimpleNamespace) if isinstance(value, kind)), type(value))


def is_dataclass(value: Any) -> bool:
    """Whether `value` is an object of a dataclass."""
    return hasattr(type(value), "__dataclass_fields__")


@lru_cache(maxsize=256)
def _field_names(cls: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cls))
