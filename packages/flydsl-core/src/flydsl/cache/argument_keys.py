"""What tells compile-time arguments apart at each call: as exact as their encoding, which is worked out for new ones.

Records of plain values, frozen dataclasses and named tuples, are told apart by these and by their class, whose guards
notice when a method or a default of it changes. So do those of a module's function, of what it reads and calls.
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from types import FunctionType
from typing import Any

from flydsl.cache.dependencies import encode_kept, encode_value

_EXACT = frozenset({bool, int, str, bytes, type(None)})


def argument_key(value: Any) -> Hashable:
    """Equal for two values only if their encodings are; ArgumentError for a value that has none."""
    cls = type(value)
    if cls in _EXACT:
        return cls, value
    if cls is float:
        return cls, repr(value)
    if cls is tuple:
        return cls, *map(argument_key, value)
    if isinstance(value, Enum | type) or (cls is FunctionType and _is_of_module(value)):
        return encode_kept(value)
    fields = _fields(value, cls)
    if fields is None:
        return encode_value(value)
    return encode_kept(cls), *map(argument_key, fields)


def _is_of_module(function: FunctionType) -> bool:
    """Whether it lives as long as its module: others, such as a lambda at a call, may be new ones each time. Nor has it
    attributes of its own.
    """
    return function.__closure__ is None and "<" not in function.__qualname__ and not vars(function)


def _fields(value: Any, cls: type[Any]) -> list[Any] | None:
    """The values of a record that cannot change and has nothing but its fields; None for anything else."""
    if cls.__base__ is tuple and "_fields" in cls.__dict__:
        return list(value)
    parameters, fields = cls.__dict__.get("__dataclass_params__"), cls.__dict__.get("__dataclass_fields__")
    if fields is None or parameters is None or not parameters.frozen:
        return None
    state = getattr(value, "__dict__", None)
    if state is None:  # it has slots
        plain = cls.__base__ is object and _are_slots(cls, fields) and all(hasattr(value, name) for name in fields)
        return [getattr(value, name) for name in fields] if plain else None
    return list(state.values()) if cls.__base__ is object and list(state) == list(fields) else None


def _are_slots(cls: type[Any], fields: dict[str, Any]) -> bool:
    slots = cls.__dict__.get("__slots__", ())
    return tuple(slots) == tuple(fields)
