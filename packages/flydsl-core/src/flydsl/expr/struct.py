"""Records: classes with annotated fields, passed by kernels and stored in memory.

    @fx.struct
    class Particle:
        mass: fx.Float32
        position: fx.Array[fx.Float32, 3]

Fields are laid out as in C: in order, each at the next multiple of its alignment. Fields annotated with `fx.Constexpr`
are part of the type: each set of their values has a class of its own, whose records hold the other fields.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeGuard, TypeVar, dataclass_transform, overload

from flydsl.base.errors import FrontendError, FrozenRecordError
from flydsl.base.wording import with_article
from flydsl.expr.memory.pointer import Pointer
from flydsl.expr.memory.shared import Arena
from flydsl.expr.memory.storable import dsl_align_of, dsl_size_of, is_storable, peek_from_ptr, poke_into_ptr
from flydsl.expr.memory.storage import Align, Array, Storage, check_alignment, definition_error, pointer_to, type_name
from flydsl.expr.numbers.vector_alias import AliasVector
from flydsl.expr.numeric import Numeric
from flydsl.expr.specialised import is_constant, specialised
from flydsl.expr.values.protocol import cache_signature

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import StorableType

__all__ = [
    "Align",
    "Arena",
    "Array",
    "Empty",
    "Storage",
    "Struct",
    "Union",
    "is_composite_type",
    "is_specializable_struct_type",
    "is_struct_type",
    "struct",
    "union",
]

T = TypeVar("T")
_RESERVED = frozenset(name for name in dir(Storage) if not name.startswith("__")) | {"fields", "members", "replace"}


class Struct(tuple[Any, ...]):
    """Base of the classes that `struct` creates: an immutable record, and a storable type.

    A record is a tuple of its fields, so it passes through kernels, branches and loops like one.
    """

    __slots__ = ()
    fields: ClassVar[Mapping[str, Any]] = {}
    _generic: ClassVar[type[Any] | None] = None
    _constants: ClassVar[Mapping[str, Any]] = {}
    _defaults: ClassVar[Mapping[str, Any]] = {}
    _align: ClassVar[int] = 1

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """A record from values by position or name, converted to numeric field types. `fx.Struct` itself decorates."""
        if cls is Struct:
            return _decorated(Struct, args, kwargs)  # type: ignore[no-any-return]
        return specialised(cls, _bound(cls, args, kwargs))

    @classmethod
    def _make(cls, values: Iterable[object]) -> Self:
        return tuple.__new__(cls, tuple(values))

    def __reduce__(self) -> tuple[Any, tuple[tuple[Any, ...]]]:
        """Copies and pickles have copies of the fields."""
        return self._make, (tuple(self),)

    def replace(self, **changes: object) -> Self:
        """A copy of the record with some fields replaced."""
        cls = self._generic or type(self)
        return cls(**{**self._constants, **dict(zip(self.fields, self, strict=True)), **changes})

    def __eq__(self, other: object) -> bool:
        """Records of two types are never equal."""
        if isinstance(other, Struct) and type(other) is not type(self):
            return False
        return tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __class_getitem__(cls, items: Any) -> Any:
        """`fx.Struct["a": T, "b": U]`, or types alone, whose fields are `_0`, `_1` and so on: a class of its own."""
        if cls not in (Struct, Union):
            raise definition_error(f"{cls.__name__} has its fields and takes no others in brackets")
        from flydsl.expr.fields_in_brackets import fields_in_brackets  # few programs need it

        klass = type(cls.__name__, (), {"__annotations__": fields_in_brackets(cls.__name__, items, _RESERVED)})
        return _composite(klass, cls, 1, {}, is_inline=True)

    def __setattr__(self, name: str, value: object) -> None:
        self.__delattr__(name)

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenRecordError(
            f"{with_article(type(self).__name__)} is immutable; make a new one with .replace({name}=...), "
            "or write to its storage"
        )

    def __cache_signature__(self) -> tuple[object, ...]:
        """Equal for records of one definition and the same types of fields, whichever call made the class."""
        from flydsl.cache.dependencies import encode_kept  # the analysis of sources waits until it is asked for

        return (encode_kept(type(self)), tuple(map(cache_signature, self)))

    @classmethod
    def __dsl_size_of__(cls) -> int:
        return _layout(cls)[1]

    @classmethod
    def __dsl_align_of__(cls) -> int:
        return _layout(cls)[2]

    @classmethod
    def __peek_from_ptr__(cls, ptr: Pointer) -> Self | Storage:
        return cls._make(peek_from_ptr(kind, pointer_to(kind, ptr, offset)) for _, kind, offset in cls.members())

    @classmethod
    def __poke_into_ptr__(cls, ptr: Pointer, value: object) -> None:
        if not isinstance(value, tuple) or len(value) != len(cls.fields):
            raise FrontendError(f"{cls.__name__} is written from {with_article(cls.__name__)}, found {value!r}")
        for (_, kind, offset), item in zip(cls.members(), value, strict=True):
            poke_into_ptr(kind, pointer_to(kind, ptr, offset), item)

    @classmethod
    def members(cls) -> list[tuple[str, StorableType, int]]:
        """Name, type and byte offset of each field; every field must be storable."""
        offsets = _layout(cls)[0]
        return [(name, kind, offsets[name]) for name, kind in cls.fields.items()]

    def __repr__(self) -> str:
        items = {**self._constants, **dict(zip(self.fields, self, strict=True))}
        values = ", ".join(f"{name}={value!r}" for name, value in items.items())
        return f"{(self._generic or type(self)).__name__}({values})"


class Union(Struct):
    """Base of the classes that `union` creates: fields at the same address; it exists in memory only."""

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Raises: a union has no value of its own. `fx.Union` itself decorates."""
        if cls is Union:
            return _decorated(Union, args, kwargs)  # type: ignore[no-any-return]
        raise FrontendError(f"the union {cls.__name__} exists in memory only; write one field of its storage")

    @classmethod
    def __peek_from_ptr__(cls, ptr: Pointer) -> Storage:
        """The storage itself: only the kernel knows which field is in use."""
        return Storage(ptr, cls)

    @classmethod
    def __poke_into_ptr__(cls, ptr: Pointer, value: object) -> None:
        raise FrontendError(f"the union {cls.__name__} is not written as a whole; write one field of its storage")


