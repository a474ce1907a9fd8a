"""Stable sorts of a block's keys by their digits (least significant first), with values beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Required, TypedDict, Unpack

from flydsl.base.errors import FrontendError, OperandError
from flydsl.expr.gpu import barrier
from flydsl.expr.memory.storage import Array
from flydsl.expr.numeric import Int32, Numeric
from flydsl.extension.coop.block.items import Formed, items_of
from flydsl.extension.coop.block.positions import Positions, blocked, striped
from flydsl.extension.coop.block.radix_keys import from_bits, to_bits, unsigned_of
from flydsl.extension.coop.block.radix_rank import digit_ranks, most_digit_bits
from flydsl.extension.coop.block.scan import BlockScan
from flydsl.extension.coop.block.sized import SizedBlock, SizedSpecialisation
from flydsl.extension.coop.block.storage import array_of, load, record
from flydsl.extension.coop.specialisation import key_and_value_types

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import StorableType
    from flydsl.expr.values.traced_types import Item


class BlockRadixSortAlgorithm(Enum):
    """Names of algorithms; one is implemented, whatever is named."""

    RADIX_SCAN = "radix_scan"
    RADIX_DIGIT = "radix_digit"


class DigitOptions(TypedDict, total=False):
    """Shared memory; which bits of keys count, and how many one pass sorts by at most."""

    storage: Required[object]
    begin_bit: int
    end_bit: int | None
    radix_bits: int | None


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
    def _specialisation(
        cls, dtype: StorableType, block_size: object, items: object = 1, algorithm: object = None
    ) -> SizedSpecialisation:
        key, value = key_and_value_types(cls, dtype)
        unsigned_of(key)
        return replace(super()._specialisation(key, block_size, items, algorithm), value_dtype=value)

    @classmethod
    def _attributes(cls, facts: SizedSpecialisation) -> dict[str, object]:
        threads, count = facts.block_threads, facts.block_threads * facts.items
        bits = min(4, most_digit_bits(threads))
        arrays: dict[str, StorableType] = {"slots": Array[unsigned_of(facts.dtype), count]}
        if facts.value_dtype is not None:
            arrays["values"] = Array[facts.value_dtype, count]
        arrays["counters"] = Array[Int32, threads << bits]
        arrays["scan"] = BlockScan.specialised(Int32, facts.block_size).SharedStorage
        return {"digit_bits": bits, "SharedStorage": record("RadixStorage", **arrays)}

    def __new__(  # type: ignore[misc]
        cls,
        keys: object,
        values: object = None,
        *,
        descending: bool = False,
        blocked_to_striped: bool = False,
        **options: Unpack[DigitOptions],
    ) -> Item:
        """The thread's part of what is sorted: blocked, or striped if `blocked_to_striped`."""
        return cls._sort(keys, values, descending=descending, blocked_to_striped=blocked_to_striped, **options)

    @classmethod
    def _sort(
        cls,
        keys: object,
        values: object = None,
        *,
        storage: object,
        descending: bool = False,
        begin_bit: int = 0,
        end_bit: int | None = None,
        radix_bits: int | None = None,
        blocked_to_striped: bool = False,
    ) -> Item:
        cls.require("a sort")
        own, formed = _given(cls, keys, cls.dtype, "keys")
        beside = None if values is None else _given(cls, values, cls.value_dtype, "values")
        if (cls.value_dtype is None) != (values is None):
            raise FrontendError(f"{cls.__name__} sorts {cls.value_dtype} values, found {values!r}")
        end = cls.dtype.width if end_bit is None else end_bit
        if not 0 <= begin_bit < end <= cls.dtype.width:
            raise OperandError(f"bits from {begin_bit} to {end} are none of keys of {cls.dtype.width} bits")
        step = min(radix_bits or cls.digit_bits, cls.digit_bits)
        state: Sequence[Numeric] = [to_bits(key, descending=descending) for key in own]
        items = beside[0] if beside else []
        for shift in range(begin_bit, end, step):
            is_last = shift + step >= end
            where = striped if is_last and blocked_to_striped else blocked
            state, items = _pass(cls, storage, state, items, shift, min(step, end - shift), where)
        sorted_keys = formed([from_bits(bits, cls.dtype, descending=descending) for bits in state])
        if beside is None:
            return sorted_keys
        both: Any = sorted_keys, beside[1](items)
        return both  # type: ignore[no-any-return]

    @classmethod
    def sort_descending(cls, keys: object, values: object = None, **options: Unpack[DigitOptions]) -> Item:
        """The call with `descending=True`."""
        return cls._sort(keys, values, descending=True, **options)

    @classmethod
    def sort_blocked_to_striped(cls, keys: object, values: object = None, **options: Unpack[DigitOptions]) -> Item:
        """The call with `blocked_to_striped=True`."""
        return cls._sort(keys, values, blocked_to_striped=True, **options)

    @classmethod
    def sort_descending_blocked_to_striped(
        cls, keys: object, values: object = None, **options: Unpack[DigitOptions]
    ) -> Item:
        """`sort_blocked_to_striped` with `descending=True`."""
        return cls._sort(keys, values, descending=True, blocked_to_striped=True, **options)


def _pass(
    cls: type[BlockRadixSort],
    storage: Any,
    state: Sequence[Numeric],
    items: list[Item],
    shift: int,
    bits: int,
    where: Positions,
) -> tuple[list[Item], list[Item]]:
    """One digit: each item goes behind those of lower digits, and of its own digit behind those before it."""
    kind, block = cls.SharedStorage, cls.block()
    slots, counters = array_of(storage, "slots", kind), array_of(storage, "counters", kind)
    scan = BlockScan.specialised(Int32, cls.block_size)
    digit = slice(shift, shift + bits)
    ranks = digit_ranks(block, counters, scan, getattr(storage, "scan", None), state, digit)
    values = array_of(storage, "values", kind) if items else None
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


def _given(cls: type[BlockRadixSort], given: object, dtype: Any, what: str) -> tuple[list[Item], Formed]:
    items, formed = items_of(given, dtype)
    if len(items) != cls.items:
        raise FrontendError(f"{cls.__name__} sorts {cls.items} {what} a thread, found {len(items)}")
    return items, formed
