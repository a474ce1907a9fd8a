"""Types of copy and matrix atoms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.ir.fly.atoms import CopyOpType, MmaOpType
from flydsl.ir.fly.base import FlyType, text_of
from flydsl.ir.fly.reader import Reader
from flydsl.ir.fly.types.int_tuple import IntTupleType
from flydsl.ir.fly.types.layout import LayoutType
from flydsl.layout.tiled import AtomTV
from flydsl.layout.tiled_mma import MmaTV


@dataclass(frozen=True, eq=False, repr=False)
class CopyAtomType(FlyType):
    """`!fly.copy_atom<!fly.universal_copy<128>, 32>`: a copy operation on values of `val_bits` bits."""

    name: ClassVar[str] = "fly.copy_atom"
    op: CopyOpType
    val_bits: int

    def verify(self) -> None:
        _copy_operation(self.op)
        if self.val_bits < 0 or (self.val_bits == 0 and not self.op.whole_tile):
            raise VerifyException(f"the value width of a copy atom is positive, found {self.val_bits!r}")

    def body(self) -> str:
        return f"{text_of(self.op)}, {self.val_bits}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        op = reader.attribute()
        reader.expect(",")
        val_bits = reader.integer("the value width in bits")
        return cls(_copy_operation(op), val_bits)

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

    @cached_property
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
        _mma_operation(self.op)

    def body(self) -> str:
        return text_of(self.op)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(_mma_operation(reader.attribute()))

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

    @cached_property
    def tv(self) -> MmaTV:
        """The thread-value layouts of the operands."""
        return MmaTV(self.op.thr_layout, self.op.shape_mnk, *self.op.tv_layouts)

    @property
    def is_static(self) -> bool:
        return not self.op.fields


def _copy_operation(value: object) -> CopyOpType:
    if not isinstance(value, CopyOpType):
        raise VerifyException(f"expected a copy operation, found {value}")
    return value


def _mma_operation(value: object) -> MmaOpType:
    if not isinstance(value, MmaOpType):
        raise VerifyException(f"expected an MMA operation, found {value}")
    return value


def _in_values(tv_bits: fl.Layout, val_bits: int) -> fl.Layout:
    tv = fl.recast_layout(tv_bits, 1, val_bits)
    assert isinstance(tv, fl.Layout)
    return tv
