"""Atom types by parameters (`CopyAtomType.get(op, bits)`) and their parameters by name: mixins."""

from __future__ import annotations

from typing import Any, Literal, Self

import flydsl.layout as fl
from flydsl.ir.fly.access import element_type, type_of
from flydsl.layout.tiled import tiled_copy_tv
from flydsl.layout.tiled_mma import tiled_mma_thr_layout, tiled_mma_tile_size, tiled_mma_tv


class UniversalCopyAccess:
    """`CopyOpUniversalCopyType.get(bit_size)`."""

    @classmethod
    def get(cls, bit_size: int) -> Self:
        """The copy of `bit_size` bits by one thread."""
        return cls(bit_size)  # type: ignore[call-arg]


class UniversalAtomicAccess:
    """`CopyOpUniversalAtomicType.get(atomic_op, val_type, syncscope)`."""

    @classmethod
    def get(cls, atomic_op: Any, val_type: Any, syncscope: Any = "") -> Self:
        """The atomic `atomic_op` (an `AtomicOp` or its name) of values of `val_type`."""
        from flydsl.ir.fly.attributes import AtomicOp, AtomicOpAttr

        name = getattr(atomic_op, "name", atomic_op).lower()
        scope = str(getattr(syncscope, "value", syncscope))
        return cls(AtomicOpAttr(AtomicOp(name)), element_type(val_type), scope)  # type: ignore[call-arg]


class UniversalFMAAccess:
    """`MmaOpUniversalFMAType.get(elem_ty)`."""

    element: Any

    @classmethod
    def get(cls, elem_ty: Any) -> Self:
        """The multiply-add of one element."""
        return cls(element_type(elem_ty))  # type: ignore[call-arg]

    @property
    def elem_ty(self) -> Any:
        """The MLIR type of the elements."""
        return self.element


class CopyAtomAccess:
    """`CopyAtomType.get(copy_op, val_bits)`."""

    op: Any
    val_bits: int

    @classmethod
    def get(cls, copy_op: Any, val_bits: int) -> Self:
        """The type of an atom that copies values of `val_bits` bits by `copy_op`."""
        return cls(copy_op, val_bits)  # type: ignore[call-arg]

    @property
    def copy_op(self) -> Any:
        """The type of the operation."""
        return self.op

    @property
    def thr_layout(self) -> Any:
        """The type of the layout of the threads that take part."""
        return type_of(self.op.thr_layout)

    @property
    def tv_layout_src(self) -> Any:
        """The type of (thread, value) -> place in the source."""
        return self._in_values(self.op.src_tv_bits)

    @property
    def tv_layout_dst(self) -> Any:
        """The type of (thread, value) -> place in the destination."""
        return self._in_values(self.op.dst_tv_bits)

    @property
    def tv_layout_ref(self) -> Any:
        """The type of (thread, value) -> place in the numbering that tiled copies are stated in."""
        return self._in_values(self.op.ref_tv_bits)

    def _in_values(self, tv_bits: Any) -> Any:
        return type_of(fl.recast_layout(tv_bits, 1, self.val_bits))


class MmaAtomAccess:
    """`MmaAtomType.get(mma_op)`."""

    op: Any

    @classmethod
    def get(cls, mma_op: Any) -> Self:
        """The type of an atom that multiplies by `mma_op`."""
        return cls(mma_op)  # type: ignore[call-arg]

    @property
    def mma_op(self) -> Any:
        """The type of the operation."""
        return self.op

    @property
    def shape_mnk(self) -> Any:
        """The type of the extents (M, N, K)."""
        return type_of(tuple(self.op.shape_mnk))

    @property
    def thr_layout(self) -> Any:
        """The type of the layout of the threads that take part."""
        return type_of(self.op.thr_layout)

    @property
    def tv_layout_a(self) -> Any:
        """The type of (thread, value) -> place in A."""
        return type_of(self.op.tv_layouts[0])

    @property
    def tv_layout_b(self) -> Any:
        """The type of (thread, value) -> place in B."""
        return type_of(self.op.tv_layouts[1])

    @property
    def tv_layout_c(self) -> Any:
        """The type of (thread, value) -> place in C and D."""
        return type_of(self.op.tv_layouts[2])


class TiledCopyAccess:
    """The parts of a tiled copy."""

    atom: Any
    layout_tv: Any
    tile: Any

    @property
    def copy_atom(self) -> Any:
        """The type of the atom."""
        return self.atom

    @property
    def layout_thr_val(self) -> Any:
        """The type of (thread, value) -> place in the tile."""
        return self.layout_tv

    @property
    def tile_mn(self) -> Any:
        """The type of the tile that all threads copy together."""
        return self.tile

    @property
    def tiled_tv_layout_src(self) -> Any:
        """The type of (thread, value) -> place in the tile, as the source is read."""
        return self._seen_from("src")

    @property
    def tiled_tv_layout_dst(self) -> Any:
        """The type of (thread, value) -> place in the tile, as the destination is written."""
        return self._seen_from("dst")

    def _seen_from(self, which: Literal["src", "dst"]) -> Any:
        from flydsl.ir.fly.views import copy_atom_tv

        return type_of(tiled_copy_tv(copy_atom_tv(self.atom), self.layout_tv.value, which))


class TiledMmaAccess:
    """The parts of a tiled MMA."""

    atom: Any
    atom_layout: Any
    perm: Any

    @property
    def mma_atom(self) -> Any:
        """The type of the atom."""
        return self.atom

    @property
    def permutation(self) -> Any:
        """The type of the permutation of M, N and K, None when there is none."""
        return self.perm

    @property
    def tile_size_mnk(self) -> Any:
        """The type of the extents (M, N, K) that all threads multiply in one step."""
        return type_of(tuple(tiled_mma_tile_size(*self._arrangement())))

    @property
    def thr_layout_vmnk(self) -> Any:
        """The type of (thread of an atom, atom along M, N, K) -> thread number."""
        return type_of(tiled_mma_thr_layout(*self._arrangement()[:2]))

    @property
    def tiled_tv_layout_a(self) -> Any:
        """The type of (thread, value) -> place in the tile of A."""
        return self._tv("a")

    @property
    def tiled_tv_layout_b(self) -> Any:
        """The type of (thread, value) -> place in the tile of B."""
        return self._tv("b")

    @property
    def tiled_tv_layout_c(self) -> Any:
        """The type of (thread, value) -> place in the tile of C and D."""
        return self._tv("c")

    def _tv(self, operand: Literal["a", "b", "c"]) -> Any:
        atom, atom_layout, perm = self._arrangement()
        return type_of(tiled_mma_tv(atom, atom_layout, perm, operand))

    def _arrangement(self) -> Any:
        from flydsl.ir.fly.views import mma_atom_tv

        return mma_atom_tv(self.atom), self.atom_layout.value, self.perm and self.perm.value
