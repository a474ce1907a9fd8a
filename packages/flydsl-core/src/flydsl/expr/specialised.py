"""Records with fields that are part of their type (`fx.Constexpr`): a class for each set of values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from flydsl.base.errors import FrontendError
from flydsl.expr.threads.compile_time import Constexpr

if TYPE_CHECKING:
    from flydsl.expr.struct import Struct

S = TypeVar("S", bound="Struct")
_CLASSES: dict[tuple[type[Any], Hashable], type[Any]] = {}
_PLAIN = (int, float, bool, str)


def is_constant(kind: object) -> bool:
    """Whether a field with this annotation is part of the record's type."""
    return (get_origin(kind) or kind) is Constexpr


def specialised(cls: type[S], values: Sequence[object]) -> S:
    """The record of `cls` with these values of all its fields: of a class that has the constant ones."""
    constants = {
        name: _constant(cls, name, kind, value)
        for (name, kind), value in zip(cls.fields.items(), values, strict=True)
        if is_constant(kind)
    }
    if not constants:
        return cls._make(values)
    dynamic = [value for name, value in zip(cls.fields, values, strict=True) if name not in constants]
    return _class_of(cls, constants)._make(dynamic)


def _class_of(cls: type[S], constants: dict[str, object]) -> type[S]:
    key = (cls, tuple((name, Constexpr.value_signature(value)) for name, value in constants.items()))  # type: ignore[type-arg]
    try:
        found = _CLASSES.get(key)
    except TypeError:
        name = next(name for name, value in constants.items() if not isinstance(value, Hashable))
        raise FrontendError(
            f"{cls.__name__}.{name} is part of the type and needs a value with a hash, found {constants[name]!r}"
        ) from None
    if found is None:
        found = _CLASSES.setdefault(key, _made(cls, constants))
    return found


def _made(cls: type[S], constants: dict[str, object]) -> type[S]:
    fields = {name: kind for name, kind in cls.fields.items() if name not in constants}
    namespace: dict[str, Any] = {
        **{name: property(itemgetter(index)) for index, name in enumerate(fields)},
        **constants,
        **{"fields": fields, "_constants": constants, "_generic": cls, "__slots__": ()},
        **{key: getattr(cls, key) for key in ("__module__", "__qualname__", "__doc__")},
    }
    values = ", ".join(f"{name}={getattr(value, '__name__', repr(value))}" for name, value in constants.items())
    return type(f"{cls.__name__}[{values}]", (cls,), namespace)


def _constant(cls: type[Struct], name: str, kind: object, value: object) -> object:
    is_number = not isinstance(value, type) and hasattr(value, "is_static")  # and no class of numbers
    if is_number and not value.is_static:  # type: ignore[attr-defined]
        raise FrontendError(
            f"{cls.__name__}.{name} is part of the type and must be known while tracing, found {value!r}; "
            "annotate it with the type of its value"
        )
    plain = getattr(value, "value", value) if is_number else value
    wanted = get_args(kind)
    if wanted and wanted[0] in _PLAIN and not isinstance(plain, wanted[0]):
        raise FrontendError(f"{cls.__name__}.{name} takes {wanted[0].__name__}, found {value!r}")
    return plain
