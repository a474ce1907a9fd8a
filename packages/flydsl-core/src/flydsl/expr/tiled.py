"""Atoms and thread layouts in, tiled copies and MMAs out, and the part of a tensor that one thread owns."""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.atoms import Atom, CopyAtom, MmaAtom
from flydsl.expr.context import current
from flydsl.expr.int_tuple import as_int_tuple
from flydsl.expr.layout import Layout, Tile, as_layout, make_tile
from flydsl.expr.make import make_layout_tv, static
from flydsl.expr.value import StructuredValue

__all__ = [
    "ThrCopy",
    "ThrMma",
    "TiledCopy",
    "TiledMma",
    "make_tiled_copy",
    "make_tiled_copy_tv",
    "make_tiled_mma",
    "mma_make_fragment",
]


class TiledCopy(Atom):
    """A copy atom repeated over the threads and values of a tile."""

    __slots__ = ()

    @property
    def atom(self) -> CopyAtom:
        """The atom."""
        return CopyAtom(self.payload.atom)

    @property
    def tile_mn(self) -> Tile:
        """The tile that all threads copy together."""
        return Tile(self.payload.tile.value)

    @property
    def layout_tv_tiled(self) -> Layout:
        """(thread, value) layout over the tile."""
        return Layout(self.payload.layout_tv.value)

    def get_slice(self, thr_idx: Any) -> ThrCopy:
        """What thread `thr_idx` does."""
        return ThrCopy(self, thr_idx)

    thr_slice = get_slice


class ThrCopy:
    """The part of a tiled copy that one thread does."""

    __slots__ = ("thr_idx", "tiled_copy")

    def __init__(self, tiled_copy: TiledCopy, thr_idx: Any) -> None:
        self.tiled_copy, self.thr_idx = tiled_copy, thr_idx

    def partition_S(self, tensor: Any) -> Any:  # noqa: N802 - source
        """The thread's part of a source tensor: (values of an atom, rest of the tile, rest of the tensor)."""
        return self._call("tiled_copy.partition_src", tensor)

    def partition_D(self, tensor: Any) -> Any:  # noqa: N802 - destination
        """The thread's part of a destination tensor."""
        return self._call("tiled_copy.partition_dst", tensor)

    def retile(self, tensor: Any) -> Any:
        """A register tensor of another partitioning, seen with this copy's values."""
        return current().fly_call("tiled_copy.retile", [self.tiled_copy, tensor], {})

    def _call(self, name: str, tensor: Any) -> Any:
        return current().fly_call(name, [self.tiled_copy, tensor, as_int_tuple(self.thr_idx)], {})


class TiledMma(Atom):
    """An MMA atom repeated over M, N and K by more threads."""

    __slots__ = ()

    @property
    def atom(self) -> MmaAtom:
        """The atom."""
        return MmaAtom(self.payload.atom)

    @property
    def atom_layout(self) -> Layout:
        """How atoms are laid out over M, N and K."""
        return Layout(self.payload.atom_layout.value)

    @property
    def permutation_mnk(self) -> Tile | None:
        """The permutation of M, N and K, None when there is none."""
        return None if self.payload.perm is None else Tile(self.payload.perm.value)

    def get_slice(self, thr_idx: Any) -> ThrMma:
        """What thread `thr_idx` does."""
        return ThrMma(self, thr_idx)

    thr_slice = get_slice

    def make_fragment_A(self, tensor: Any, stages: int | None = None) -> Any:  # noqa: N802 - the operand's name
        """A register tensor for operand A of a partitioned tensor."""
        return mma_make_fragment("a", self, tensor, stages=stages)

    def make_fragment_B(self, tensor: Any, stages: int | None = None) -> Any:  # noqa: N802
        """A register tensor for operand B of a partitioned tensor."""
        return mma_make_fragment("b", self, tensor, stages=stages)

    def make_fragment_C(self, tensor: Any, stages: int | None = None) -> Any:  # noqa: N802
        """A register tensor for operand C of a partitioned tensor."""
        return mma_make_fragment("c", self, tensor, stages=stages)


class ThrMma:
    """The part of a tiled MMA that one thread does."""

    __slots__ = ("thr_idx", "tiled_mma")

    def __init__(self, tiled_mma: TiledMma, thr_idx: Any) -> None:
        self.tiled_mma, self.thr_idx = tiled_mma, thr_idx

    def partition_A(self, tensor: Any) -> Any:  # noqa: N802 - the operand's name
        """The thread's part of a tensor over (M, K)."""
        return self._partition("a", tensor)

    def partition_B(self, tensor: Any) -> Any:  # noqa: N802
        """The thread's part of a tensor over (N, K)."""
        return self._partition("b", tensor)

    def partition_C(self, tensor: Any) -> Any:  # noqa: N802
        """The thread's part of a tensor over (M, N)."""
        return self._partition("c", tensor)

    def _partition(self, operand: str, tensor: Any) -> Any:
        operands = [self.tiled_mma, tensor, as_int_tuple(self.thr_idx)]
        return current().fly_call("tiled_mma.partition", operands, {"operand_id": current().mma_operand(operand)})


def make_tiled_copy(copy_atom: CopyAtom, layout_thr_val: Any, tile_mn: Any) -> TiledCopy:
    """`copy_atom` repeated by the (thread, value) layout `layout_thr_val` over the tile `tile_mn`."""
    from flydsl.ir.fly.types import LayoutType, TiledCopyType, TileType

    layout_tv, tile = as_layout(layout_thr_val), tile_mn if isinstance(tile_mn, Tile) else make_tile(*_modes(tile_mn))
    _check_static("make_tiled_copy", layout_tv)
    return TiledCopy(TiledCopyType(copy_atom.payload, LayoutType(layout_tv.payload), TileType(tile.payload)))


def make_tiled_copy_tv(atom: CopyAtom, thr_layout: Any, val_layout: Any) -> TiledCopy:
    """`atom` repeated over a layout of threads, each with a layout of values."""
    tile, layout_tv = make_layout_tv(thr_layout, val_layout)
    return make_tiled_copy(atom, layout_tv, tile)


def make_tiled_mma(mma_atom: MmaAtom, atom_layout: Any, permutation: Any = None) -> TiledMma:
    """`mma_atom` repeated by `atom_layout` over (M, N, K), with an optional permutation tile."""
    from flydsl.ir.fly.types import LayoutType, TiledMmaType, TileType

    layout = as_layout(atom_layout)
    _check_static("make_tiled_mma", layout)
    perm = (
        None
        if permutation is None
        else TileType((permutation if isinstance(permutation, Tile) else static(permutation)).payload)
    )
    return TiledMma(TiledMmaType(mma_atom.payload, LayoutType(layout.payload), perm))


def mma_make_fragment(operand_id: str, tiled_mma: TiledMma, input: Any, *, stages: int | None = None) -> Any:
    """A register tensor for operand `operand_id` of a tensor partitioned for `tiled_mma`."""
    attributes = {"operand_id": current().mma_operand(operand_id)}
    if stages is not None:
        attributes["stages"] = current().integer(stages)
    return current().fly_call("mma.make_fragment", [tiled_mma, input], attributes)


def _check_static(function: str, value: StructuredValue) -> None:
    if not value.is_static:
        raise FrontendError(f"{function} needs a static layout, found {value!r}")


def _modes(tile: Any) -> tuple[Any, ...]:
    return tuple(tile) if isinstance(tile, tuple | list) else (tile,)
