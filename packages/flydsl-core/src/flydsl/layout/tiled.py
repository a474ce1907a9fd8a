"""Thread-value views: how the threads of a tiled copy or tiled MMA divide a tensor's layout among themselves."""

from __future__ import annotations

from flydsl.base.errors import LayoutError
from flydsl.layout.compose import composed
from flydsl.layout.int_tuple import product
from flydsl.layout.inverse import right_inverse
from flydsl.layout.layout import Layout, Tile, check_layout, unchecked
from flydsl.layout.product import raked_product

__all__ = ["make_layout_tv"]


def make_layout_tv(thr_layout: Layout, val_layout: Layout) -> tuple[Tile, Layout]:
    """The tile that threads times values cover, and the (thread, value) layout into it.

    `thr_layout` sends a coordinate (m, n, ...) of the thread grid to a thread number, `val_layout` one of the values
    of a thread to a value number; the values of one thread are neighbours in the tile.
    """
    threads, values = (check_layout("make_layout_tv", part) for part in (thr_layout, val_layout))
    tile = raked_product(threads, values)
    assert isinstance(tile, Layout)
    inverse = right_inverse(tile)
    counts = product(threads.shape), product(values.shape)
    if product(inverse.shape) != product(counts):
        raise LayoutError("make_layout_tv", (thr_layout, val_layout), "the layouts must number threads and values from 0 without gaps")
    modes = [product(mode.shape) for mode in tile]
    return Tile(tuple(modes)), composed(inverse, unchecked(counts, (1, counts[0])))  # type: ignore[arg-type]
