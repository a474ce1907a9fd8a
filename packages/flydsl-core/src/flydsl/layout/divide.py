"""Division of a layout by a tiler: the layout as (tile, rest), in four groupings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from flydsl.base.errors import LayoutError
from flydsl.layout.compose import as_tiler, composed, tile_mode_layout
from flydsl.layout.int_tuple import product
from flydsl.layout.inverse import complemented
from flydsl.layout.layout import L, Layout, Tile, joined, on_outer
from flydsl.layout.leaf import STAR
from flydsl.layout.operation import operation

_Division: TypeAlias = Callable[[str, Layout, Layout | Tile], Layout]


@operation
def logical_divide(layout: L, tiler: Layout | Tile | int) -> L:
    """(tile, rest); with a tile, each mode divided by its entry (`*` and missing entries leave a mode alone)."""
    return _apply("logical_divide", _logical, layout, tiler)


@operation
def zipped_divide(layout: L, tiler: Layout | Tile | int) -> L:
    """((tile modes), (rest modes)): modes without an entry go to the rest, one under `*` is taken as (tile, rest)."""
    return _apply("zipped_divide", _zipped, layout, tiler)


@operation
def tiled_divide(layout: L, tiler: Layout | Tile | int) -> L:
    """((tile modes), rest, rest, ...)."""
    return _apply("tiled_divide", _tiled, layout, tiler)


@operation
def flat_divide(layout: L, tiler: Layout | Tile | int) -> L:
    """(tile, tile, ..., rest, rest, ...)."""
    return _apply("flat_divide", _flat, layout, tiler)


def _apply(op: str, function: _Division, layout: L, tiler: Layout | Tile | int) -> L:
    divisor = as_tiler(op, tiler)
    return on_outer(op, layout, lambda plain: function(op, plain, divisor))


def _logical(op: str, layout: Layout, tiler: Layout | Tile) -> Layout:
    if isinstance(tiler, Layout):
        rest = complemented(tiler, product(layout.shape), exact=True)
        return composed(layout, joined([tiler, rest]))
    modes = _modes(op, layout, tiler)
    entries = zip(modes, tiler, strict=False)
    done = [mode if entry is STAR else _logical(op, mode, tile_mode_layout(entry)) for mode, entry in entries]
    return joined([*done, *modes[tiler.rank :]]) if isinstance(layout.shape, tuple) else done[0]


def _zipped(op: str, layout: Layout, tiler: Layout | Tile) -> Layout:
    if isinstance(tiler, Layout):
        return _logical(op, layout, tiler)
    modes = _modes(op, layout, tiler)
    tiles, rests = [], []
    for mode, entry in zip(modes, tiler, strict=False):
        pair = mode if entry is STAR else _zipped(op, mode, tile_mode_layout(entry))
        if pair.rank != 2:
            raise LayoutError(op, (layout, tiler), f"the mode {mode} under * must have two modes, a tile and a rest")
        tiles.append(pair[0])
        rests.append(pair[1])
    return joined([joined(tiles), joined([*rests, *modes[tiler.rank :]])])


def _tiled(op: str, layout: Layout, tiler: Layout | Tile) -> Layout:
    tile, rest = _zipped(op, layout, tiler)
    return joined([tile, *rest])


def _flat(op: str, layout: Layout, tiler: Layout | Tile) -> Layout:
    tile, rest = _zipped(op, layout, tiler)
    return joined([*tile, *rest])


def _modes(op: str, layout: Layout, tile: Tile) -> list[Layout]:
    modes = list(layout)
    if tile.rank > len(modes):
        raise LayoutError(op, (layout, tile), f"the tile has {tile.rank} modes, the layout {len(modes)}")
    return modes
