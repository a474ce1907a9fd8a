"""Sorts of the items of a warp by comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import FrontendError, OperandError
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numeric import Int32
from flydsl.extension.coop.block.items import items_of
from flydsl.extension.coop.order import goes_before
from flydsl.extension.coop.specialisation import Specialised, element_type
from flydsl.extension.coop.warp.lanes import group_width
from flydsl.extension.coop.warp.network import Compared, Entry, Order, SortedLanes

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike

__all__ = ["WarpBitonicSort", "WarpMergeSort", "warp_bitonic_sort", "warp_merge_sort"]


def warp_bitonic_sort(
    keys: Any,
    values: Any = None,
    *,
    width: int | None = None,
    compare_op: Compared | None = None,
    valid_items: IntLike | None = None,
) -> Any:
    """The keys of a group sorted, striped over its lanes, with their values if there are any.

    `compare_op(a, b)` says whether a goes before b: by default the smaller, and every number before NaN. Equal keys
    keep their order, -0.0 and 0.0 among them. Of n keys a lane, a power of two, item i of lane l is at l + i * width;
    those from `valid_items` on stay behind. In a group that the block does not fill, `width` here is how many threads
    it has.
    """
    return _sorted(keys, values, width, compare_op, valid_items, is_blocked=False)


def warp_merge_sort(
    keys: Any,
    values: Any = None,
    *,
    width: int | None = None,
    compare_op: Compared | None = None,
    valid_items: IntLike | None = None,
) -> Any:
    """The same with blocked items: item i of lane l is at l * n + i."""
    return _sorted(keys, values, width, compare_op, valid_items, is_blocked=True)


class _WarpSort(metaclass=Specialised):
    """A sort of groups of `width` lanes with `items` keys each."""

    is_blocked: ClassVar[bool]
    dtype: ClassVar[Any]
    value_dtype: ClassVar[Any]
    width: ClassVar[int | None]
    items: ClassVar[int]

    @classmethod
    def _parameters(cls, dtype: Any, width: int | None = None, items: int = 1) -> dict[str, object]:
        key, value = dtype if isinstance(dtype, tuple) and len(dtype) == 2 else (dtype, None)
        kinds = {"dtype": element_type(cls, key), "value_dtype": None if value is None else element_type(cls, value)}
        return {**kinds, "width": known_integer(width), "items": known_integer(items)}

    @classmethod
    def sort(cls, keys: Any, values: Any = None, **options: Any) -> Any:
        """As the function of that name; equal keys keep their order."""
        cls.require("sort")
        found, formed = items_of(keys, cls.dtype)
        if len(found) != cls.items or (values is None) != (cls.value_dtype is None):
            raise FrontendError(
                f"{cls.__name__} sorts {cls.items} keys a lane and {cls.value_dtype} values, found {len(found)} keys"
            )
        return _sorted(formed(found), values, cls.width, is_blocked=cls.is_blocked, **_known(options))


class WarpBitonicSort(_WarpSort):
    """`WarpBitonicSort[dtype or a pair, width, n]`: `sort(keys, values)` of striped items."""

    is_blocked = False


class WarpMergeSort(_WarpSort):
    """`WarpMergeSort[dtype or a pair, width, n]`: `sort(keys, values)` of blocked items."""

    is_blocked = True


def _known(options: dict[str, Any]) -> dict[str, Any]:
    known = {"compare_op": None, "valid_items": None}
    if unknown := sorted(set(options) - set(known)):
        raise FrontendError(f"a sort has no option {unknown[0]!r}; known: {', '.join(known)}")
    return {**known, **options}


def _sorted(
    keys: Any,
    values: Any,
    width: int | None,
    compare_op: Compared | None,
    valid_items: IntLike | None,
    *,
    is_blocked: bool,
) -> Any:
    own, formed = _items(keys)
    beside, formed_values = _items(values) if values is not None else ([None] * len(own), None)
    count = len(own)
    if count & (count - 1) or len(beside) != count:
        raise OperandError(f"a warp sorts a power of two keys a lane, and as many values, found {count}, {len(beside)}")
    lanes = SortedLanes.of(group_width(width), count, is_blocked=is_blocked)
    order = Order(compare_op or goes_before, Int32(lanes.group * count if valid_items is None else valid_items))
    entries = lanes.sorted([Entry(*parts) for parts in zip(own, lanes.positions(), strict=True)], order)
    result = formed([entry.key for entry in entries])
    return result if formed_values is None else (result, formed_values(lanes.at([e.place for e in entries], beside)))


def _items(given: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    """Keys or values of any type: one, or several in a Vector, list or tuple."""
    first = given[0] if isinstance(given, list | tuple) and type(given) in (list, tuple) else given
    return items_of(given, getattr(first, "dtype", None))
