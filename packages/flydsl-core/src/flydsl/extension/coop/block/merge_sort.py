"""Stable sorts of a block's keys by comparisons: a bitonic network (Batcher) in shared memory.

Each key has its position beside it, which decides between equal ones; positions beyond the keys are behind all.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import FrontendError
from flydsl.expr.gpu import barrier
from flydsl.expr.memory.storage import Array
from flydsl.expr.numeric import Boolean, Int32
from flydsl.expr.struct import struct
from flydsl.expr.threads.compile_time import range_constexpr
from flydsl.extension.coop.block.items import items_of
from flydsl.extension.coop.block.positions import blocked, striped
from flydsl.extension.coop.block.sized import SizedBlock
from flydsl.extension.coop.block.storage import array_of, load
from flydsl.extension.coop.order import goes_before
from flydsl.extension.coop.specialisation import element_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from flydsl.expr.values.operand_types import IntLike


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
    def _parameters(cls, dtype: Any, block_size: Any, items: int = 1, algorithm: Any = None) -> dict[str, object]:
        key, value = dtype if isinstance(dtype, tuple) and len(dtype) == 2 else (dtype, None)
        attributes = super()._parameters(key, block_size, items, algorithm)
        threads: Any = attributes["block_threads"]
        slots = 1 << (threads * items - 1).bit_length()
        arrays: dict[str, Any] = {"slots": Array[key, slots], "places": Array[Int32, slots]}
        if value is not None:
            arrays["values"] = Array[element_type(cls, value), threads * items]
        record: Any = struct(type("SortStorage", (), {"__annotations__": arrays, "__module__": __name__}))
        return {**attributes, "value_dtype": value, "slots": slots, "SharedStorage": record}

    @classmethod
    def sort(
        cls,
        keys: Any,
        values: Any = None,
        *,
        storage: Any,
        descending: bool = False,
        compare_op: Callable[[Any, Any], Any] | None = None,
        valid_items: IntLike | None = None,
        oob_default: Any = None,
    ) -> Any:
        """The thread's part of what is sorted."""
        cls.require("sort")
        own, formed = items_of(keys, cls.dtype)
        if len(own) != cls.items or (values is None) != (cls.value_dtype is None):
            raise FrontendError(
                f"{cls.__name__} sorts {cls.items} keys a thread and {cls.value_dtype} values, found {len(own)} keys"
            )
        before = compare_op or (lambda a, b: goes_before(b, a) if descending else goes_before(a, b))
        block, record = cls.block(), cls.SharedStorage
        slots, places = array_of(storage, "slots", record), array_of(storage, "places", record)
        total = cls.block_threads * cls.items
        limit = Int32(total) if valid_items is None else Int32(valid_items)
        for position, key in zip(blocked(block, cls.items), own, strict=True):
            slots[position], places[position] = key, position
        padding = -(-(cls.slots - total) // cls.block_threads)
        for position in striped(block, padding):
            _rewritten()[0](position + total, cls.slots, slots, places, own[0])
        barrier()
        _rewritten()[1](slots, places, cls.slots, cls.block_threads, block.thread, limit, before)
        positions = blocked(block, cls.items)
        found = [load(places, position) for position in positions]
        result = [load(slots, position) for position in positions]
        if oob_default is not None:
            result = [
                Boolean(place < limit).select(key, cls.dtype(oob_default))
                for key, place in zip(result, found, strict=True)
            ]
        sorted_keys = formed(result)
        if values is None:
            return sorted_keys
        beside, formed_values = items_of(values, cls.value_dtype)
        array = array_of(storage, "values", record)
        for position, value in zip(positions, beside, strict=True):
            array[position] = value
        barrier()
        return sorted_keys, formed_values([load(array, place) for place in found])

    @classmethod
    def stable_sort(cls, keys: Any, values: Any = None, **options: Any) -> Any:
        """`sort`, which is stable."""
        return cls.sort(keys, values, **options)


def _pad(position: Any, end: Any, slots: Any, places: Any, key: Any) -> None:
    """Fill a slot that no key has."""
    if position < end:
        slots[position], places[position] = key, position


def _network(slots: Any, places: Any, count: Any, threads: Any, thread: Any, limit: Any, before: Any) -> None:
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


def _is_behind(a: Any, place_a: Any, b: Any, place_b: Any, limit: Any, before: Any) -> Any:
    """Whether key a goes behind key b."""
    first, second = Boolean(before(a, b)), Boolean(before(b, a))
    of_keys = second | (~first & (place_a > place_b))
    both, none = (place_a < limit) & (place_b < limit), (place_a >= limit) & (place_b >= limit)
    return both.select(of_keys, none.select(place_a > place_b, place_a >= limit))


@cache
def _rewritten() -> tuple[Any, Any]:
    from flydsl.compiler.ast_rewriter import ASTRewriter

    return ASTRewriter.transform(_pad), ASTRewriter.transform(_network)
