"""The k largest or smallest keys of a block."""

from __future__ import annotations

from typing import Any

from flydsl.extension.coop.block.radix_sort import BlockRadixSort


class BlockTopK(BlockRadixSort):
    """`P = BlockTopK[dtype, block_size, n]`, or with a pair of types; then `P.max_keys(keys, k, storage=s)`: of the
    blocked results the first k are the k largest keys, the largest first; the others are the rest. The order is that of
    `BlockRadixSort`: NaN is larger than all numbers, and equal keys keep their order.
    """

    def __new__(cls, keys: Any, k: Any, values: Any = None, *, storage: Any, **options: Any) -> Any:
        """The k largest first."""
        return super().__new__(cls, keys, values, storage=storage, **{"descending": True, **options})

    @classmethod
    def max_keys(cls, keys: Any, k: Any, *, storage: Any, **options: Any) -> Any:
        """The k largest keys first, the largest at the front."""
        return cls(keys, k, storage=storage, descending=True, **options)

    @classmethod
    def min_keys(cls, keys: Any, k: Any, *, storage: Any, **options: Any) -> Any:
        """The k smallest keys first, the smallest at the front."""
        return cls(keys, k, storage=storage, descending=False, **options)

    @classmethod
    def max_pairs(cls, keys: Any, values: Any, k: Any, *, storage: Any, **options: Any) -> Any:
        """As `max_keys`, with the values of the keys."""
        return cls(keys, k, values, storage=storage, descending=True, **options)

    @classmethod
    def min_pairs(cls, keys: Any, values: Any, k: Any, *, storage: Any, **options: Any) -> Any:
        """As `min_keys`, with the values of the keys."""
        return cls(keys, k, values, storage=storage, descending=False, **options)
