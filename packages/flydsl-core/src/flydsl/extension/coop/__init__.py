"""Cooperation of threads: reductions, scans, exchanges and sorts of warps and blocks, with the target's instructions.

    Sum = fx.coop.BlockReduce[fx.Float32, 256]
    storage = fx.SharedAllocator().allocate(Sum.SharedStorage).peek()
    total = Sum(value, fx.ReductionOp.ADD, storage=storage)

All threads of a warp or block must call these functions together. `universal` has the same names, made of shuffles.
"""

from __future__ import annotations

from flydsl.extension.coop import universal as universal
from flydsl.extension.coop import warp as warp
from flydsl.extension.coop.block.reduce import BlockReduce as _BlockReduce
from flydsl.extension.coop.block.scan import BlockScan as _BlockScan
from flydsl.extension.coop.common import *  # noqa: F403
from flydsl.extension.coop.form import form as _form
from flydsl.extension.coop.warp import warp_exclusive_scan as warp_exclusive_scan
from flydsl.extension.coop.warp import warp_inclusive_scan as warp_inclusive_scan
from flydsl.extension.coop.warp import warp_reduce as warp_reduce
from flydsl.extension.coop.warp import warp_scan as warp_scan
from flydsl.extension.coop.warp import warp_scan_with_aggregate as warp_scan_with_aggregate
from flydsl.extension.coop.warp.algorithms import WarpReduce as _WarpReduce
from flydsl.extension.coop.warp.algorithms import WarpReduceBatched as _WarpReduceBatched
from flydsl.extension.coop.warp.algorithms import WarpScan as _WarpScan
from flydsl.extension.coop.warp.segments import warp_reduce_batched as warp_reduce_batched
from flydsl.extension.coop.warp.segments import warp_reduce_batched_to_blocked as warp_reduce_batched_to_blocked
from flydsl.extension.coop.warp.segments import warp_reduce_batched_to_striped as warp_reduce_batched_to_striped
from flydsl.extension.coop.warp.sums import warp_exclusive_sum as warp_exclusive_sum
from flydsl.extension.coop.warp.sums import warp_inclusive_sum as warp_inclusive_sum
from flydsl.extension.coop.warp.sums import warp_max as warp_max
from flydsl.extension.coop.warp.sums import warp_min as warp_min
from flydsl.extension.coop.warp.sums import warp_sum as warp_sum
from flydsl.extension.coop.warp.sums import warp_sum_batched as warp_sum_batched
from flydsl.extension.coop.warp.sums import warp_sum_batched_to_blocked as warp_sum_batched_to_blocked
from flydsl.extension.coop.warp.sums import warp_sum_batched_to_striped as warp_sum_batched_to_striped

BlockReduce = _form(_BlockReduce)
BlockScan = _form(_BlockScan)
WarpReduce = _form(_WarpReduce)
WarpScan = _form(_WarpScan)
WarpReduceBatched = _form(_WarpReduceBatched)
