"""Tiled copies: a copy atom over a thread layout, and the part of a tensor that one thread copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.constructors import make_layout_tv
from flydsl.expr.layouts.int_tuple import as_int_tuple
from flydsl.expr.layouts.layout import Layout, Tile, as_layout, make_tile
from flydsl.expr.tiles.atoms import Atom, CopyAtom
from flydsl.expr.tiles.thread_slice import ThreadSlice, warn_of_missing_threads
from flydsl.expr.tracing.context import current
from flydsl.layout.int_tuple import product
from flydsl.layout.tiled import tiled_copy_tv

if TYPE_CHECKING:
    from flydsl.expr.memory.tensor import Tensor
    from flydsl.expr.values.operand_types import IntTupleLike, LayoutLike, TilerLike

__all__ = [
    "ThrCopy",
    "TiledCopy",
    "make_tiled_copy",
    "make_tiled_copy_tv",
    "tiled_copy_partition_dst",
    "tiled_copy_partition_src",
    "tiled_copy_retile",
]


class TiledCopy(Atom):
    """A copy atom repeated over the threads and values of a tile."""

    __slots__ = ()

    @property
    def atom(self) -> CopyAtom:
        """The atom."""
        return CopyAtom(self.payload.atom, self._part("fly.get_copy_atom"))

    @property
    def tile_mn(self) -> Tile:
        """The tile that all threads copy together."""
        return Tile(self.payload.tile.value)

    @property
    def layout_tv_tiled(self) -> Layout:
        """(thread, value) layout over the tile."""
        return Layout(self.payload.layout_tv.value)

    @property
    def layout_src_tv_tiled(self) -> Layout:
        """(thread, (value, rest)) -> index in the tile, as the source is read."""
        return self._seen_from("src")

    @property
    def layout_dst_tv_tiled(self) -> Layout:
        """(thread, (value, rest)) -> index in the tile, as the destination is written."""
        return self._seen_from("dst")

    def get_slice(self, thr_idx: IntTupleLike) -> ThrCopy:
        """The part of the copy that thread `thr_idx` executes.

        Warns (MissingThreadsWarning) when that is `fx.thread_idx.x` in blocks that are known to have fewer threads.
        """
        warn_of_missing_threads("a tiled copy", product(self.payload.layout_tv.value[0].shape), thr_idx)
        return ThrCopy(self, thr_idx)

    thr_slice = get_slice

    def _seen_from(self, which: Literal["src", "dst"]) -> Layout:
        return Layout(tiled_copy_tv(self.payload.atom.tv, self.payload.layout_tv.value, which))


class ThrCopy(ThreadSlice, TiledCopy):
    """The part of a tiled copy that one thread executes."""

    __slots__ = ("_thr_idx",)
    _whole = TiledCopy

    def __init__(self, tiled_copy: TiledCopy, thr_idx: IntTupleLike) -> None:
        super().__init__(tiled_copy)
        self._thr_idx = thr_idx

    @property
    def tiled_copy(self) -> TiledCopy:
        """The copy of all threads."""
        return TiledCopy(self)

    def partition_S(self, src: Tensor) -> Tensor:  # noqa: N802 - source
        """The thread's part of a source tensor: (values of an atom, rest of the tile, rest of the tensor)."""
        return tiled_copy_partition_src(self, src, self.thr_idx)

    def partition_D(self, dst: Tensor) -> Tensor:  # noqa: N802 - destination
        """The thread's part of a destination tensor."""
        return tiled_copy_partition_dst(self, dst, self.thr_idx)

    def retile(self, t: Tensor) -> Tensor:
        """A register tensor of another partitioning, viewed with the values of this copy."""
        return tiled_copy_retile(self, t)


def make_tiled_copy(copy_atom: CopyAtom, layout_thr_val: LayoutLike, tile_mn: TilerLike) -> TiledCopy:
    """`copy_atom` repeated over the tile `tile_mn` by its (thread, value) layout `layout_thr_val`, which is static."""
    from flydsl.ir.fly.types import LayoutType, TiledCopyType, TileType

    layout_tv, tile = as_layout(layout_thr_val), tile_mn if isinstance(tile_mn, Tile) else make_tile(*_modes(tile_mn))
    if not layout_tv.is_static:
        raise FrontendError(f"make_tiled_copy needs a static layout, found {layout_tv!r}")
    type_ = TiledCopyType(copy_atom.payload, LayoutType(layout_tv.payload), TileType(tile.payload))
    return TiledCopy(type_, copy_atom._tiled("fly.make_tiled_copy", [type_.layout_tv, type_.tile], type_))


def make_tiled_copy_tv(atom: CopyAtom, thr_layout: LayoutLike, val_layout: LayoutLike) -> TiledCopy:
    """`atom` repeated over the layout of threads `thr_layout`, each with the layout of values `val_layout`."""
    tile, layout_tv = make_layout_tv(thr_layout, val_layout)
    return make_tiled_copy(atom, layout_tv, tile)


def tiled_copy_partition_src(tiled_copy: TiledCopy, src: Tensor, thr_int_tuple: IntTupleLike) -> Tensor:
    """The part of `src` that one thread reads: ((value, rest of values), rest of the tensor...)."""
    return current().fly_call("tiled_copy.partition_src", [tiled_copy, src, as_int_tuple(thr_int_tuple)], {})


def tiled_copy_partition_dst(tiled_copy: TiledCopy, dst: Tensor, thr_int_tuple: IntTupleLike) -> Tensor:
    """The part of `dst` that one thread writes: ((value, rest of values), rest of the tensor...)."""
    return current().fly_call("tiled_copy.partition_dst", [tiled_copy, dst, as_int_tuple(thr_int_tuple)], {})


def tiled_copy_retile(tiled_copy: TiledCopy, t: Tensor) -> Tensor:
    """A register tensor of another partitioning, viewed with the values of `tiled_copy`."""
    return current().fly_call("tiled_copy.retile", [tiled_copy, t], {})


def _modes(tile: TilerLike) -> tuple[TilerLike, ...]:
    return tuple(tile) if isinstance(tile, tuple | list) else (tile,)
