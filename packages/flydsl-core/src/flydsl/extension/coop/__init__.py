"""Cooperation of threads: reductions, scans, exchanges and sorts of warps and blocks, with the target's instructions.

    Sum = fx.coop.BlockReduce[fx.Float32, 256]
    storage = fx.SharedAllocator().allocate(Sum.SharedStorage).peek()
    total = Sum(value, fx.ReductionOp.ADD, storage=storage)

All threads of a warp or block must call these functions together. `universal` has the same names, made of shuffles.
"""

from __future__ import annotations

from flydsl.extension.coop import universal as universal
from flydsl.extension.coop import warp as warp
from flydsl.extension.coop.block.algorithms import BlockReduceAlgorithm, BlockScanAlgorithm
from flydsl.extension.coop.block.exchange import BlockExchange
from flydsl.extension.coop.block.histogram import BlockHistogram
from flydsl.extension.coop.block.memory import BlockLoad, BlockLoadAlgorithm, BlockStore, BlockStoreAlgorithm
from flydsl.extension.coop.block.radix_sort import BlockRadixSort, BlockRadixSortAlgorithm
from flydsl.extension.coop.block.reduce import BlockReduce
from flydsl.extension.coop.block.scan import BlockScan
from flydsl.extension.coop.block.top_k import BlockTopK
from flydsl.extension.coop.warp import (
    warp_exclusive_scan,
    warp_inclusive_scan,
    warp_reduce,
    warp_scan,
    warp_scan_with_aggregate,
)
from flydsl.extension.coop.warp.algorithms import WarpReduce, WarpReduceBatched, WarpScan
from flydsl.extension.coop.warp.segments import (
    warp_broadcast,
    warp_head_segmented_reduce,
    warp_reduce_batched,
    warp_reduce_batched_to_blocked,
    warp_reduce_batched_to_striped,
    warp_tail_segmented_reduce,
)

__all__ = [
    "BlockExchange",
    "BlockHistogram",
    "BlockLoad",
    "BlockLoadAlgorithm",
    "BlockRadixSort",
    "BlockRadixSortAlgorithm",
    "BlockReduce",
    "BlockReduceAlgorithm",
    "BlockScan",
    "BlockScanAlgorithm",
    "BlockStore",
    "BlockStoreAlgorithm",
    "BlockTopK",
    "WarpReduce",
    "WarpReduceBatched",
    "WarpScan",
    "universal",
    "warp",
    "warp_broadcast",
    "warp_exclusive_scan",
    "warp_head_segmented_reduce",
    "warp_inclusive_scan",
    "warp_reduce",
    "warp_reduce_batched",
    "warp_reduce_batched_to_blocked",
    "warp_reduce_batched_to_striped",
    "warp_scan",
    "warp_scan_with_aggregate",
    "warp_tail_segmented_reduce",
]
