"""Histograms of a block's items in shared memory."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, ClassVar

from flydsl.base.errors import OperandError
from flydsl.expr.gpu import barrier
from flydsl.expr.memory.atomics import atomic_add
from flydsl.expr.memory.storage import Storage
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numeric import Int32
from flydsl.extension.coop.block.guarded import store_below
from flydsl.extension.coop.block.items import all_items
from flydsl.extension.coop.block.sized import SizedBlock, SizedSpecialisation

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import StorableType


class BlockHistogram(SizedBlock):
    """`P = BlockHistogram[dtype, block_size, n, bins]`: `P.init(histogram)` sets the counters to 0, and
    `P.composite(items, histogram)` counts the n items of each thread, integers below `bins`; `P(items, histogram)` does
    both. `histogram` is an array of `bins` counters in shared memory, which all threads see after a barrier of theirs.
    """

    bins: ClassVar[int]

    @classmethod
    def _specialisation(  # type: ignore[override]
        cls, dtype: StorableType, block_size: object, items: object, bins: object, algorithm: object = None
    ) -> SizedSpecialisation:
        count = known_integer(bins)
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise OperandError(f"{cls.__name__} takes the number of bins, found {count!r}")
        return replace(super()._specialisation(dtype, block_size, items, algorithm), bins=count)

    def __new__(cls, items: object, histogram: Storage) -> None:  # type: ignore[misc]
        """The histogram of the items."""
        cls.init(histogram)
        cls.composite(items, histogram)

    @classmethod
    def init(cls, histogram: Storage) -> None:
        """Set all counters to 0, and wait for that."""
        cls.require("init")
        thread, threads = cls.block().thread, prod(cls.block_size)
        for first in range(0, cls.bins, threads):
            index = Int32(thread + first)
            store_below(index, Int32(cls.bins), histogram, index, 0)
        barrier()

    @classmethod
    def composite(cls, items: object, histogram: Storage) -> None:
        """Count the items too."""
        cls.require("composite")
        given, _ = all_items(cls, items, "counts", "thread")
        for item in given:
            counter = histogram.ptr + Int32(item)
            atomic_add(counter, counter.dtype(1))  # type: ignore[misc]
