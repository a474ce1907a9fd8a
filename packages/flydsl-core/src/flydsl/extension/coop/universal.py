"""The names of `fx.coop` made of shuffles alone, on every target."""

from __future__ import annotations

from functools import partial as _partial
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import ClassVar as _ClassVar

from flydsl.extension.coop.block import reduce as _reduce
from flydsl.extension.coop.block import scan as _scan
from flydsl.extension.coop.common import *  # noqa: F403
from flydsl.extension.coop.warp import algorithms as _algorithms
from flydsl.extension.coop.warp import segments as _segments
from flydsl.extension.coop.warp import shuffles as _shuffles
from flydsl.extension.coop.warp import sums as _sums
from flydsl.extension.coop.warp.shuffles import warp_exclusive_scan as warp_exclusive_scan
from flydsl.extension.coop.warp.shuffles import warp_inclusive_scan as warp_inclusive_scan
from flydsl.extension.coop.warp.shuffles import warp_reduce as warp_reduce
from flydsl.extension.coop.warp.shuffles import warp_scan as warp_scan
from flydsl.extension.coop.warp.shuffles import warp_scan_with_aggregate as warp_scan_with_aggregate

if _TYPE_CHECKING:
    from flydsl.extension.coop.operators import WarpFunctions as _WarpFunctions


class BlockReduce(_reduce.BlockReduce):
    """`fx.coop.BlockReduce` with shuffles in its warps."""

    warp_ops: _ClassVar[_WarpFunctions] = _shuffles


class BlockScan(_scan.BlockScan):
    """`fx.coop.BlockScan` with shuffles in its warps."""

    warp_ops: _ClassVar[_WarpFunctions] = _shuffles


class WarpReduce(_algorithms.WarpReduce):
    """`fx.coop.WarpReduce` by shuffles."""

    functions: _ClassVar[_WarpFunctions] = _shuffles


class WarpScan(_algorithms.WarpScan):
    """`fx.coop.WarpScan` by shuffles."""

    functions: _ClassVar[_WarpFunctions] = _shuffles


class WarpReduceBatched(_algorithms.WarpReduceBatched):
    """`fx.coop.WarpReduceBatched` by shuffles."""

    functions: _ClassVar[_WarpFunctions] = _shuffles


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
