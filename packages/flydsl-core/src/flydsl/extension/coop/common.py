"""The names of `fx.coop` that are one thing on every target; what is here is in `fx.coop` and in `universal`."""

from __future__ import annotations

from flydsl.extension.coop.block.algorithms import BlockReduceAlgorithm as BlockReduceAlgorithm
from flydsl.extension.coop.block.algorithms import BlockScanAlgorithm as BlockScanAlgorithm
from flydsl.extension.coop.block.exchange import BlockExchange as _BlockExchange
from flydsl.extension.coop.block.histogram import BlockHistogram as _BlockHistogram
from flydsl.extension.coop.block.memory import BlockLoad as _BlockLoad
from flydsl.extension.coop.block.memory import BlockLoadAlgorithm as BlockLoadAlgorithm
from flydsl.extension.coop.block.memory import BlockStore as _BlockStore
from flydsl.extension.coop.block.memory import BlockStoreAlgorithm as BlockStoreAlgorithm
from flydsl.extension.coop.block.merge_sort import BlockMergeSort as _BlockMergeSort
from flydsl.extension.coop.block.neighbours import BlockAdjacentDifference as _BlockAdjacentDifference
from flydsl.extension.coop.block.neighbours import BlockDiscontinuity as _BlockDiscontinuity
from flydsl.extension.coop.block.neighbours import BlockShuffle as _BlockShuffle
from flydsl.extension.coop.block.radix_rank import BlockRadixRank as _BlockRadixRank
from flydsl.extension.coop.block.radix_sort import BlockRadixSort as _BlockRadixSort
from flydsl.extension.coop.block.radix_sort import BlockRadixSortAlgorithm as BlockRadixSortAlgorithm
from flydsl.extension.coop.block.run_length import BlockRunLengthDecode as _BlockRunLengthDecode
from flydsl.extension.coop.block.top_k import BlockTopK as _BlockTopK
from flydsl.extension.coop.form import form as _form
from flydsl.extension.coop.warp.exchange import WarpExchange as _WarpExchange
from flydsl.extension.coop.warp.memory import WarpLoad as _WarpLoad
from flydsl.extension.coop.warp.memory import WarpLoadAlgorithm as WarpLoadAlgorithm
from flydsl.extension.coop.warp.memory import WarpStore as _WarpStore
from flydsl.extension.coop.warp.memory import WarpStoreAlgorithm as WarpStoreAlgorithm
from flydsl.extension.coop.warp.segments import warp_broadcast as warp_broadcast
from flydsl.extension.coop.warp.segments import warp_head_segmented_reduce as warp_head_segmented_reduce
from flydsl.extension.coop.warp.segments import warp_tail_segmented_reduce as warp_tail_segmented_reduce
from flydsl.extension.coop.warp.sorts import WarpBitonicSort as _WarpBitonicSort
from flydsl.extension.coop.warp.sorts import WarpMergeSort as _WarpMergeSort
from flydsl.extension.coop.warp.sorts import warp_bitonic_sort as warp_bitonic_sort
from flydsl.extension.coop.warp.sorts import warp_merge_sort as warp_merge_sort
from flydsl.extension.coop.warp.sums import warp_head_segmented_sum as warp_head_segmented_sum
from flydsl.extension.coop.warp.sums import warp_tail_segmented_sum as warp_tail_segmented_sum

BlockAdjacentDifference = _form(_BlockAdjacentDifference)
BlockDiscontinuity = _form(_BlockDiscontinuity)
BlockExchange = _form(_BlockExchange)
BlockHistogram = _form(_BlockHistogram)
BlockLoad = _form(_BlockLoad)
BlockMergeSort = _form(_BlockMergeSort)
BlockRadixRank = _form(_BlockRadixRank)
BlockRadixSort = _form(_BlockRadixSort)
BlockRunLengthDecode = _form(_BlockRunLengthDecode)
BlockShuffle = _form(_BlockShuffle)
BlockStore = _form(_BlockStore)
BlockTopK = _form(_BlockTopK)
WarpBitonicSort = _form(_WarpBitonicSort)
WarpExchange = _form(_WarpExchange)
WarpLoad = _form(_WarpLoad)
WarpMergeSort = _form(_WarpMergeSort)
WarpStore = _form(_WarpStore)
