"""The names of `fx.coop` made of shuffles alone, on every target."""

from __future__ import annotations

from functools import partial as _partial
from typing import Any, ClassVar

from flydsl.extension.coop.block.algorithms import BlockReduceAlgorithm, BlockScanAlgorithm
from flydsl.extension.coop.block.exchange import BlockExchange
from flydsl.extension.coop.block.histogram import BlockHistogram
from flydsl.extension.coop.block.memory import BlockLoad, BlockLoadAlgorithm, BlockStore, BlockStoreAlgorithm
from flydsl.extension.coop.block.merge_sort import BlockMergeSort
from flydsl.extension.coop.block.neighbours import BlockAdjacentDifference, BlockDiscontinuity, BlockShuffle
from flydsl.extension.coop.block.radix_rank import BlockRadixRank
from flydsl.extension.coop.block.radix_sort import BlockRadixSort, BlockRadixSortAlgorithm
from flydsl.extension.coop.block.reduce import BlockReduce as _BlockReduce
from flydsl.extension.coop.block.run_length import BlockRunLengthDecode
from flydsl.extension.coop.block.scan import BlockScan as _BlockScan
from flydsl.extension.coop.block.top_k import BlockTopK
from flydsl.extension.coop.warp import algorithms as _algorithms
from flydsl.extension.coop.warp import segments as _segments
from flydsl.extension.coop.warp import shuffles as _shuffles
from flydsl.extension.coop.warp import sums as _sums
from flydsl.extension.coop.warp.exchange import WarpExchange
from flydsl.extension.coop.warp.memory import WarpLoad, WarpLoadAlgorithm, WarpStore, WarpStoreAlgorithm
from flydsl.extension.coop.warp.segments import (
    warp_broadcast,
    warp_head_segmented_reduce,
    warp_tail_segmented_reduce,
)
from flydsl.extension.coop.warp.shuffles import (
    warp_exclusive_scan,
    warp_inclusive_scan,
    warp_reduce,
    warp_scan,
    warp_scan_with_aggregate,
)
from flydsl.extension.coop.warp.sorts import WarpBitonicSort, WarpMergeSort, warp_bitonic_sort, warp_merge_sort
from flydsl.extension.coop.warp.sums import warp_head_segmented_sum, warp_tail_segmented_sum

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


class BlockReduce(_BlockReduce):
    """`fx.coop.BlockReduce` with shuffles in its warps."""

    warp_ops: ClassVar[Any] = _shuffles


class BlockScan(_BlockScan):
    """`fx.coop.BlockScan` with shuffles in its warps."""

    warp_ops: ClassVar[Any] = _shuffles


class WarpReduce(_algorithms.WarpReduce):
    """`fx.coop.WarpReduce` by shuffles."""

    functions: ClassVar[Any] = _shuffles


class WarpScan(_algorithms.WarpScan):
    """`fx.coop.WarpScan` by shuffles."""

    functions: ClassVar[Any] = _shuffles


class WarpReduceBatched(_algorithms.WarpReduceBatched):
    """`fx.coop.WarpReduceBatched` by shuffles."""

    functions: ClassVar[Any] = _shuffles


warp_reduce_batched = _partial(_segments.warp_reduce_batched, functions=_shuffles)
warp_reduce_batched_to_blocked = _partial(_segments.warp_reduce_batched_to_blocked, functions=_shuffles)
warp_reduce_batched_to_striped = _partial(_segments.warp_reduce_batched_to_striped, functions=_shuffles)
warp_exclusive_sum = _partial(_sums.warp_exclusive_sum, functions=_shuffles)
warp_inclusive_sum = _partial(_sums.warp_inclusive_sum, functions=_shuffles)
warp_max = _partial(_sums.warp_max, functions=_shuffles)
warp_min = _partial(_sums.warp_min, functions=_shuffles)
warp_sum = _partial(_sums.warp_sum, functions=_shuffles)
warp_sum_batched = _partial(_sums.warp_sum_batched, functions=_shuffles)
warp_sum_batched_to_blocked = _partial(_sums.warp_sum_batched_to_blocked, functions=_shuffles)
warp_sum_batched_to_striped = _partial(_sums.warp_sum_batched_to_striped, functions=_shuffles)
