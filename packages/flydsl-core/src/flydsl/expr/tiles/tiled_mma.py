"""Tiled MMAs: an MMA atom over an arrangement of atoms, with partitions and fragments of the operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.evaluate import as_divisor
from flydsl.expr.layouts.int_tuple import as_int_tuple
from flydsl.expr.layouts.layout import Layout, Tile, as_layout
from flydsl.expr.tiles.atoms import Atom, CopyAtom, MmaAtom
from flydsl.expr.tiles.thread_slice import ThreadSlice, warn_of_missing_threads
from flydsl.expr.tiles.tiled_copy import TiledCopy, make_tiled_copy
from flydsl.expr.tracing.context import current
from flydsl.layout.query import cosize
from flydsl.layout.tiled_mma import MmaTV, Operand, tiled_mma_thr_layout, tiled_mma_tile_size, tiled_mma_tv

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from flydsl.expr.layouts.int_tuple import IntTuple
    from flydsl.expr.memory.tensor import Tensor
    from flydsl.expr.tiles.enums import MmaOperand
    from flydsl.expr.values.operand_types import IntTupleLike, LayoutLike, ShapeLike, TilerLike

__all__ = [
    "ThrMma",
    "TiledMma",
    "make_tiled_copy_A",
    "make_tiled_copy_B",
    "make_tiled_copy_C",
    "make_tiled_mma",
    "mma_make_fragment",
    "tiled_mma_partition",
    "tiled_mma_partition_shape",
]


class TiledMma(Atom):
    """An MMA atom repeated over M, N and K by groups of threads."""

    __slots__ = ()

    @property
    def atom(self) -> MmaAtom:
        """The atom."""
        return MmaAtom(self.payload.atom, self._part("fly.get_mma_atom"))

    mma_atom = atom

    @property
    def atom_layout(self) -> Layout:
        """The layout of the atoms over M, N and K."""
        return Layout(self.payload.atom_layout.value)

    @property
    def permutation_mnk(self) -> Tile | None:
        """The permutation of M, N and K, None when there is none."""
        return None if self.payload.perm is None else Tile(self.payload.perm.value)

    @property
    def tile_size_mnk(self) -> tuple[int, int, int]:
        """The extents M, N, K that all threads multiply in one step."""
        return tiled_mma_tile_size(*self._arrangement())  # type: ignore[return-value]

    @property
    def thr_layout_vmnk(self) -> Layout:
        """(thread of an atom, atom along M, N, K) -> thread index."""
        return Layout(tiled_mma_thr_layout(*self._arrangement()[:2]))

    @property
    def tv_layout_A_tiled(self) -> Layout:  # noqa: N802 - the operand's name
        """(thread, value) layout of operand A over the tile (M, K)."""
        return self._tv("a")

    @property
    def tv_layout_B_tiled(self) -> Layout:  # noqa: N802
        """(thread, value) layout of operand B over the tile (N, K)."""
        return self._tv("b")

    @property
    def tv_layout_C_tiled(self) -> Layout:  # noqa: N802
        """(thread, value) layout of operands C and D over the tile (M, N)."""
        return self._tv("c")

    def get_slice(self, thr_idx: IntTupleLike) -> ThrMma:
        """The part of the MMA that thread `thr_idx` executes.

        Warns (MissingThreadsWarning) when that is `fx.thread_idx.x` in blocks that are known to have fewer threads.
        """
        warn_of_missing_threads("a tiled MMA", cosize(tiled_mma_thr_layout(*self._arrangement()[:2])), thr_idx)
        return ThrMma(self, thr_idx)

    thr_slice = get_slice

    def make_fragment_A(self, a: Tensor, *, stages: int | None = None) -> Tensor:  # noqa: N802 - the operand's name
        """Registers for a thread's part of a tile of operand A: (value, rest0, rest1, ...); see `mma_make_fragment`."""
        return mma_make_fragment("a", self, a, stages=stages)

    def make_fragment_B(self, b: Tensor, *, stages: int | None = None) -> Tensor:  # noqa: N802
        """Registers for a thread's part of a tile of operand B: (value, rest0, rest1, ...); see `mma_make_fragment`."""
        return mma_make_fragment("b", self, b, stages=stages)

    def make_fragment_C(self, c: Tensor, *, stages: int | None = None) -> Tensor:  # noqa: N802
        """Registers for a thread's part of a tile of operands C and D; see `mma_make_fragment`."""
        return mma_make_fragment("c", self, c, stages=stages)

    def _tv(self, operand: Operand) -> Layout:
        return Layout(tiled_mma_tv(*self._arrangement(), operand))

    def _arrangement(self) -> tuple[MmaTV, algebra.Layout, algebra.Tile | None]:
        perm = self.payload.perm
        return self.payload.atom.tv, self.payload.atom_layout.value, perm and perm.value