class Empty:
    """A storable type without bytes: what a kernel stores that needs nothing. All of its values are equal."""

    __slots__ = ()

    @classmethod
    def __dsl_size_of__(cls) -> int:
        return 0

    @classmethod
    def __dsl_align_of__(cls) -> int:
        return 1

    @classmethod
    def __peek_from_ptr__(cls, ptr: Pointer) -> Empty:
        return cls()

    @classmethod
    def __poke_into_ptr__(cls, ptr: Pointer, value: object) -> None:
        if not isinstance(value, Empty):
            raise FrontendError(f"nothing but fx.Empty() is written to the storage of an Empty, found {value!r}")

    def __extract_to_ir_values__(self) -> list[Any]:
        return []

    @classmethod
    def __construct_from_ir_values__(cls, values: list[Any]) -> Empty:
        return cls()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Empty)

    def __hash__(self) -> int:
        return hash(Empty)

    def __repr__(self) -> str:
        return "Empty()"


@overload
@dataclass_transform()
def struct(klass: type[T], /, *, align: int = 1) -> type[T]: ...
@overload
@dataclass_transform()
def struct(klass: None = None, /, *, align: int = 1) -> Any: ...
def struct(klass: Any = None, /, *, align: int = 1) -> Any:
    """Decorate a class with annotated fields as a record; `align` is its minimum alignment in memory, in bytes."""
    decorate = partial(_composite, base=Struct, align=align, scope=sys._getframe(1).f_locals)
    return decorate(klass) if klass else decorate


@overload
@dataclass_transform()
def union(klass: type[T], /, *, align: int = 1) -> type[T]: ...
@overload
@dataclass_transform()
def union(klass: None = None, /, *, align: int = 1) -> Any: ...
def union(klass: Any = None, /, *, align: int = 1) -> Any:
    """Decorate a class with annotated fields as a union: all fields are at offset 0; `align` is as for `struct`."""
    decorate = partial(_composite, base=Union, align=align, scope=sys._getframe(1).f_locals)
    return decorate(klass) if klass else decorate


def is_struct_type(obj: object) -> bool:
    """Whether `obj` is a class created by `struct`."""
    return is_composite_type(obj) and not issubclass(obj, Union)


