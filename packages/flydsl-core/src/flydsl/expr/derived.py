"""Compositions of the primitive operations (`fx.derived`): tiled copies by threads, gather and scatter."""

from __future__ import annotations

from flydsl.expr.layouts.constructors import make_layout_tv
from flydsl.expr.memory.tensor import make_rmem_tensor
from flydsl.expr.tiles.gather_scatter import gather, scatter
from flydsl.expr.tiles.tiled_copy import ThrCopy, make_tiled_copy, make_tiled_copy_tv
from flydsl.expr.tiles.tiled_mma import ThrMma, make_tiled_copy_A, make_tiled_copy_B, make_tiled_copy_C

__all__ = [
    "ThrCopy",
    "ThrMma",
    "gather",
    "make_layout_tv",
    "make_rmem_tensor",
    "make_tiled_copy",
    "make_tiled_copy_A",
    "make_tiled_copy_B",
    "make_tiled_copy_C",
    "make_tiled_copy_tv",
    "scatter",
]
