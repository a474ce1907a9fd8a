"""Ranks of a block's keys by one digit: where each key goes in a stable sort by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from flydsl.base.errors import OperandError
from flydsl.expr.gpu import barrier
from flydsl.expr.memory.storage import Array, Storage
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numbers.reduction import ReductionOp
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Int32, Numeric
from flydsl.extension.coop.block.block import Block
from flydsl.extension.coop.block.items import all_items
from flydsl.extension.coop.block.radix_keys import to_bits, unsigned_of
from flydsl.extension.coop.block.scan import BlockScan
from flydsl.extension.coop.block.sized import SizedBlock, SizedSpecialisation
from flydsl.extension.coop.block.storage import array_of, load, record

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import StorableType
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.block.items import Formed

_MOST_COUNTERS = 1 << 13


def most_digit_bits(threads: int) -> int:
    """The most bits of a digit of whose values a block of so many threads counts each, one counter a thread."""
    return max(1, (_MOST_COUNTERS // threads).bit_length() - 1)


def digit_ranks(
    block: Block, counters: Storage, scan: type[BlockScan], scanned: object, keys: Sequence[Numeric], digit: slice
) -> list[Int32]:
    """The rank of each of this thread's unsigned keys by the digit of bits `digit`: it goes behind those of lower
    digits, and of its own digit behind those before it.

    `counters` has one for each thread and value of the digit; `scan` is a `BlockScan` and `scanned` its storage.
    """
    threads, digits = block.threads, 1 << (digit.stop - digit.start)
    for value in range(digits):
        counters[block.thread + value * threads] = 0
    columns, before = [], []
    for key in keys:
        column = Int32((key >> digit.start) & (digits - 1)) * threads + block.thread
        count = load(counters, column)
        counters[column] = count + 1
        columns.append(column)
        before.append(count)
    barrier()
    first = block.thread * digits
    counts = tuple(load(counters, first + value) for value in range(digits))
    starts = scan.exclusive(counts, ReductionOp.ADD, storage=scanned)
    for value in range(digits):
        counters[first + value] = starts[value]
    barrier()
    return [load(counters, column) + count for column, count in zip(columns, before, strict=True)]


class BlockRadixRank(SizedBlock):
    """`P = BlockRadixRank[dtype, block_size, n]`: `P.rank(keys, storage=s)` gives where each of a thread's n keys goes
    in a stable sort of all the block's by one digit, of 4 bits or of those of `P.with_radix_bits(bits)`.

    Digits are of keys as `BlockRadixSort` orders them: a negative integer or float is less than a positive one.
    """

    radix_bits: ClassVar[int]

    @classmethod
    def _specialisation(
        cls,
        dtype: StorableType,
        block_size: object,
        items: object = 1,
        algorithm: object = None,
        radix_bits: object = None,
    ) -> SizedSpecialisation:
        width = unsigned_of(dtype).width
        facts = super()._specialisation(dtype, block_size, items, algorithm)
        most = min(most_digit_bits(facts.block_threads), width)
        bits = min(4, most) if radix_bits is None else known_integer(radix_bits)
        if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= most:
            raise OperandError(
                f"digits of a key of {width} bits in a block of {facts.block_threads} threads have 1 to {most} bits, "
                f"found {radix_bits!r}"
            )
        return replace(facts, radix_bits=bits)

    @classmethod
    def _attributes(cls, facts: SizedSpecialisation) -> dict[str, object]:
        counters = Array[Int32, facts.block_threads << (facts.radix_bits or 0)]
        scan = BlockScan.specialised(Int32, facts.block_size).SharedStorage
        return {"SharedStorage": record("RankStorage", counters=counters, scan=scan)}

    @classmethod
    def with_radix_bits(cls, radix_bits: object) -> type[Self]:
        """The same for digits of so many bits; OperandError for more than a key has, or a block can count."""
        cls.require("with_radix_bits")
        algorithm: type[Self] = cls.__bases__[0]  # that was specialised
        return algorithm.specialised(cls.dtype, cls.block_size, cls.items, cls.algorithm, radix_bits)

    @classmethod
    def rank(
        cls,
        keys: object,
        *,
        storage: object,
        begin_bit: int = 0,
        num_bits: int | None = None,
        descending: bool = False,
    ) -> Item | Vector:
        """The ranks, Int32 in the form of `keys`, by the bits from `begin_bit` on, `num_bits` or all of a digit."""
        cls.require("rank")
        given, formed = all_items(cls, keys, "ranks", "thread")
        count = min(cls.radix_bits, cls.dtype.width - begin_bit) if num_bits is None else num_bits
        if not (0 <= begin_bit < begin_bit + count <= cls.dtype.width and count <= cls.radix_bits):
            raise OperandError(
                f"bits from {begin_bit} to {begin_bit + count} are no digit of {cls.radix_bits} bits of keys of "
                f"{cls.dtype.width} bits"
            )
        bits = [to_bits(key, descending=descending) for key in given]
        counters = array_of(storage, "counters", cls.SharedStorage)
        scan = BlockScan.specialised(Int32, cls.block_size)
        digit = slice(begin_bit, begin_bit + count)
        ranks = digit_ranks(cls.block(), counters, scan, getattr(storage, "scan", None), bits, digit)
        barrier()
        return _as_given(keys, ranks, formed)


def _as_given(keys: object, ranks: list[Int32], formed: Formed) -> Item | Vector:
    """Ranks as a number, a Vector, a tuple or a list, as the keys were given."""
    if isinstance(keys, Vector):
        return Vector.from_elements(ranks, Int32).flattened_like(keys)
    return formed(ranks)