class ThrMma(ThreadSlice, TiledMma):
    """The part of a tiled MMA that one thread executes."""

    __slots__ = ("_thr_idx",)
    _whole = TiledMma

    def __init__(self, tiled_mma: TiledMma, thr_idx: IntTupleLike) -> None:
        super().__init__(tiled_mma)
        self._thr_idx = thr_idx

    @property
    def tiled_mma(self) -> TiledMma:
        """The MMA of all threads."""
        return TiledMma(self)

    def partition_A(self, a: Tensor) -> Tensor:  # noqa: N802 - the operand's name
        """The thread's part of a tensor over (M, K)."""
        return tiled_mma_partition("a", self, a, self.thr_idx)

    def partition_B(self, b: Tensor) -> Tensor:  # noqa: N802
        """The thread's part of a tensor over (N, K)."""
        return tiled_mma_partition("b", self, b, self.thr_idx)

    def partition_C(self, c: Tensor) -> Tensor:  # noqa: N802
        """The thread's part of a tensor over (M, N)."""
        return tiled_mma_partition("c", self, c, self.thr_idx)


def make_tiled_copy_A(copy_atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy:  # noqa: N802 - the operand's name
    """A tiled copy whose threads hold the same values of operand A as those of `tiled_mma`."""
    return make_tiled_copy(copy_atom, tiled_mma.tv_layout_A_tiled, tiled_mma.tile_size_mnk[::2])


def make_tiled_copy_B(copy_atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy:  # noqa: N802
    """A tiled copy whose threads hold the same values of operand B as those of `tiled_mma`."""
    return make_tiled_copy(copy_atom, tiled_mma.tv_layout_B_tiled, tiled_mma.tile_size_mnk[1:])


def make_tiled_copy_C(copy_atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy:  # noqa: N802
    """A tiled copy whose threads hold the same values of operands C and D as those of `tiled_mma`."""
    return make_tiled_copy(copy_atom, tiled_mma.tv_layout_C_tiled, tiled_mma.tile_size_mnk[:2])


def make_tiled_mma(mma_atom: MmaAtom, atom_layout: LayoutLike, permutation: TilerLike = None) -> TiledMma:
    """`mma_atom` repeated over (M, N, K) by the static `atom_layout`, with an optional permutation tile."""
    from flydsl.ir.fly.types import LayoutType, TiledMmaType, TileType

    layout = as_layout(atom_layout)
    if not layout.is_static:
        raise FrontendError(f"make_tiled_mma needs a static atom layout, found {layout!r}")
    perm = None if permutation is None else TileType(as_divisor(permutation).payload)
    type_ = TiledMmaType(mma_atom.payload, LayoutType(layout.payload), perm)
    return TiledMma(type_, mma_atom._tiled("fly.make_tiled_mma", [type_.atom_layout, perm], type_))


def mma_make_fragment(
    operand_id: MmaOperand | str, tiled_mma: TiledMma, input: Tensor, *, stages: int | None = None
) -> Tensor:
    """Registers for a thread's part of operand `operand_id`: (value, rest0, rest1, further modes of the tile...).

    `input` is a tile of the operand, or a part that `partition_A`, `partition_B` or `partition_C` gave. With `stages`,
    one mode of that extent takes the place of the further modes: each stage holds a whole tile.
    """
    name = _operand_name(operand_id)
    if name in (op := getattr(tiled_mma.payload, "atom", tiled_mma.payload).op).memory_operands:
        raise FrontendError(
            f"operand {name} of {op} stays in memory: pass what partition_{name.upper()} of its tile gives to fx.gemm"
        )
    attributes = {"operand_id": current().mma_operand(name)}
    if stages is not None:
        attributes["stages"] = current().integer(stages)
    return current().fly_call("mma.make_fragment", [tiled_mma, input], attributes)


def tiled_mma_partition(operand_id: MmaOperand | str, tiled_mma: TiledMma, t: Tensor, coord: IntTupleLike) -> Tensor:
    """The part of operand `operand_id` that thread `coord` holds: (values of an atom, rest...)."""
    attributes = {"operand_id": _operand(operand_id)}
    return current().fly_call("tiled_mma.partition", [tiled_mma, t, as_int_tuple(coord)], attributes)


def tiled_mma_partition_shape(operand_id: MmaOperand | str, tiled_mma: TiledMma, shape: ShapeLike) -> IntTuple:
    """The shape of the part that one thread holds of an operand of shape `shape`."""
    attributes = {"operand_id": _operand(operand_id)}
    return current().fly_call("tiled_mma.partition_shape", [tiled_mma, as_int_tuple(shape)], attributes)


def _operand(operand_id: MmaOperand | str) -> Attribute:
    return current().mma_operand(_operand_name(operand_id))


def _operand_name(operand_id: MmaOperand | str) -> str:
    return (operand_id if isinstance(operand_id, str) else operand_id.name).lower()
