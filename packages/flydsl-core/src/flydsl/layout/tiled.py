"""Tiled copies: a tensor's layout as (thread, values, rest...), by an atom's thread-value layouts.

Also `make_layout_tv`, which numbers the threads and values of a tile. Tiled MMAs are in `tiled_mma.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flydsl.base.errors import LayoutError
from flydsl.layout.coalesce import coalesce
from flydsl.layout.compose import composed, composed_with
from flydsl.layout.divide import zipped_divide
from flydsl.layout.int_tuple import product
from flydsl.layout.inverse import right_inverse
from flydsl.layout.layout import L, Layout, Tile, check_layout, joined, on_outer, unchecked
from flydsl.layout.leaf import STAR, Dyn, Leaf
from flydsl.layout.operation import operation
from flydsl.layout.product import logical_product, raked_product
from flydsl.layout.recast import upcast


@dataclass(frozen=True, slots=True)
class AtomTV:
    """How the threads of a copy atom hold its values: layouts (thread, value) -> value of the atom, in elements."""

    thr_layout: Layout
    src: Layout
    dst: Layout
    ref: Layout

    def __post_init__(self) -> None:
        for name in ("src", "dst", "ref"):
            tv = check_layout("copy_atom", getattr(self, name), name)
            if tv.rank != 2:
                raise LayoutError("copy_atom", (tv,), f"the {name} layout must be (thread, value)")
        check_layout("copy_atom", self.thr_layout, "thread layout")

    @property
    def is_plain(self) -> bool:
        """Atoms are static."""
        return True


def make_layout_tv(thr_layout: Layout, val_layout: Layout) -> tuple[Tile, Layout]:
    """The tile that threads times values cover, and the (thread, value) layout into it.

    `thr_layout` sends a coordinate (m, n, ...) of the thread grid to a thread number, `val_layout` one of the values
    of a thread to a value number; the values of one thread are neighbours in the tile.
    """
    threads, values = (check_layout("make_layout_tv", part) for part in (thr_layout, val_layout))
    for part in (threads, values):
        if product(right_inverse(part).shape) != product(part.shape):
            raise LayoutError("make_layout_tv", (thr_layout, val_layout), f"{part} does not number from 0 without gaps")
    tile = raked_product(threads, values)
    inverse = right_inverse(tile)
    counts = product(threads.shape), product(values.shape)
    modes = tuple([product(mode.shape) for mode in tile])
    return Tile(modes), composed(inverse, unchecked(counts, (1, counts[0])))  # type: ignore[arg-type]


@operation
def tiled_copy_tv(atom: AtomTV, tiled_tv: Layout, which: Literal["src", "dst"] = "src") -> Layout:
    """The tiled (thread, value) layout as seen from one side: (thread, (atom value, rest)) -> offset in the tile."""
    if which not in ("src", "dst"):
        raise LayoutError("tiled_copy_tv", (which,), "which is 'src' or 'dst'")
    ref2side = composed(right_inverse(atom.ref), getattr(atom, which))
    counts = Tile((product(atom.thr_layout.shape), product(atom.ref[1].shape)))  # type: ignore[arg-type]
    atoms, rest = zipped_divide(tiled_tv, counts)
    side = composed(atoms, ref2side)
    threads = joined([side[0], rest[0]])
    values = joined([side[1], rest[1]])
    return coalesce(joined([threads, values]), (1, (1, 1)))


@operation
def tiled_copy_partition(
    atom: AtomTV, tiled_tv: Layout, tile_mn: Tile, layout: L, which: Literal["src", "dst"] = "src"
) -> L:
    """(Thr, (FrgV, FrgRest), rest modes...): the parts of all threads; slice mode 0 with a thread number for one."""
    tv = tiled_copy_tv(atom, tiled_tv, which)
    return on_outer("tiled_copy_partition", layout, lambda plain: _partition(plain, tile_mn, tv))


def _partition(layout: Layout, tile_mn: Tile, tv: Layout) -> Layout:
    tiles, rest = zipped_divide(layout, tile_mn)
    return joined([*composed(tiles, tv), *rest])


@operation
def retile(atom: AtomTV, tiled_tv: Layout, tile_mn: Tile, layout: L) -> L:
    """((FrgV, FrgRest), rest modes...): a thread's fragment (V, modes...) of another partitioning, in this copy's."""
    return on_outer("retile", layout, lambda plain: _retiled(atom, tiled_tv, tile_mn, plain))


def _retiled(atom: AtomTV, tiled_tv: Layout, tile_mn: Tile, fragment: Layout) -> Layout:
    values = product(fragment[0].shape)
    threads = product(check_layout("retile", tiled_tv)[0].shape)
    if type(values) is not int or type(threads) is not int or not values:
        raise LayoutError("retile", (tiled_tv, fragment), "the numbers of threads and values must be static")
    extents = tile_extents("retile", tile_mn)
    in_tile = composed(right_inverse(tiled_tv), Layout(extents))
    per_fragment = upcast(in_tile, threads * values)
    order = logical_product(Layout(values), right_inverse(per_fragment))
    grouped = zipped_divide(order, Layout(product(atom.ref[1].shape)))
    tile = Tile((values, *(product(mode.shape) for mode in per_fragment)))  # type: ignore[arg-type]
    vals, rest = composed_with(zipped_divide(fragment, tile), Tile((grouped, STAR)))
    return joined([vals, *list(rest)[1:]])


def tile_extents(op: str, tile: Tile) -> tuple[Leaf, ...]:
    """The extent of every mode of a tile that leaves no mode alone."""
    if not isinstance(tile, Tile):
        raise LayoutError(op, (tile,), f"a tile is needed, found {type(tile).__name__}")
    extents: list[Leaf] = []
    for mode in tile.modes:
        if isinstance(mode, (int, Dyn)):
            extents.append(mode)
        elif isinstance(mode, Layout):
            extents.append(product(mode.shape))
        else:
            raise LayoutError(op, (tile,), "every mode of the tile must have an extent")
    return tuple(extents)
