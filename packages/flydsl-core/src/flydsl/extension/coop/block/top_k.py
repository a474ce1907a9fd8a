"""The k largest or smallest keys of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from flydsl.extension.coop.block.radix_sort import BlockRadixSort, DigitOptions

if TYPE_CHECKING:
    from flydsl.expr.values.traced_types import Item


class BlockTopK(BlockRadixSort):
    """`P = BlockTopK[dtype, block_size, n]`, or with a pair of types; then `P.max_keys(keys, k, storage=s)`: of the
    blocked results the first k are the k largest keys, the largest first; the others are the rest. The order is that of
    `BlockRadixSort`: NaN is larger than all numbers, and equal keys keep their order.
    """

    def __new__(  # type: ignore[misc]
        cls, keys: object, k: object, values: object = None, *, descending: bool = True, **options: Unpack[DigitOptions]
    ) -> Item:
        """The k largest first."""
        return cls._sort(keys, values, descending=descending, **options)

    @classmethod
    def max_keys(cls, keys: object, k: object, **options: Unpack[DigitOptions]) -> Item:
        """The k largest keys first, the largest at the front."""
        return cls._sort(keys, descending=True, **options)

    @classmethod
    def min_keys(cls, keys: object, k: object, **options: Unpack[DigitOptions]) -> Item:
        """The k smallest keys first, the smallest at the front."""
        return cls._sort(keys, descending=False, **options)

    @classmethod
    def max_pairs(cls, keys: object, values: object, k: object, **options: Unpack[DigitOptions]) -> Item:
        """As `max_keys`, with the values of the keys."""
        return cls._sort(keys, values, descending=True, **options)

    @classmethod
    def min_pairs(cls, keys: object, values: object, k: object, **options: Unpack[DigitOptions]) -> Item:
        """As `min_keys`, with the values of the keys."""
        return cls._sort(keys, values, descending=False, **options)
