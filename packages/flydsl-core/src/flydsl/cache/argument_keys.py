"""Per-call keys of compile-time arguments, as exact as their encoding, which is worked out for new ones.

Records of plain values, frozen dataclasses and named tuples, are told apart by these and by their class, whose guards
notice when a method or a default of it changes. So do those of a module's function, of what it reads and calls.
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from types import FunctionType
from typing import Any

from flydsl.cache.dependencies import encode_guarded, encode_kept, encode_value, kept_text
from flydsl.cache.guards import Guard
from flydsl.cache.library_values import is_constant

_EXACT = frozenset({bool, int, str, bytes, type(None)})


def argument_key(value: Any) -> Hashable:
    """Equal for two values only if their encodings are; ArgumentError for a value that has none."""
    cls = type(value)
    if cls in _EXACT:
        return cls, value
    if cls is float:
        return cls, value.hex()
    if cls is tuple:
        return cls, *map(argument_key, value)
    if cls is FunctionType:
        return encode_kept(value) if _is_of_module(value) else encode_value(value)
    kept = kept_text(value)
    if kept is not None:
        return kept
    if _is_watched(value):
        return encode_kept(value)
    record = record_of(value)
    if record is None:
        return encode_value(value)
    return encode_kept(cls), *map(argument_key, _fields(value, record))


IN_DICT, IN_SLOTS, IN_TUPLE = range(3)
Record = tuple[int, tuple[str, ...]]
"""How the objects of a class hold their fields, and the names of these."""


def is_readable(value: Any, records: dict[type, Record], guards: list[Guard]) -> bool:
    """Whether what the native reader reads of a value tells it from others, while guards, which are added, hold.

    It reads numbers, text, tuples and objects of classes with a record by their content, all else by its identity.
    """
    cls = type(value)
    if cls in _EXACT or cls is float:
        return True
    if cls is tuple:
        return all(is_readable(item, records, guards) for item in value)
    if _is_watched(value):
        guards += encode_guarded(value)[1]
        return True
    record = record_of(value)
    if record is None or records.setdefault(cls, record) != record:
        return False
    guards += encode_guarded(cls)[1]
    return all(is_readable(field, records, guards) for field in _fields(value, record))


def _is_watched(value: object) -> bool:
    """Whether guards notice all changes of an object, or there can be none."""
    return isinstance(value, Enum | type) or is_constant(value)


def _is_of_module(function: FunctionType) -> bool:
    """Whether it lives as long as its module: others, such as a lambda at a call, may be new ones each time. Nor has it
    attributes of its own.
    """
    return function.__closure__ is None and "<" not in function.__qualname__ and not vars(function)


def record_of(value: Any) -> Record | None:
    """How a record that cannot change holds its fields, if it has nothing but these; None for anything else."""
    cls = type(value)
    if cls.__base__ is tuple and "_fields" in cls.__dict__:
        return IN_TUPLE, tuple(cls.__dict__["_fields"])
    parameters, fields = cls.__dict__.get("__dataclass_params__"), cls.__dict__.get("__dataclass_fields__")
    if fields is None or parameters is None or not parameters.frozen or cls.__base__ is not object:
        return None
    state = getattr(value, "__dict__", None)
    if state is None:  # it has slots
        plain = _are_slots(cls, fields) and all(hasattr(value, name) for name in fields)
        return (IN_SLOTS, tuple(fields)) if plain else None
    return (IN_DICT, tuple(fields)) if list(state) == list(fields) else None


def _fields(value: Any, record: Record) -> list[Any]:
    how, names = record
    if how == IN_TUPLE:
        return list(value)
    return list(value.__dict__.values()) if how == IN_DICT else [getattr(value, name) for name in names]


def _are_slots(cls: type[Any], fields: dict[str, Any]) -> bool:
    slots = cls.__dict__.get("__slots__", ())
    return tuple(slots) == tuple(fields)
