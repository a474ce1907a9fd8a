"""Methods of dataclasses that go by the fields, without code of their own.

They are for the first calls: most classes of a start make a few instances, and to compile a method takes as long as
thirty calls of these.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

Instead = Callable[[Any], Any]
"""Gives the compiled method of an instance: for calls that it refuses, and with an error that says why."""


def interpreted(name: str, cls: Any, compiled: Instead) -> Callable[..., Any] | None:
    """What does for the dataclass `cls` what its method `name` would; None where the fields do not say it all."""
    every = list(getattr(cls, dataclasses._FIELDS).values())  # type: ignore[attr-defined]
    if name == "__init__":
        return _constructor(cls, every, compiled)
    if name == "__eq__":
        return _equality(tuple(field.name for field in every if _is_plain(field) and field.compare))
    if name == "__hash__":
        return _hash(tuple(field.name for field in every if _is_plain(field) and _is_hashed(field)))
    return None


def _constructor(cls: Any, every: list[Any], compiled: Instead) -> Callable[..., None] | None:
    fields = [field for field in every if field._field_type is not dataclasses._FIELD_CLASSVAR]  # type: ignore[attr-defined]
    if not all(_is_plain(field) and field.init for field in fields):
        return None
    names = [field.name for field in fields]
    positional = [field.name for field in fields if not field.kw_only]
    known = frozenset(names)
    defaults = {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}
    factories = {field.name: field.default_factory for field in fields if field.name not in defaults}
    put: Any = object.__setattr__ if cls.__dataclass_params__.frozen else setattr
    follows_up = hasattr(cls, "__post_init__")

    def construct(instance: Any, /, *args: Any, **kwargs: Any) -> None:
        values = dict(zip(positional, args, strict=False))
        if len(args) > len(positional) or not kwargs.keys() <= known or not values.keys().isdisjoint(kwargs):
            compiled(instance)(*args, **kwargs)  # which raises TypeError
            return
        values.update(kwargs)
        for name in names:
            if name in values:
                value = values[name]
            elif name in defaults:
                value = defaults[name]
            elif factories[name] is not dataclasses.MISSING:
                value = factories[name]()
            else:
                compiled(instance)(*args, **kwargs)
                return
            put(instance, name, value)
        if follows_up:
            instance.__post_init__()

    return construct


def _equality(names: tuple[str, ...]) -> Callable[[Any, Any], Any]:
    def equal(instance: Any, other: Any, /) -> Any:
        if other.__class__ is not instance.__class__:
            return NotImplemented
        return _values(instance, names) == _values(other, names)

    return equal


def _hash(names: tuple[str, ...]) -> Callable[[Any], int]:
    return lambda instance, /: hash(_values(instance, names))


def _values(instance: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple([getattr(instance, name) for name in names])


def _is_plain(field: Any) -> bool:
    """Whether it is a field, not a variable of the class or an argument of the constructor only."""
    return field._field_type is dataclasses._FIELD  # type: ignore[attr-defined]


def _is_hashed(field: Any) -> bool:
    return bool(field.compare if field.hash is None else field.hash)
