"""Classes that are specialised by indexing: `Algorithm[dtype, ...]`, one class for equal parameters."""

from __future__ import annotations

from typing import Any, ClassVar

from flydsl.base.errors import FrontendError, OperandError
from flydsl.base.process.fork_locks import new_lock
from flydsl.expr.memory.storable import is_storable
from flydsl.expr.numbers.promotion import known_integer


class Specialised(type):
    """The class of algorithms whose `_parameters(*given)` gives the attributes of a specialisation."""

    is_specialised: bool = False
    _lock: ClassVar = new_lock()
    _made: ClassVar[dict[tuple[object, ...], Any]] = {}

    def __getitem__(cls, parameters: object) -> Any:
        if cls.is_specialised:
            raise FrontendError(f"{cls.__name__} is specialised already; index the class without parameters")
        given = parameters if isinstance(parameters, tuple) else (parameters,)
        try:
            attributes: dict[str, object] = cls._parameters(*given)  # type: ignore[attr-defined]
        except TypeError as error:
            if isinstance(error, FrontendError):
                raise
            raise FrontendError(f"{cls.__name__} is not specialised by {parameters!r}: {error}") from None
        key = (cls, tuple((name, attributes[name]) for name in sorted(attributes) if name != "SharedStorage"))
        with cls._lock:
            made = cls._made.get(key)
            if made is None:
                namespace = {"__module__": cls.__module__, "__doc__": cls.__doc__, "is_specialised": True, **attributes}
                made = cls._made[key] = type(cls)(f"{cls.__name__}[...]", (cls,), namespace)
            return made

    def require(cls, method: str) -> None:
        """FrontendError unless the class is specialised."""
        if not cls.is_specialised:
            raise FrontendError(f"{cls.__name__}.{method} needs a specialisation: {cls.__name__}[dtype, ...]")


def item_count(cls: type, count: Any, holder: str) -> int:
    """`count`, checked to be a number of items that each `holder`, a thread or lane, has; OperandError for others."""
    known = known_integer(count)
    if isinstance(known, bool) or not isinstance(known, int) or known < 1:
        raise OperandError(f"{cls.__name__} takes the number of items a {holder}, found {count!r}")
    return known


def element_type(cls: type, dtype: Any) -> Any:
    """`dtype`, checked to be a type of elements."""
    if not is_storable(dtype):
        raise FrontendError(f"{cls.__name__} takes a type of elements such as fx.Float32, found {dtype!r}")
    return dtype
