"""Sorts of the items of a warp by comparisons: a bitonic network (Batcher) of exchanges between lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from flydsl.base.errors import FrontendError, OperandError
from flydsl.expr.numeric import Boolean, Int32
from flydsl.expr.threads.shuffle import shuffle_xor
from flydsl.extension.coop.block.items import items_of
from flydsl.extension.coop.elements import chosen, exchanged
from flydsl.extension.coop.specialisation import Specialised, element_type
from flydsl.extension.coop.warp.shuffles import group_width, lane_of

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike

__all__ = ["WarpBitonicSort", "WarpMergeSort", "warp_bitonic_sort", "warp_merge_sort"]

Compared = Callable[[Any, Any], Any]


def warp_bitonic_sort(
    keys: Any,
    values: Any = None,
    *,
    width: int | None = None,
    compare_op: Compared | None = None,
    valid_items: IntLike | None = None,
) -> Any:
    """The keys of a group sorted, striped over its lanes, with their values if there are any.

    `compare_op(a, b)` says whether a goes before b, by default the smaller. Of n keys a lane, a power of two, item i of
    lane l is at l + i * width; those from `valid_items` on stay behind.
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
        return {**kinds, "width": width, "items": items}

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


class _Entry(NamedTuple):
    """A key with its position before the sort, and its value."""

    key: Any
    place: Any
    value: Any


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
    group = group_width(width)
    own, formed = _items(keys)
    beside, formed_values = _items(values) if values is not None else ([None] * len(own), None)
    count = len(own)
    if count & (count - 1) or len(beside) != count:
        raise OperandError(f"a warp sorts a power of two keys a lane, and as many values, found {count}, {len(beside)}")
    lane = lane_of(group)
    places = [lane * count + k if is_blocked else lane + k * group for k in range(count)]
    limit = Int32(group * count if valid_items is None else valid_items)
    behind = _Order(compare_op or (lambda a, b: a < b), limit)
    entries = [_Entry(*parts) for parts in zip(own, places, beside, strict=True)]
    size = 2
    while size <= group * count:
        step = size // 2
        while step:
            entries = _step(entries, behind, size, step, group, lane, is_blocked)
            step //= 2
        size *= 2
    result = formed([entry.key for entry in entries])
    return result if formed_values is None else (result, formed_values([entry.value for entry in entries]))


class _Order(NamedTuple):
    """Whether one entry goes behind another; those from `limit` on go behind all."""

    before: Compared
    limit: Int32

    def __call__(self, a: _Entry, b: _Entry) -> Any:
        first, second = Boolean(self.before(a.key, b.key)), Boolean(self.before(b.key, a.key))
        later = Boolean(a.place > b.place)
        of_keys = second | (~first & later)
        are_keys = (a.place < self.limit) & (b.place < self.limit)
        return are_keys.select(of_keys, later)  # positions from the limit on are the larger ones


def _step(
    entries: list[_Entry], behind: _Order, size: int, step: int, group: int, lane: Int32, is_blocked: bool
) -> list[_Entry]:
    """Entries `step` apart put into order, within runs of `size`, of which every other one is the other way round."""
    count = len(entries)
    per_lane, across = (count, 1) if is_blocked else (1, group)  # how far apart lanes are, and items of a lane
    results = list(entries)
    for k, entry in enumerate(entries):
        rises = _is_clear(lane * per_lane + k * across, size)
        distance = step // per_lane if is_blocked else step
        if (step >= count) if is_blocked else (step < group):
            other = _Entry(*(_moved(part, distance, group) for part in entry))
            is_low = _is_clear(lane, distance)
            wrong = is_low.select(behind(entry, other), behind(other, entry))
            results[k] = _Entry(*(_swapped(wrong == rises, a, b) for a, b in zip(entry, other, strict=True)))
            continue
        apart = step if is_blocked else step // group
        if not k & apart:
            other = entries[k + apart]
            swaps = behind(entry, other) == rises
            results[k] = _Entry(*(_swapped(swaps, a, b) for a, b in zip(entry, other, strict=True)))
            results[k + apart] = _Entry(*(_swapped(swaps, b, a) for a, b in zip(entry, other, strict=True)))
    return results


def _is_clear(index: Any, bit: int) -> Boolean:
    return Boolean((index & bit) == 0)


def _moved(part: Any, distance: int, group: int) -> Any:
    return part if part is None else exchanged(part, lambda number: shuffle_xor(number, distance, group))


def _swapped(condition: Any, own: Any, other: Any) -> Any:
    return None if own is None else chosen(condition, other, own)


def _items(given: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    """Keys or values of any type: one, or several in a Vector, list or tuple."""
    first = given[0] if isinstance(given, list | tuple) and type(given) in (list, tuple) else given
    return items_of(given, getattr(first, "dtype", None))
