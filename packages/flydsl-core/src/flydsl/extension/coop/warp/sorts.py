"""Sorts of the items of a warp by comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, Unpack

from flydsl.base.errors import FrontendError, OperandError
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numeric import Int32
from flydsl.extension.coop.block.items import items_of
from flydsl.extension.coop.order import goes_before
from flydsl.extension.coop.specialisation import Specialised, key_and_value_types
from flydsl.extension.coop.warp.lanes import group_width
from flydsl.extension.coop.warp.network import Entry, Order, SortedLanes
from flydsl.extension.coop.warp.specialisation import WarpSpecialisation

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike, StorableType
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.block.items import Formed
    from flydsl.extension.coop.order import Compared

__all__ = ["WarpBitonicSort", "WarpMergeSort", "warp_bitonic_sort", "warp_merge_sort"]


class SortOptions(TypedDict, total=False):
    """The order of keys, and how many first items are sorted."""

    compare_op: Compared | None
    valid_items: IntLike | None


def warp_bitonic_sort(
    keys: object,
    values: object = None,
    *,
    width: int | None = None,
    compare_op: Compared | None = None,
    valid_items: IntLike | None = None,
) -> Item:
    """The keys of a group sorted, striped over its lanes, with their values if there are any.

    `compare_op(a, b)` says whether a goes before b: by default the smaller, and every number before NaN. Equal keys
    keep their order, -0.0 and 0.0 among them. Of n keys a lane, a power of two, item i of lane l is at l + i * width;
    those from `valid_items` on stay behind. In a group that the block does not fill, `width` here is how many threads
    it has.
    """
    return _sorted(keys, values, width, compare_op=compare_op, valid_items=valid_items, is_blocked=False)


def warp_merge_sort(
    keys: object,
    values: object = None,
    *,
    width: int | None = None,
    compare_op: Compared | None = None,
    valid_items: IntLike | None = None,
) -> Item:
    """The same with blocked items: item i of lane l is at l * n + i."""
    return _sorted(keys, values, width, compare_op=compare_op, valid_items=valid_items, is_blocked=True)


class _WarpSort(Specialised):
    """A sort of groups of `width` lanes with `items` keys each."""

    is_blocked: ClassVar[bool]
    dtype: ClassVar[Any]
    value_dtype: ClassVar[Any]
    width: ClassVar[int | None]
    items: ClassVar[int]

    @classmethod
    def _specialisation(cls, dtype: StorableType, width: object = None, items: object = 1) -> WarpSpecialisation:
        key, value = key_and_value_types(cls, dtype)
        lanes, count = known_integer(width), known_integer(items)
        return WarpSpecialisation(dtype=key, value_dtype=value, width=lanes, items=count)

    @classmethod
    def sort(cls, keys: object, values: object = None, **options: Unpack[SortOptions]) -> Item:
        """As the function of that name; equal keys keep their order."""
        cls.require("sort")
        found, formed = items_of(keys, cls.dtype)
        if len(found) != cls.items or (values is None) != (cls.value_dtype is None):
            raise FrontendError(
                f"{cls.__name__} sorts {cls.items} keys a lane and {cls.value_dtype} values, found {len(found)} keys"
            )
        if unknown := sorted(set(options) - SortOptions.__optional_keys__):
            known = ", ".join(sorted(SortOptions.__optional_keys__))
            raise FrontendError(f"a sort has no option {unknown[0]!r}; known: {known}")
        return _sorted(formed(found), values, cls.width, is_blocked=cls.is_blocked, **options)


class WarpBitonicSort(_WarpSort):
    """`WarpBitonicSort[dtype or a pair, width, n]`: `sort(keys, values)` of striped items."""

    is_blocked = False


class WarpMergeSort(_WarpSort):
    """`WarpMergeSort[dtype or a pair, width, n]`: `sort(keys, values)` of blocked items."""

    is_blocked = True


def _sorted(
    keys: object,
    values: object,
    width: int | None,
    *,
    is_blocked: bool,
    compare_op: Compared | None = None,
    valid_items: IntLike | None = None,
) -> Item:
    own, formed = _items(keys)
    beside, formed_values = _items(values) if values is not None else (own, None)
    count = len(own)
    if count & (count - 1) or len(beside) != count:
        raise OperandError(f"a warp sorts a power of two keys a lane, and as many values, found {count}, {len(beside)}")
    lanes = SortedLanes.of(group_width(width), count, is_blocked=is_blocked)
    order = Order(compare_op or goes_before, Int32(lanes.group * count if valid_items is None else valid_items))
    entries = lanes.sorted([Entry(*parts) for parts in zip(own, lanes.positions(), strict=True)], order)
    result = formed([entry.key for entry in entries])
    if formed_values is None:
        return result
    both: Any = result, formed_values(lanes.at([entry.place for entry in entries], beside))
    return both  # type: ignore[no-any-return]


def _items(given: object) -> tuple[list[Item], Formed]:
    """Keys or values of any type: one, or several in a Vector, list or tuple."""
    first = given[0] if isinstance(given, list | tuple) and type(given) in (list, tuple) else given
    return items_of(given, getattr(first, "dtype", None))
