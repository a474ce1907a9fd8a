"""Stable sorts of a block's keys by their digits (least significant first), with values beside them."""

from __future__ import annotations

from enum import Enum
from typing import Any, ClassVar

from flydsl.base.errors import FrontendError, OperandError
from flydsl.expr.gpu import barrier
from flydsl.expr.memory.storage import Array
from flydsl.expr.numeric import Int32
from flydsl.expr.struct import struct
from flydsl.extension.coop.block.items import items_of
from flydsl.extension.coop.block.positions import blocked, striped
from flydsl.extension.coop.block.radix_keys import from_bits, to_bits, unsigned_of
from flydsl.extension.coop.block.radix_rank import digit_ranks, most_digit_bits
from flydsl.extension.coop.block.scan import BlockScan
from flydsl.extension.coop.block.sized import SizedBlock
from flydsl.extension.coop.block.storage import array_of, load
from flydsl.extension.coop.specialisation import element_type

Sorted = Any


class BlockRadixSortAlgorithm(Enum):
    """Names of algorithms; one is implemented, whatever is named."""

    RADIX_SCAN = "radix_scan"
    RADIX_DIGIT = "radix_digit"


class BlockRadixSort(SizedBlock):
    """`P = BlockRadixSort[dtype, block_size, n]`, or with a pair of types of keys and values; then
    `P(keys, storage=s)` gives the thread's n keys of all sorted ones, and `P(keys, values, storage=s)` both.

    Equal keys keep their order, also if `descending`. Only the bits from `begin_bit` to before `end_bit` count. NaN is
    larger than all numbers. Keys differ by their bits: -0.0 is less than 0.0, and NaNs of other bits are other keys.
    """

    algorithms = BlockRadixSortAlgorithm
    value_dtype: ClassVar[Any]
    digit_bits: ClassVar[int]

    @classmethod
    def _parameters(cls, dtype: Any, block_size: Any, items: int = 1, algorithm: Any = None) -> dict[str, object]:
        key, value = dtype if isinstance(dtype, tuple) and len(dtype) == 2 else (dtype, None)
        unsigned_of(key)
        attributes = super()._parameters(key, block_size, items, algorithm)
        threads: Any = attributes["block_threads"]
        bits = min(4, most_digit_bits(threads))
        arrays: dict[str, Any] = {"slots": Array[unsigned_of(key), threads * items]}
        if value is not None:
            arrays["values"] = Array[element_type(cls, value), threads * items]
        arrays["counters"] = Array[Int32, threads << bits]
        scan: Any = BlockScan
        arrays["scan"] = scan[Int32, block_size].SharedStorage
        record: Any = struct(type("RadixStorage", (), {"__annotations__": arrays, "__module__": __name__}))
        return {**attributes, "value_dtype": value, "digit_bits": bits, "SharedStorage": record}

    def __new__(
        cls,
        keys: Any,
        values: Any = None,
        *,
        storage: Any,
        descending: bool = False,
        begin_bit: int = 0,
        end_bit: int | None = None,
        radix_bits: int | None = None,
        blocked_to_striped: bool = False,
    ) -> Sorted:
        """The thread's part of what is sorted: blocked, or striped if `blocked_to_striped`."""
        cls.require("a sort")
        own, formed = _given(cls, keys, cls.dtype, "keys")
        beside = None if values is None else _given(cls, values, cls.value_dtype, "values")
        if (cls.value_dtype is None) != (values is None):
            raise FrontendError(f"{cls.__name__} sorts {cls.value_dtype} values, found {values!r}")
        end = cls.dtype.width if end_bit is None else end_bit
        if not 0 <= begin_bit < end <= cls.dtype.width:
            raise OperandError(f"bits from {begin_bit} to {end} are none of keys of {cls.dtype.width} bits")
        step = min(radix_bits or cls.digit_bits, cls.digit_bits)
        state = [to_bits(key, descending=descending) for key in own]
        items = beside[0] if beside else []
        for shift in range(begin_bit, end, step):
            is_last = shift + step >= end
            where = striped if is_last and blocked_to_striped else blocked
            state, items = _pass(cls, storage, state, items, shift, min(step, end - shift), where)
        sorted_keys = formed([from_bits(bits, cls.dtype, descending=descending) for bits in state])
        return sorted_keys if beside is None else (sorted_keys, beside[1](items))

    @classmethod
    def sort_descending(cls, keys: Any, values: Any = None, **options: Any) -> Any:
        """The call with `descending=True`."""
        return cls(keys, values, descending=True, **options)

    @classmethod
    def sort_blocked_to_striped(cls, keys: Any, values: Any = None, **options: Any) -> Any:
        """The call with `blocked_to_striped=True`."""
        return cls(keys, values, blocked_to_striped=True, **options)

    @classmethod
    def sort_descending_blocked_to_striped(cls, keys: Any, values: Any = None, **options: Any) -> Any:
        """`sort_blocked_to_striped` with `descending=True`."""
        return cls(keys, values, descending=True, blocked_to_striped=True, **options)


def _pass(
    cls: type[BlockRadixSort], storage: Any, state: list[Any], items: list[Any], shift: int, bits: int, where: Any
) -> tuple[list[Any], list[Any]]:
    """One digit: each item goes behind those of lower digits, and of its own digit behind those before it."""
    record, block = cls.SharedStorage, cls.block()
    slots, counters = array_of(storage, "slots", record), array_of(storage, "counters", record)
    scan: Any = BlockScan
    digit = slice(shift, shift + bits)
    ranks = digit_ranks(block, counters, scan[Int32, cls.block_size], storage.scan, state, digit)
    values = array_of(storage, "values", record) if items else None
    for k, rank in enumerate(ranks):
        slots[rank] = state[k]
        if values is not None:
            values[rank] = items[k]
    barrier()
    positions = where(block, cls.items)
    result = (
        [load(slots, index) for index in positions],
        [load(values, i) for i in positions] if values is not None else [],
    )
    barrier()
    return result


def _given(cls: type[BlockRadixSort], given: Any, dtype: Any, what: str) -> tuple[list[Any], Any]:
    items, formed = items_of(given, dtype)
    if len(items) != cls.items:
        raise FrontendError(f"{cls.__name__} sorts {cls.items} {what} a thread, found {len(items)}")
    return items, formed
