"""Stable sorts of a block's keys by comparisons: a bitonic network (Batcher) in shared memory.

Each key has its position beside it, which decides between equal ones; positions beyond the keys are behind all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import FrontendError
from flydsl.expr.gpu import barrier
from flydsl.expr.memory.storage import Array
from flydsl.expr.numeric import Boolean, Int32
from flydsl.expr.threads.compile_time import range_constexpr
from flydsl.extension.coop.block.items import items_of
from flydsl.extension.coop.block.positions import blocked, striped
from flydsl.extension.coop.block.rewritten import rewritten
from flydsl.extension.coop.block.sized import SizedBlock, SizedSpecialisation
from flydsl.extension.coop.block.storage import array_of, load, record
from flydsl.extension.coop.elements import chosen
from flydsl.extension.coop.order import goes_before
from flydsl.extension.coop.specialisation import key_and_value_types

if TYPE_CHECKING:
    from flydsl.expr.memory.storage import Storage
    from flydsl.expr.values.operand_types import IntLike, StorableType
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.elements import chosen
from flydsl.extension.coop.order import Compared


class BlockMergeSort(SizedBlock):
    """`P = BlockMergeSort[dtype, block_size, n]`, or with a pair of types of keys and values; then
    `P.sort(keys, storage=s)` gives the thread's n keys of all sorted ones, blocked, and with `values=` both.

    `compare_op(a, b)` says whether a goes before b: by default the smaller, or the larger if `descending`. NaN is
    larger than all numbers. Equal keys keep their order, -0.0 and 0.0 among them, and NaNs. Of keys from `valid_items`
    on, which stay behind, `oob_default` takes the place, if given.
    """

    value_dtype: ClassVar[Any]
    slots: ClassVar[int]

    @classmethod
    def _specialisation(
        cls, dtype: StorableType, block_size: object, items: object = 1, algorithm: object = None
    ) -> SizedSpecialisation:
        key, value = key_and_value_types(cls, dtype)
        return replace(super()._specialisation(key, block_size, items, algorithm), value_dtype=value)

    @classmethod
    def _attributes(cls, facts: SizedSpecialisation) -> dict[str, object]:
        count = facts.block_threads * facts.items
        slots = 1 << (count - 1).bit_length()
        arrays = {"slots": Array[facts.dtype, slots], "places": Array[Int32, slots]}
        if facts.value_dtype is not None:
            arrays["values"] = Array[facts.value_dtype, count]
        return {"slots": slots, "SharedStorage": record("SortStorage", **arrays)}

    @classmethod
    def sort(
        cls,
        keys: object,
        values: object = None,
        *,
        storage: object,
        descending: bool = False,
        compare_op: Compared | None = None,
        valid_items: IntLike | None = None,
        oob_default: object = None,
    ) -> Item:
        """The thread's part of what is sorted."""
        cls.require("sort")
        own, formed = items_of(keys, cls.dtype)
        if len(own) != cls.items or (values is None) != (cls.value_dtype is None):
            raise FrontendError(
                f"{cls.__name__} sorts {cls.items} keys a thread and {cls.value_dtype} values, found {len(own)} keys"
            )
        before = compare_op or (lambda a, b: goes_before(b, a) if descending else goes_before(a, b))
        block, kind = cls.block(), cls.SharedStorage
        slots, places = array_of(storage, "slots", kind), array_of(storage, "places", kind)
        total = cls.block_threads * cls.items
        limit = Int32(total) if valid_items is None else Int32(valid_items)
        for position, key in zip(blocked(block, cls.items), own, strict=True):
            slots[position], places[position] = key, position
        padding = -(-(cls.slots - total) // cls.block_threads)
        for position in striped(block, padding):
            rewritten(_pad)(position + total, cls.slots, slots, places, own[0])
        barrier()
        rewritten(_network)(slots, places, cls.slots, cls.block_threads, block.thread, limit, before)
        positions = blocked(block, cls.items)
        found = [load(places, position) for position in positions]
        result = [load(slots, position) for position in positions]
        if oob_default is not None:
            result = [
                chosen(Boolean(place < limit), key, cls.dtype(oob_default))
                for key, place in zip(result, found, strict=True)
            ]
        sorted_keys = formed(result)
        if values is None:
            return sorted_keys
        beside, formed_values = items_of(values, cls.value_dtype)
        array = array_of(storage, "values", kind)
        for position, value in zip(positions, beside, strict=True):
            array[position] = value
        barrier()
        both: Any = sorted_keys, formed_values([load(array, place) for place in found])
        return both  # type: ignore[no-any-return]

    @classmethod
    def stable_sort(cls, keys: object, values: object = None, **options: Any) -> Item:
        """`sort`, which is stable."""
        return cls.sort(keys, values, **options)


def _pad(position: Int32, end: int, slots: Storage, places: Storage, key: object) -> None:
    """Fill a slot that no key has."""
    if position < end:
        slots[position], places[position] = key, position


def _network(
    slots: Storage, places: Storage, count: int, threads: int, thread: Int32, limit: Int32, before: Compared
) -> None:
    """Sort all slots: runs of `size`, of which every other one is the other way round, are merged step by step."""
    size = Int32(2)
    while size <= count:
        step = size // 2
        while step > 0:
            for chunk in range_constexpr(-(-(count // 2) // threads)):
                pair = thread + chunk * threads
                if pair < count // 2:
                    low = (pair // step) * (step * 2) + pair % step
                    high = low + step
                    a, b = load(slots, low), load(slots, high)
                    place_a, place_b = load(places, low), load(places, high)
                    wrong = _is_behind(a, place_a, b, place_b, limit, before)
                    if wrong == ((low & size) == 0):
                        slots[low], slots[high] = b, a
                        places[low], places[high] = place_b, place_a
            barrier()
            step = step // 2
        size = size * 2


def _is_behind(a: Item, place_a: Item, b: Item, place_b: Item, limit: Int32, before: Compared) -> Boolean:
    """Whether key a goes behind key b."""
    first, second = Boolean(before(a, b)), Boolean(before(b, a))
    of_keys = second | (~first & (place_a > place_b))
    both, none = (place_a < limit) & (place_b < limit), (place_a >= limit) & (place_b >= limit)
    return both.select(of_keys, none.select(place_a > place_b, place_a >= limit))
