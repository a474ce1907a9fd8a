"""Division: a layout and a tiler in, the layout as (tile, rest) out, in four groupings."""

from __future__ import annotations

from flydsl.base.errors import LayoutError
from flydsl.layout.compose import as_tiler, composed, joined, tile_mode_layout
from flydsl.layout.int_tuple import product
from flydsl.layout.inverse import complemented
from flydsl.layout.layout import AnyLayout, ComposedLayout, Layout, Tile, check_layout
from flydsl.layout.leaf import STAR
from flydsl.layout.operation import operation

__all__ = ["flat_divide", "logical_divide", "tiled_divide", "zipped_divide"]


@operation
def logical_divide(layout: AnyLayout, tiler: Layout | Tile | int) -> AnyLayout:
    """(tile, rest); with a tile, each mode divided by its entry (`*` and missing entries leave a mode alone)."""
    return _apply("logical_divide", _logical, layout, tiler)


@operation
def zipped_divide(layout: AnyLayout, tiler: Layout | Tile | int) -> AnyLayout:
    """((tile modes), (rest modes)); modes without an entry go to the rest, one under `*` must be a (tile, rest) already."""
    return _apply("zipped_divide", _zipped, layout, tiler)


@operation
def tiled_divide(layout: AnyLayout, tiler: Layout | Tile | int) -> AnyLayout:
    """((tile modes), rest, rest, ...)."""
    return _apply("tiled_divide", _tiled, layout, tiler)


@operation
def flat_divide(layout: AnyLayout, tiler: Layout | Tile | int) -> AnyLayout:
    """(tile, tile, ..., rest, rest, ...)."""
    return _apply("flat_divide", _flat, layout, tiler)


def _apply(op, function, layout, tiler):
    if isinstance(layout, ComposedLayout):
        return ComposedLayout(layout.inner, layout.offset, _apply(op, function, layout.outer, tiler))
    return function(op, check_layout(op, layout), as_tiler(op, tiler))


def _logical(op: str, layout: Layout, tiler: Layout | Tile) -> Layout:
    if isinstance(tiler, Layout):
        rest = complemented(tiler, product(layout.shape))
        return composed(layout, joined([tiler, rest]))
    modes = _modes(op, layout, tiler)
    done = [mode if e is STAR else _logical(op, mode, tile_mode_layout(e)) for mode, e in zip(modes, tiler, strict=False)]
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
    return joined([tile, *unpacked(rest)])


def _flat(op: str, layout: Layout, tiler: Layout | Tile) -> Layout:
    tile, rest = _zipped(op, layout, tiler)
    return joined([*unpacked(tile), *unpacked(rest)])


def _modes(op: str, layout: Layout, tile: Tile) -> list[Layout]:
    modes = list(layout)
    if tile.rank > len(modes):
        raise LayoutError(op, (layout, tile), f"the tile has {tile.rank} modes, the layout {len(modes)}")
    return modes


def unpacked(layout: Layout) -> list[Layout]:
    """The modes of a tuple, or a leaf alone."""
    return list(layout)
