"""Types of copy and matrix atoms, and of those atoms repeated over a tile by many threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.ir.fly.atoms import CopyOpType, MmaOpType
from flydsl.ir.fly.base import FlyType, text_of
from flydsl.ir.fly.reader import Reader
from flydsl.ir.fly.types.int_tuple import IntTupleType
from flydsl.ir.fly.types.layout import LayoutType, TileType
from flydsl.layout.tiled import AtomTV, tiled_copy_tv
from flydsl.layout.tiled_mma import MmaTV, tiled_mma_thr_layout, tiled_mma_tile_size, tiled_mma_tv


@dataclass(frozen=True, eq=False, repr=False)
class CopyAtomType(FlyType):
    """`!fly.copy_atom<!fly.universal_copy<128>, 32>`: a copy operation on values of `val_bits` bits."""

    name: ClassVar[str] = "fly.copy_atom"
    op: CopyOpType
    val_bits: int

    def verify(self) -> None:
        _check_kind(self.op, CopyOpType, "a copy operation")
        if self.val_bits <= 0:
            raise VerifyException(f"the value width of a copy atom is positive, found {self.val_bits!r}")

    def body(self) -> str:
        return f"{text_of(self.op)}, {self.val_bits}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        op = reader.attribute()
        reader.expect(",")
        return cls(op, reader.integer("the value width in bits"))  # type: ignore[arg-type]

    @classmethod
    def get(cls, copy_op: CopyOpType, val_bits: int) -> Self:
        """The type of an atom that copies values of `val_bits` bits by `copy_op`."""
        return cls(copy_op, val_bits)

    @property
    def copy_op(self) -> CopyOpType:
        """The type of the operation."""
        return self.op

    @property
    def thr_layout(self) -> LayoutType:
        """The type of the layout of the threads that take part."""
        return LayoutType(self.op.thr_layout)

    @property
    def tv_layout_src(self) -> LayoutType:
        """The type of (thread, value) -> position in the source."""
        return LayoutType(self.tv.src)

    @property
    def tv_layout_dst(self) -> LayoutType:
        """The type of (thread, value) -> position in the destination."""
        return LayoutType(self.tv.dst)

    @property
    def tv_layout_ref(self) -> LayoutType:
        """The type of (thread, value) -> position in the numbering that tiled copies are stated in."""
        return LayoutType(self.tv.ref)

    @property
    def tv(self) -> AtomTV:
        """The thread-value layouts, in values of `val_bits` bits."""
        op = self.op
        src, dst, ref = (_in_values(bits, self.val_bits) for bits in (op.src_tv_bits, op.dst_tv_bits, op.ref_tv_bits))
        return AtomTV(op.thr_layout, src, dst, ref)

    @property
    def is_static(self) -> bool:
        return not self.op.fields


@dataclass(frozen=True, eq=False, repr=False)
class MmaAtomType(FlyType):
    """`!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>`: a matrix multiply-add operation."""

    name: ClassVar[str] = "fly.mma_atom"
    op: MmaOpType

    def verify(self) -> None:
        _check_kind(self.op, MmaOpType, "an MMA operation")

    def body(self) -> str:
        return text_of(self.op)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.attribute())  # type: ignore[arg-type]

    @classmethod
    def get(cls, mma_op: MmaOpType) -> Self:
        """The type of an atom that multiplies by `mma_op`."""
        return cls(mma_op)

    @property
    def mma_op(self) -> MmaOpType:
        """The type of the operation."""
        return self.op

    @property
    def shape_mnk(self) -> IntTupleType:
        """The type of the extents (M, N, K)."""
        return IntTupleType(tuple(self.op.shape_mnk))

    @property
    def thr_layout(self) -> LayoutType:
        """The type of the layout of the threads that take part."""
        return LayoutType(self.op.thr_layout)

    @property
    def tv_layout_a(self) -> LayoutType:
        """The type of (thread, value) -> position in A."""
        return LayoutType(self.op.tv_layouts[0])

    @property
    def tv_layout_b(self) -> LayoutType:
        """The type of (thread, value) -> position in B."""
        return LayoutType(self.op.tv_layouts[1])

    @property
    def tv_layout_c(self) -> LayoutType:
        """The type of (thread, value) -> position in C and D."""
        return LayoutType(self.op.tv_layouts[2])

    @property
    def tv(self) -> MmaTV:
        """The thread-value layouts of the operands."""
        return MmaTV(self.op.thr_layout, self.op.shape_mnk, *self.op.tv_layouts)

    @property
    def is_static(self) -> bool:
        return not self.op.fields


@dataclass(frozen=True, eq=False, repr=False)
class TiledCopyType(FlyType):
    """`!fly.tiled_copy<atom, !fly.layout<TV>, !fly.tile<MN>>`: an atom repeated over a tile."""

    name: ClassVar[str] = "fly.tiled_copy"
    atom: CopyAtomType
    layout_tv: LayoutType
    tile: TileType

    def verify(self) -> None:
        _check_kind(self.atom, CopyAtomType, "a copy atom")
        _check_kind(self.layout_tv, LayoutType, "a layout")
        _check_kind(self.tile, TileType, "a tile")

    def body(self) -> str:
        return f"{self.atom.text}, {self.layout_tv.text}, {self.tile.text}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        atom = reader.attribute()
        reader.expect(",")
        layout_tv = reader.attribute()
        reader.expect(",")
        return cls(atom, layout_tv, reader.attribute())  # type: ignore[arg-type]

    @property
    def copy_atom(self) -> CopyAtomType:
        """The type of the atom."""
        return self.atom

    @property
    def layout_thr_val(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile."""
        return self.layout_tv

    @property
    def tile_mn(self) -> TileType:
        """The type of the tile that all threads copy together."""
        return self.tile

    @property
    def tiled_tv_layout_src(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile, as the source is read."""
        return self._seen_from("src")

    @property
    def tiled_tv_layout_dst(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile, as the destination is written."""
        return self._seen_from("dst")

    def _seen_from(self, which: Literal["src", "dst"]) -> LayoutType:
        return LayoutType(tiled_copy_tv(self.atom.tv, self.layout_tv.value, which))

    @property
    def is_static(self) -> bool:
        return self.atom.is_static


@dataclass(frozen=True, eq=False, repr=False)
class TiledMmaType(FlyType):
    """`!fly.tiled_mma<atom, !fly.layout<MNK>[, !fly.tile<perm>]>`: an atom repeated over M, N, K by threads."""

    name: ClassVar[str] = "fly.tiled_mma"
    atom: MmaAtomType
    atom_layout: LayoutType
    perm: TileType | None = None

    def verify(self) -> None:
        _check_kind(self.atom, MmaAtomType, "an MMA atom")
        _check_kind(self.atom_layout, LayoutType, "a layout")
        if self.perm is not None:
            _check_kind(self.perm, TileType, "a tile")

    def body(self) -> str:
        perm = f", {self.perm.text}" if self.perm else ""
        return f"{self.atom.text}, {self.atom_layout.text}{perm}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        atom = reader.attribute()
        reader.expect(",")
        atom_layout = reader.attribute()
        perm = reader.attribute() if reader.accept(",") else None
        return cls(atom, atom_layout, perm)  # type: ignore[arg-type]

    @property
    def mma_atom(self) -> MmaAtomType:
        """The type of the atom."""
        return self.atom

    @property
    def permutation(self) -> TileType | None:
        """The type of the permutation of M, N and K, None when there is none."""
        return self.perm

    @property
    def tile_size_mnk(self) -> IntTupleType:
        """The type of the extents (M, N, K) that all threads multiply in one step."""
        return IntTupleType(tuple(tiled_mma_tile_size(*self._arrangement())))

    @property
    def thr_layout_vmnk(self) -> LayoutType:
        """The type of (thread of an atom, atom along M, N, K) -> thread number."""
        return LayoutType(tiled_mma_thr_layout(*self._arrangement()[:2]))

    @property
    def tiled_tv_layout_a(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile of A."""
        return self._tv("a")

    @property
    def tiled_tv_layout_b(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile of B."""
        return self._tv("b")

    @property
    def tiled_tv_layout_c(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile of C and D."""
        return self._tv("c")

    def _tv(self, operand: Literal["a", "b", "c"]) -> LayoutType:
        return LayoutType(tiled_mma_tv(*self._arrangement(), operand))

    def _arrangement(self) -> tuple[MmaTV, fl.Layout, fl.Tile | None]:
        return self.atom.tv, self.atom_layout.value, None if self.perm is None else self.perm.value

    @property
    def is_static(self) -> bool:
        return self.atom.is_static


def _check_kind(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise VerifyException(f"expected {what}, found {value}")


def _in_values(tv_bits: fl.Layout, val_bits: int) -> fl.Layout:
    tv = fl.recast_layout(tv_bits, 1, val_bits)
    assert isinstance(tv, fl.Layout)
    return tv