def is_specializable_struct_type(tp: object) -> bool:
    """Whether `tp` is a struct with fields that are not storable, such as tensors, layouts and compile-time values."""
    return is_composite_type(tp) and is_struct_type(tp) and not all(is_storable(kind) for kind in tp.fields.values())


def is_composite_type(obj: object) -> TypeGuard[type[Struct]]:
    """Whether `obj` is a class created by `struct` or `union`."""
    return isinstance(obj, type) and issubclass(obj, Struct)


def _decorated(base: type[Struct], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """`@fx.Struct` and `@fx.Struct(align=16)`: what `struct` does, by the name of the class."""
    decorate = partial(_composite, base=base, align=kwargs.get("align", 1), scope=sys._getframe(2).f_locals)
    return decorate(args[0]) if args else decorate


def _composite(
    klass: type, base: type[Struct], align: int, scope: Mapping[str, object], *, is_inline: bool = False
) -> type:
    check_alignment(align)
    inherited = dict(getattr(klass, "fields", {})) if issubclass(klass, Struct) else {}
    fields = {**inherited, **_annotations(klass, scope)}
    if not fields:
        raise definition_error(f"{klass.__name__} has no fields; annotate them: `x: fx.Float32`")
    for name, kind in fields.items():
        if name in _RESERVED or (name.startswith("_") and not is_inline):
            raise definition_error(f"{klass.__name__}.{name} is a reserved name; rename the field")
        if not (isinstance(kind, type) or is_storable(kind) or is_constant(kind)):
            raise definition_error(f"{klass.__name__}.{name} is annotated with {kind!r}, which is not a type")
    defaults = {name: getattr(klass, name) for name in fields if _has_default(klass, name)}
    namespace: dict[str, Any] = {
        **{name: property(itemgetter(index)) for index, name in enumerate(fields)},
        **{"fields": fields, "_defaults": defaults, "_align": align, "__slots__": (), "__annotations__": dict(fields)},
        **{key: getattr(klass, key) for key in ("__module__", "__qualname__", "__doc__")},
    }
    bases = (klass,) if issubclass(klass, base) else (klass, base)
    return type(klass.__name__, bases, namespace)


def _annotations(klass: type, scope: Mapping[str, object]) -> dict[str, Any]:
    try:
        return inspect.get_annotations(klass, locals={**scope, **vars(klass)}, eval_str=True)
    except (NameError, AttributeError) as error:
        raise definition_error(f"{klass.__name__}: {error}; define it before the struct") from None


def _has_default(klass: type, name: str) -> bool:
    return hasattr(klass, name) and not isinstance(getattr(klass, name), property)


def _bound(cls: type[Struct], args: tuple[object, ...], kwargs: Mapping[str, object]) -> list[object]:
    """The values of all fields, in order."""
    names = list(cls.fields)
    if len(args) > len(names):
        raise FrontendError(f"{cls.__name__} has {len(names)} fields, found {len(args)} values")
    values = dict(zip(names, args, strict=False))
    unknown = [name for name in kwargs if name not in cls.fields or name in values]
    if unknown:
        raise FrontendError(f"{cls.__name__} takes each field once: {', '.join(names)}; found {', '.join(unknown)}")
    values = {**cls._defaults, **values, **kwargs}
    missing = [name for name in names if name not in values]
    if missing:
        raise FrontendError(f"{cls.__name__} needs a value for {', '.join(missing)}")
    return [_converted(kind, values[name]) for name, kind in cls.fields.items()]


def _converted(kind: StorableType, value: Any) -> object:
    return kind(value) if isinstance(kind, type) and issubclass(kind, Numeric | AliasVector) else value


def _layout(cls: type[Struct]) -> tuple[dict[str, int], int, int]:
    """Byte offsets of the fields, size and alignment."""
    offsets: dict[str, int] = {}
    end, align = 0, cls._align
    for name, kind in cls.fields.items():
        if not is_storable(kind):
            raise FrontendError(f"{cls.__name__}.{name} is a {type_name(kind)}, which cannot be stored in memory")
        offset = 0 if issubclass(cls, Union) else _next_multiple(end, dsl_align_of(kind))
        offsets[name] = offset
        end = max(end, offset + dsl_size_of(kind))
        align = max(align, dsl_align_of(kind))
    return offsets, _next_multiple(end, align), align


def _next_multiple(value: int, align: int) -> int:
    return -(-value // align) * align
