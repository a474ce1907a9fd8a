"""Cooperation of threads: reductions and scans of warps and blocks, with the target's instructions.

    Sum = fx.coop.BlockReduce[fx.Float32, 256]
    storage = fx.SharedAllocator().allocate(Sum.SharedStorage).peek()
    total = Sum(value, fx.ReductionOp.ADD, storage=storage)

All threads of a warp or block must call these functions together. `universal` has the same names, made of shuffles.
"""

from __future__ import annotations

from flydsl.extension.coop import universal as universal
from flydsl.extension.coop import warp as warp
from flydsl.extension.coop.block.algorithms import BlockReduceAlgorithm, BlockScanAlgorithm
from flydsl.extension.coop.block.reduce import BlockReduce
from flydsl.extension.coop.block.scan import BlockScan
from flydsl.extension.coop.warp import (
    warp_exclusive_scan,
    warp_inclusive_scan,
    warp_reduce,
    warp_scan,
    warp_scan_with_aggregate,
)

__all__ = [
    "BlockReduce",
    "BlockReduceAlgorithm",
    "BlockScan",
    "BlockScanAlgorithm",
    "universal",
    "warp",
    "warp_exclusive_scan",
    "warp_inclusive_scan",
    "warp_reduce",
    "warp_scan",
    "warp_scan_with_aggregate",
]
