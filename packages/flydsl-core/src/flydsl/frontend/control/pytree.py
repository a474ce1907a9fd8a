"""Trees of nested Python containers: their leaves, and reconstruction from new leaves.

An object of a user-defined type (`flydsl.expr.values.protocol.DslType`) is a container of its values; a bare SSA value
is a leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import Enum
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from xdsl.ir import SSAValue

from flydsl.base.container_items import (
    CONTAINERS,
    container_type,
    is_dataclass,
    items_of,
    set_items,
    with_items,
)
from flydsl.base.slots import slots
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.numbers.promotion import python_number
from flydsl.expr.tiles.thread_slice import ThreadSlice
from flydsl.expr.values.protocol import own_values, remade
from flydsl.frontend.control.raw_values import IR_OBJECTS, RawValue, bare, leaf_of
from flydsl.frontend.control.undefined import Undefined

_PLAIN = (bool, int, float, str, type, Enum, type(None))


def flatten(value: Any) -> tuple[list[Any], Callable[[Iterable[Any]], Any]]:
    """The leaves of tuples, lists, dicts, SimpleNamespaces and dataclasses in order, and how to rebuild from new ones.

    A dataclass that contains no value of the language is a leaf: plain Python.
    """
    leaves: list[Any] = []
    build = _flatten(value, leaves)
    return leaves, lambda new: build(iter(new))


def structure(value: Any) -> Hashable:
    """A tree without its leaves: equal for trees of the same nesting, keys and types."""
    items = _items(value)
    if items is not None:
        return container_type(value), tuple((label, structure(item)) for label, item in items)
    values = own_values(value)
    return None if values is None else (type(value), len(values), _plain_attributes(value))


def ordered_like(value: Any, other: Any) -> Any:
    """A tree with the keys of its dicts in the order that they have in `other`, where these are the same keys."""
    if type(value) is type(other) is dict and value.keys() == other.keys():
        return {key: ordered_like(value[key], other[key]) for key in other}
    if type(value) is type(other) and type(value) in (tuple, list) and len(value) == len(other):
        return type(value)(map(ordered_like, value, other))
    return value


def static_attributes(value: Any) -> Hashable:
    """What the objects of user-defined types in a tree are besides their SSA values, exactly; it may have no hash."""
    items = _items(value)
    if items is not None:
        return tuple(static_attributes(item) for _, item in items)
    return None if own_values(value) is None else tuple((name, _exact(item)) for name, item in _attributes(value))


def constant_key(item: Any) -> tuple[type[Any], Any]:
    """A key that tells 1 from 1.0 and True, and 0.0 from -0.0."""
    return type(item), repr(item) if isinstance(item, float) else item


def is_container(value: Any) -> bool:
    """Whether the items of `value` can be replaced in place."""
    return isinstance(value, list | dict | SimpleNamespace) or (_is_record(value) and not _is_frozen(value))


def refill(value: Any, leaves: Iterable[Any]) -> Any:
    """`value` with new leaves: containers keep their identity, tuples are rebuilt."""
    return _refill(value, iter(leaves))


def _refill(value: Any, leaves: Iterator[Any]) -> Any:
    items = _items(value)
    if items is None:
        return _flatten(value, [])(leaves)
    new = [(label, _refill(item, leaves)) for label, item in items]
    return set_items(value, new) if is_container(value) else _with_items(value, new)


def _flatten(value: Any, leaves: list[Any]) -> Callable[[Iterator[Any]], Any]:
    if isinstance(value, SSAValue):
        leaves.append(RawValue(value))
        return lambda new: bare(next(new))
    items = _items(value)
    if items is not None:
        parts = [(label, _flatten(item, leaves)) for label, item in items]
        return lambda new: _with_items(value, [(label, part(new)) for label, part in parts])
    values = own_values(value)
    if values is not None:
        leaves += map(leaf_of, values)
        return lambda new: _remade(value, [next(new) for _ in values])
    leaves.append(python_number(value))
    return next


def _items(value: Any) -> Iterable[tuple[Any, Any]] | None:
    """Label and item of each part of a tree; None for a leaf and for an object of a user-defined type."""
    if isinstance(value, ThreadSlice):
        return enumerate(value.__fly_leaves__())
    return items_of(value) if isinstance(value, CONTAINERS) or _is_record(value) else None


def _with_items(value: Any, items: Iterable[tuple[Any, Any]]) -> Any:
    if isinstance(value, ThreadSlice):
        return value.__fly_rebuild__(tuple(item for _, item in items))
    return with_items(value, items)


def _remade(value: Any, parts: list[Any]) -> Any:
    lost = [part for part in parts if isinstance(part, Undefined)]
    return lost[0] if lost else remade(value, parts)


def _plain_attributes(value: Any) -> Hashable:
    """The comparable attributes of an object of a user-defined type, besides SSA values."""
    keys = ((name, _plain_key(item)) for name, item in _attributes(value))
    return tuple((name, key) for name, key in keys if key is not None)


def _plain_key(item: Any) -> Hashable:
    """A key of Python's own constants, and of tuples and lists of them; None for other objects."""
    if isinstance(item, tuple | list):
        keys = tuple(map(_plain_key, item))
        return None if None in keys else (type(item), keys)
    return constant_key(item) if isinstance(item, _PLAIN) else None


def _attributes(value: Any) -> list[tuple[str, Any]]:
    cls: Any = type(value)
    names = [*getattr(value, "__dict__", ()), *_slots(cls)]
    return [(name, getattr(value, name, None)) for name in names]


@lru_cache(maxsize=256)
def _slots(cls: Any) -> list[str]:
    return slots(cls)


def _exact(item: Any) -> Hashable:
    """A key of an attribute; SSA values count by their types elsewhere."""
    if isinstance(item, tuple):
        return type(item), tuple(map(_exact, item))
    if isinstance(item, Arithmetic | StructuredValue):
        is_static = getattr(item, "is_static", False)
        return type(item), (getattr(item, "payload", None) or repr(item)) if is_static else None
    if own_values(item) is not None:
        return type(item), static_attributes(item)
    return constant_key(item)


def _is_record(value: Any) -> bool:
    """Whether `value` is a dataclass with a value of the language somewhere in it."""
    if not is_dataclass(value) or isinstance(value, IR_OBJECTS) or hasattr(value, "__extract_to_ir_values__"):
        return False
    leaves = flatten(dict(items_of(value)))[0]
    return any(isinstance(leaf, Undefined) or hasattr(leaf, "__extract_to_ir_values__") for leaf in leaves)


def _is_frozen(value: Any) -> bool:
    return bool(type(value).__dataclass_params__.frozen)
