"""Trees of nested Python containers: their leaves, and reconstruction from new leaves.

An object of a user-defined type (`flydsl.expr.values.protocol.DslType`) is a container of its values.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import Enum
from types import SimpleNamespace
from typing import Any

from flydsl.expr.numbers.promotion import python_number
from flydsl.expr.tiles.thread_slice import ThreadSlice
from flydsl.expr.values.protocol import own_values, remade
from flydsl.expr.values.wrap import box
from flydsl.frontend.undefined import Undefined

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
    if isinstance(value, tuple | list):
        return (type(value), tuple(structure(item) for item in value))
    if isinstance(value, dict):
        return (dict, tuple((key, structure(item)) for key, item in value.items()))
    if isinstance(value, SimpleNamespace):
        return (SimpleNamespace, structure(vars(value)))
    if _is_record(value):
        return (type(value), structure(_fields(value)))
    if isinstance(value, ThreadSlice):
        return (type(value), structure(value.__fly_leaves__()))
    values = own_values(value)
    return None if values is None else (type(value), len(values), _plain_attributes(value))


def is_container(value: Any) -> bool:
    """Whether the items of `value` can be replaced in place."""
    return isinstance(value, list | dict | SimpleNamespace) or (_is_record(value) and not _is_frozen(value))


def refill(value: Any, leaves: Iterable[Any]) -> Any:
    """`value` with new leaves: containers keep their identity, tuples are rebuilt."""
    return _refill(value, iter(leaves))


def _refill(value: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(value, list):
        value[:] = [_refill(item, leaves) for item in value]
        return value
    if isinstance(value, tuple):
        return _maker(value)([_refill(item, leaves) for item in value])
    if _is_record(value):
        return _with_fields(value if not _is_frozen(value) else copy.copy(value), _refill(_fields(value), leaves))
    items = vars(value) if isinstance(value, SimpleNamespace) else value
    if isinstance(items, dict):
        for key in items:
            items[key] = _refill(items[key], leaves)
        return value
    return _flatten(value, [])(leaves)


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
    if _is_record(value):
        build = _flatten(_fields(value), leaves)
        return lambda new: _with_fields(copy.copy(value), build(new))
    if isinstance(value, ThreadSlice):
        build = _flatten(value.__fly_leaves__(), leaves)
        return lambda new: value.__fly_rebuild__(build(new))
    values = own_values(value)
    if values is not None:
        leaves += map(box, values)
        return lambda new: _remade(value, [next(new) for _ in values])
    leaves.append(python_number(value))
    return next


def _remade(value: Any, parts: list[Any]) -> Any:
    lost = [part for part in parts if isinstance(part, Undefined)]
    return lost[0] if lost else remade(value, parts)


def _plain_attributes(value: Any) -> Hashable:
    """The comparable attributes of an object of a user-defined type, besides SSA values."""
    names = [*getattr(value, "__dict__", ()), *getattr(type(value), "__slots__", ())]
    attributes = [(name, getattr(value, name, None)) for name in names]
    return tuple((name, item) for name, item in attributes if isinstance(item, _PLAIN))


def _maker(value: Any) -> Callable[[list[Any]], Any]:
    return value._make if hasattr(value, "_make") else type(value)


def _is_record(value: Any) -> bool:
    """Whether `value` is a dataclass with a value of the language somewhere in it."""
    if not dataclasses.is_dataclass(value) or isinstance(value, type) or hasattr(value, "__extract_to_ir_values__"):
        return False
    leaves = flatten(_fields(value))[0]
    return any(isinstance(leaf, Undefined) or hasattr(leaf, "__extract_to_ir_values__") for leaf in leaves)


def _is_frozen(value: Any) -> bool:
    return bool(type(value).__dataclass_params__.frozen)


def _fields(value: Any) -> dict[str, Any]:
    return {part.name: getattr(value, part.name) for part in dataclasses.fields(value)}


def _with_fields(value: Any, fields: dict[str, Any]) -> Any:
    for name, item in fields.items():
        object.__setattr__(value, name, item)  # a frozen one too
    return value
