"""The attributes of a class that its author wrote, and the contents of its instances."""

from __future__ import annotations

import enum
import sys
import types
import typing
from collections.abc import Iterable
from typing import Any

from flydsl.base.slots import slots

BUILTIN_BASES = (int, float, str, bytes, tuple, list, dict, set, frozenset)
ENUM_STATE = frozenset({"_value_", "_name_", "__objclass__", "_sort_order_", "_inverted_", "_boundary_"})
DATACLASS_FLAGS = ("init", "repr", "eq", "order", "unsafe_hash", "frozen")

_NOISE_TEXT = """
    __module__ __dict__ __weakref__ __doc__ __qualname__ __firstlineno__ __static_attributes__ __slots__
    __abstractmethods__ _abc_impl __parameters__ __orig_bases__ __match_args__ __dataclass_params__ __type_params__
    __annotate__ __annotate_func__ __annotations_cache__ __annotations__
"""
_NOISE = frozenset(_NOISE_TEXT.split())
"""Attributes that say nothing, or that are encoded in another way."""

_OF_NAMED_TUPLE = frozenset({"__new__", "__repr__", "__getnewargs__", "__replace__", "_make", "_replace", "_asdict"})
_GENERATORS = frozenset({"dataclasses", "reprlib", "enum", "collections", "typing"})
_HEAP_TYPE = 1 << 9


def own(cls: type) -> dict[str, Any]:
    """The attributes that the author wrote, by name: without those that Python, `dataclass` and `NamedTuple` add."""
    return {key: value for key, value in sorted(cls.__dict__.items()) if not _is_added(cls, key, value)}


def has_plain_metaclass(cls: type) -> bool:
    """Whether looking up its attributes runs no code of a metaclass."""
    return type(cls) in (type, type(enum.Enum), type(typing.Protocol), type(Iterable))


def is_python_class(cls: type) -> bool:
    """Whether instances contain nothing but a `__dict__`, slots and, at most, the content of one builtin base."""
    size = object.__basicsize__
    for base in cls.__mro__:
        if base in BUILTIN_BASES:
            size = max(size, base.__basicsize__)
        elif not base.__flags__ & _HEAP_TYPE and base.__basicsize__ > object.__basicsize__:
            return False
    pointer = object.__basicsize__ // 2
    return bool(cls.__flags__ & _HEAP_TYPE) and cls.__basicsize__ <= size + pointer * (2 + len(slots(cls)))


def stated_module(value: object) -> str:
    """The module that a value states, or, of a module, its name."""
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return name if isinstance(name, str) else ""


def is_found(value: object, module: str, name: str) -> bool:
    """Whether the name leads to the value, as pickle asks."""
    named: Any = sys.modules.get(module)
    for part in name.split("."):
        named = getattr(named, part, None)
    if module == "builtins" and isinstance(value, type) and not value.__flags__ & _HEAP_TYPE:
        return True  # the types of None and of functions have no name of their own, and are unique
    return named is value or (isinstance(named, types.BuiltinFunctionType) and named == value)


def _is_added(cls: type, key: str, value: Any) -> bool:
    if key in _NOISE or isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType):
        return True
    if issubclass(cls, enum.Enum):
        is_private = key.startswith("_") and key.endswith("_") and not isinstance(value, int | float | str | tuple)
        return key in cls.__members__ or _is_sunder(key) or (is_private and not _is_written(value))
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return type(value).__name__ == "_tuplegetter" or (key in _OF_NAMED_TUPLE and not _is_written(value))
    return hasattr(cls, "__dataclass_fields__") and key.startswith("__") and _is_generated(value)


def _is_sunder(key: str) -> bool:
    """Whether `enum` keeps the name for itself."""
    return key[:1] == key[-1:] == "_" and key[1:2] != "_" and key not in ("_missing_", "_generate_next_value_")


def _is_written(value: Any) -> bool:
    """Whether it is a function, or a wrapper of one, that the author wrote."""
    function = getattr(value, "__func__", value)
    return isinstance(function, types.FunctionType | property) and not _is_generated(function)


def _is_generated(value: Any) -> bool:
    """Whether `dataclass` or a metaclass added it: by executing text, as its own function, or as an absent method."""
    if not isinstance(value, types.FunctionType):
        return value is None
    code = value.__code__
    is_executed = code.co_filename == "<string>" and code.co_qualname != value.__qualname__
    return is_executed or value.__globals__.get("__name__") in _GENERATORS
