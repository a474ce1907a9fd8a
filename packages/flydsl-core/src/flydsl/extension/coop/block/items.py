"""The items of one thread in a block algorithm: thread t has items t * n to t * n + n - 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Numeric
from flydsl.expr.struct import Struct
from flydsl.extension.coop.elements import element
from flydsl.extension.coop.operators import Operator

if TYPE_CHECKING:
    from flydsl.expr.values.traced_types import Item


Formed: TypeAlias = "Callable[[Sequence[object]], Item]"
"""What gives results the form of the items: one, a Vector, a tuple or a list."""


def items_of(value: object, dtype: Any) -> tuple[list[Item], Formed]:
    """The items that a caller passed: one, or a Vector, tuple or list of them; and what gives results the same form.

    FrontendError for items of another type than `dtype`.
    """
    if isinstance(value, Vector) and value.dtype is dtype:
        flat = value.reshape(value.numel)
        items: Any = list(flat)
        made: Any = lambda results: Vector.from_elements(list(results), dtype).flattened_like(value)  # noqa: E731
        return items, made
    if isinstance(value, tuple | list) and not isinstance(value, Struct):
        made = type(value) if type(value) is list else tuple
        return [_checked(item, dtype) for item in value], made
    made = itemgetter(0)
    return [_checked(value, dtype)], made


class WithItems(Protocol):
    """An algorithm with a known number of items."""

    dtype: ClassVar[Any]
    items: ClassVar[int]


def all_items(cls: type[WithItems], value: object, verb: str, holder: str) -> tuple[list[Item], Formed]:
    """As `items_of`, of an algorithm with a known number of items; `verb` says what it does with those of a `holder`.

    FrontendError for another number of items.
    """
    items, formed = items_of(value, cls.dtype)
    if len(items) != cls.items:
        raise FrontendError(f"{cls.__name__} {verb} {cls.items} items a {holder}, found {len(items)}")
    return items, formed


def folded(operator: Operator[Item], items: Sequence[Item]) -> Item:
    """All items combined in order."""
    result = items[0]
    for item in items[1:]:
        result = operator.combine(result, item)
    return result


def _checked(value: object, dtype: Any) -> Item:
    if isinstance(value, int | float):
        number: Item = dtype(value)
        return number
    item: Any = element(value)
    if isinstance(dtype, type) and issubclass(dtype, Numeric) and getattr(item, "dtype", None) is not dtype:
        raise FrontendError(f"the block algorithm is one of {dtype.__name__}, found {item!r}; convert it")
    return item  # type: ignore[no-any-return]
