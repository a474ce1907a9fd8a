"""Specialisation by indexing: `Algorithm[dtype, ...]` is a subclass with the facts of its parameters as attributes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakValueDictionary

from flydsl.base.errors import FrontendError, OperandError
from flydsl.base.process.fork_locks import new_lock
from flydsl.expr.memory.storable import is_storable
from flydsl.expr.numbers.promotion import known_integer

if TYPE_CHECKING:
    from typing import Self

    from flydsl.expr.values.operand_types import StorableType


@dataclass(frozen=True, kw_only=True)
class Specialisation:
    """What parameters say: the facts of `BlockReduce[fx.Float32, 256]`, by which its class is known."""

    dtype: StorableType

    @property
    def attributes(self) -> dict[str, object]:
        """The facts, and what follows from them, as attributes of a class."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def title(self) -> str:
        """The facts in the brackets of a class's name."""
        return "..."


class Specialised:
    """Base of algorithms that are specialised by indexing: equal facts give one class.

    Their attributes are known when the class is made, so that Python's own hook is enough, and no metaclass is needed.
    """

    is_specialised: ClassVar[bool] = False

    def __class_getitem__(cls, parameters: object) -> type[Self]:
        return cls.specialised(*parameters) if isinstance(parameters, tuple) else cls.specialised(parameters)

    @classmethod
    def specialised(cls, *parameters: object) -> type[Self]:
        """`cls[parameters]`; FrontendError (a TypeError) for parameters that the algorithm does not take."""
        if cls.is_specialised:
            raise FrontendError(f"{cls.__name__} is specialised already; index the class without parameters")
        try:
            facts = cls._specialisation(*parameters)
        except TypeError as error:
            if isinstance(error, FrontendError):
                raise
            given = parameters[0] if len(parameters) == 1 else parameters
            raise FrontendError(f"{cls.__name__} is not specialised by {given!r}: {error}") from None
        return _class_of(cls, facts)

    @classmethod
    def _specialisation(cls, *parameters: Any, **_: Any) -> Specialisation:
        """The facts of parameters, checked; each family of algorithms has its own."""
        raise NotImplementedError(f"{cls.__name__} has no _specialisation(*parameters)")

    @classmethod
    def _attributes(cls, facts: Any) -> dict[str, object]:
        """What an algorithm of its own kind has beside the facts, such as its `SharedStorage`."""
        return {}

    @classmethod
    def require(cls, method: str) -> None:
        """FrontendError unless the class is specialised."""
        if not cls.is_specialised:
            raise FrontendError(f"{cls.__name__}.{method} needs a specialisation: {cls.__name__}[dtype, ...]")


_classes: WeakValueDictionary[tuple[type[Specialised], Specialisation], type[Any]] = WeakValueDictionary()
"""Classes that something uses, so that equal facts give one class and none is kept for its own sake."""
_lock = new_lock()


def _class_of(cls: type[Specialised], facts: Specialisation) -> type[Any]:
    made = _classes.get((cls, facts))
    if made is None:
        namespace = {"__module__": cls.__module__, "__doc__": cls.__doc__, "is_specialised": True}
        attributes = {**facts.attributes, **cls._attributes(facts)}
        made = type(f"{cls.__name__}[{facts.title}]", (cls,), {**namespace, **attributes})
        with _lock:
            return _classes.setdefault((cls, facts), made)
    return made


def item_count(cls: type, count: object, holder: str) -> int:
    """`count`, checked to be a number of items that each `holder`, a thread or lane, has; OperandError for others."""
    known = known_integer(count)
    if isinstance(known, bool) or not isinstance(known, int) or known < 1:
        raise OperandError(f"{cls.__name__} takes the number of items a {holder}, found {count!r}")
    return known


def element_type(cls: type, dtype: object) -> StorableType:
    """`dtype`, checked to be a type of elements."""
    if not is_storable(dtype):
        raise FrontendError(f"{cls.__name__} takes a type of elements such as fx.Float32, found {dtype!r}")
    return dtype


def key_and_value_types(cls: type, dtype: StorableType) -> tuple[StorableType, StorableType | None]:
    """The checked types of keys and of values that a sort is specialised for: a pair, or one of keys alone."""
    key, value = dtype if isinstance(dtype, tuple) and len(dtype) == 2 else (dtype, None)
    return element_type(cls, key), None if value is None else element_type(cls, value)
