"""The names of `fx.coop` made of shuffles alone, on every target."""

from __future__ import annotations

from typing import Any, ClassVar

from flydsl.extension.coop.block.algorithms import BlockReduceAlgorithm, BlockScanAlgorithm
from flydsl.extension.coop.block.reduce import BlockReduce as _BlockReduce
from flydsl.extension.coop.block.scan import BlockScan as _BlockScan
from flydsl.extension.coop.warp import shuffles as _shuffles
from flydsl.extension.coop.warp.shuffles import (
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
    "warp_exclusive_scan",
    "warp_inclusive_scan",
    "warp_reduce",
    "warp_scan",
    "warp_scan_with_aggregate",
]


class BlockReduce(_BlockReduce):
    """`fx.coop.BlockReduce` with shuffles in its warps."""

    warp_ops: ClassVar[Any] = _shuffles


class BlockScan(_BlockScan):
    """`fx.coop.BlockScan` with shuffles in its warps."""

    warp_ops: ClassVar[Any] = _shuffles
