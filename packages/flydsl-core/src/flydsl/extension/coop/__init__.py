"""Cooperation of threads: reductions, scans, exchanges and sorts of warps and blocks, with the target's instructions.

    Sum = fx.coop.BlockReduce[fx.Float32, 256]
    storage = fx.SharedAllocator().allocate(Sum.SharedStorage).peek()
    total = Sum(value, fx.ReductionOp.ADD, storage=storage)

All threads of a warp or block must call these functions together. `universal` has the same names, made of shuffles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.extension.coop import universal as universal
from flydsl.extension.coop import warp as warp
from flydsl.extension.coop.block.algorithms import BlockReduceAlgorithm, BlockScanAlgorithm
from flydsl.extension.coop.block.memory import BlockLoadAlgorithm, BlockStoreAlgorithm
from flydsl.extension.coop.block.radix_sort import BlockRadixSortAlgorithm
from flydsl.extension.coop.warp import (
    warp_exclusive_scan,
    warp_inclusive_scan,
    warp_reduce,
    warp_scan,
    warp_scan_with_aggregate,
)
from flydsl.extension.coop.warp.memory import WarpLoadAlgorithm, WarpStoreAlgorithm
from flydsl.extension.coop.warp.segments import (
    warp_broadcast,
    warp_head_segmented_reduce,
    warp_reduce_batched,
    warp_reduce_batched_to_blocked,
    warp_reduce_batched_to_striped,
    warp_tail_segmented_reduce,
)
from flydsl.extension.coop.warp.sorts import warp_bitonic_sort, warp_merge_sort
from flydsl.extension.coop.warp.sums import (
    warp_exclusive_sum,
    warp_head_segmented_sum,
    warp_inclusive_sum,
    warp_max,
    warp_min,
    warp_sum,
    warp_sum_batched,
    warp_sum_batched_to_blocked,
    warp_sum_batched_to_striped,
    warp_tail_segmented_sum,
)

if TYPE_CHECKING:  # to type checkers an index of a class is a type's parameter, and no value such as a block size
    from typing import Any, Protocol

    from flydsl.expr.struct import Struct

    class Specialisation(Protocol):
        """A specialised class, which is called or has methods."""

        SharedStorage: type[Struct]

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            """The result of the algorithm."""

        def __getattr__(self, name: str) -> Any:
            """Methods and parameters."""

    class Form(Protocol):
        """A class that is specialised by indexing."""

        def __getitem__(self, parameters: Any, /) -> Specialisation:
            """The specialisation."""

    BlockAdjacentDifference: Form
    BlockDiscontinuity: Form
    BlockExchange: Form
    BlockHistogram: Form
    BlockLoad: Form
    BlockMergeSort: Form
    BlockRadixRank: Form
    BlockRadixSort: Form
    BlockReduce: Form
    BlockRunLengthDecode: Form
    BlockScan: Form
    BlockShuffle: Form
    BlockStore: Form
    BlockTopK: Form
    WarpBitonicSort: Form
    WarpExchange: Form
    WarpLoad: Form
    WarpMergeSort: Form
    WarpReduce: Form
    WarpReduceBatched: Form
    WarpScan: Form
    WarpStore: Form
else:
    from flydsl.extension.coop.block.exchange import BlockExchange
    from flydsl.extension.coop.block.histogram import BlockHistogram
    from flydsl.extension.coop.block.memory import BlockLoad, BlockStore
    from flydsl.extension.coop.block.merge_sort import BlockMergeSort
    from flydsl.extension.coop.block.neighbours import BlockAdjacentDifference, BlockDiscontinuity, BlockShuffle
    from flydsl.extension.coop.block.radix_rank import BlockRadixRank
    from flydsl.extension.coop.block.radix_sort import BlockRadixSort
    from flydsl.extension.coop.block.reduce import BlockReduce
    from flydsl.extension.coop.block.run_length import BlockRunLengthDecode
    from flydsl.extension.coop.block.scan import BlockScan
    from flydsl.extension.coop.block.top_k import BlockTopK
    from flydsl.extension.coop.warp.algorithms import WarpReduce, WarpReduceBatched, WarpScan
    from flydsl.extension.coop.warp.exchange import WarpExchange
    from flydsl.extension.coop.warp.memory import WarpLoad, WarpStore
    from flydsl.extension.coop.warp.sorts import WarpBitonicSort, WarpMergeSort

__all__ = [
    "BlockAdjacentDifference",
    "BlockDiscontinuity",
    "BlockExchange",
    "BlockHistogram",
    "BlockLoad",
    "BlockLoadAlgorithm",
    "BlockMergeSort",
    "BlockRadixRank",
    "BlockRadixSort",
    "BlockRadixSortAlgorithm",
    "BlockReduce",
    "BlockReduceAlgorithm",
    "BlockRunLengthDecode",
    "BlockScan",
    "BlockScanAlgorithm",
    "BlockShuffle",
    "BlockStore",
    "BlockStoreAlgorithm",
    "BlockTopK",
    "WarpBitonicSort",
    "WarpExchange",
    "WarpLoad",
    "WarpLoadAlgorithm",
    "WarpMergeSort",
    "WarpReduce",
    "WarpReduceBatched",
    "WarpScan",
    "WarpStore",
    "WarpStoreAlgorithm",
    "universal",
    "warp",
    "warp_bitonic_sort",
    "warp_broadcast",
    "warp_exclusive_scan",
    "warp_exclusive_sum",
    "warp_head_segmented_reduce",
    "warp_head_segmented_sum",
    "warp_inclusive_scan",
    "warp_inclusive_sum",
    "warp_max",
    "warp_merge_sort",
    "warp_min",
    "warp_reduce",
    "warp_reduce_batched",
    "warp_reduce_batched_to_blocked",
    "warp_reduce_batched_to_striped",
    "warp_scan",
    "warp_scan_with_aggregate",
    "warp_sum",
    "warp_sum_batched",
    "warp_sum_batched_to_blocked",
    "warp_sum_batched_to_striped",
    "warp_tail_segmented_reduce",
    "warp_tail_segmented_sum",
]
