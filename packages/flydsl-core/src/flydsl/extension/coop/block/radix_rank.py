"""Ranks of a block's keys by one digit: where each key goes in a stable sort by it."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Self

from flydsl.base.errors import OperandError
from flydsl.expr.gpu import barrier
from flydsl.expr.memory.storage import Array, Storage
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numbers.reduction import ReductionOp
from flydsl.expr.numeric import Int32
from flydsl.expr.struct import struct
from flydsl.extension.coop.block.block import Block
from flydsl.extension.coop.block.items import all_items
from flydsl.extension.coop.block.radix_keys import to_bits, unsigned_of
from flydsl.extension.coop.block.scan import BlockScan
from flydsl.extension.coop.block.sized import SizedBlock
from flydsl.extension.coop.block.storage import array_of, load

_MOST_COUNTERS = 1 << 13


def most_digit_bits(threads: int) -> int:
    """The most bits of a digit of whose values a block of so many threads counts each, one counter a thread."""
    return max(1, (_MOST_COUNTERS // threads).bit_length() - 1)


def digit_ranks(block: Block, counters: Storage, scan: Any, scanned: Any, keys: list[Any], digit: slice) -> list[Int32]:
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
        count: Any = load(counters, column)
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
    def _parameters(cls, dtype: Any, block_size: Any, items: int = 1, algorithm: Any = None) -> dict[str, object]:
        unsigned_of(dtype)
        attributes = super()._parameters(dtype, block_size, items, algorithm)
        bits = min(4, most_digit_bits(attributes["block_threads"]))  # type: ignore[arg-type]
        return {**attributes, **_digits_of(attributes["block_threads"], block_size, bits)}

    @classmethod
    def with_radix_bits(cls, radix_bits: int) -> type[Self]:
        """The same for digits of so many bits."""
        cls.require("with_radix_bits")
        bits, most = known_integer(radix_bits), most_digit_bits(cls.block_threads)
        if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= min(most, cls.dtype.width):
            raise OperandError(
                f"digits of {cls.dtype.__name__} in a block of {cls.block_threads} threads have 1 to "
                f"{min(most, cls.dtype.width)} bits, found {radix_bits!r}"
            )
        made: type[Self] = _of_digits(cls, bits)
        return made

    @classmethod
    def rank(
        cls,
        keys: Any,
        *,
        storage: Any,
        begin_bit: int = 0,
        num_bits: int | None = None,
        descending: bool = False,
    ) -> Any:
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
        scan: Any = BlockScan
        digit = slice(begin_bit, begin_bit + count)
        ranks = digit_ranks(cls.block(), counters, scan[Int32, cls.block_size], storage.scan, bits, digit)
        barrier()
        return _as_given(keys, ranks, formed)


def _as_given(keys: Any, ranks: list[Int32], formed: Any) -> Any:
    """Ranks as a number, a Vector, a tuple or a list, as the keys were given."""
    from flydsl.expr.numbers.vector import Vector

    if isinstance(keys, Vector):
        return Vector.from_elements(ranks, Int32).flattened_like(keys)
    return formed(ranks)


def _digits_of(threads: Any, block_size: Any, bits: int) -> dict[str, object]:
    scan: Any = BlockScan
    arrays = {"counters": Array[Int32, threads << bits], "scan": scan[Int32, block_size].SharedStorage}
    record: Any = struct(type("RankStorage", (), {"__annotations__": arrays, "__module__": __name__}))
    return {"radix_bits": bits, "SharedStorage": record}


@cache
def _of_digits(cls: Any, bits: int) -> Any:
    attributes = {"__doc__": cls.__doc__, "__module__": cls.__module__}
    name = f"{cls.__name__}.with_radix_bits({bits})"
    return type(cls)(name, (cls,), {**attributes, **_digits_of(cls.block_threads, cls.block_size, bits)})
