"""What a warp does since sm_80 as Fly types: matrix products, moves of 8 x 8 matrices, copies past the registers.

Layouts are those of the PTX ISA. A 32-bit register holds `run` neighbours along a row of A or a column of B; lane l is
thread l % 4 of group l / 4, and the group is the row of A and C, or the column of B.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from flydsl.backend.atoms import CopyOpType, MmaOpType, OneThreadCopy, Reader, mma_body, read_mma_body
from flydsl.backend.ir import element_bits
from flydsl.layout import Layout

_WARP, _GROUPS, _THREADS = 32, 8, 4
_REGISTER, _ROW, _MATRIX = 32, 128, 1024
"""Bits of a register, and of a row of an 8 x 8 matrix of 16-bit elements, and of such a matrix."""

KINDS: dict[tuple[str, str, str], tuple[int, ...]] = {
    ("f16", "f16", "f16"): (8, 16),
    ("f16", "f16", "f32"): (8, 16),
    ("bf16", "bf16", "f32"): (8, 16),
    ("f32", "f32", "f32"): (4, 8),
    ("i8", "i8", "i32"): (16, 32),
    **{(a, b, "f32"): (32,) for a in ("f8E4M3FN", "f8E5M2") for b in ("f8E4M3FN", "f8E5M2")},
}
"""Element types of A, B and the accumulator, and the extents along K; f32 of A and B is read as tf32."""


@dataclass(frozen=True, eq=False, repr=False)
class MmaSyncType(MmaOpType):
    """`!fly_nvvm.sm80.mma<16x8x16, (f16, f16) -> f32>`: a warp multiplies 16 x K by K x 8 elements in registers."""

    name: ClassVar[str] = "fly_nvvm.sm80.mma"
    shape: tuple[int, int, int]
    a: Attribute
    b: Attribute
    acc: Attribute

    def verify(self) -> None:
        m, n, k = self.shape
        extents = KINDS.get((str(self.a), str(self.b), str(self.acc)), ())
        if (m, n) != (16, 8) or k not in extents:
            shapes = ", ".join(f"16x8x{extent}" for extent in extents) or "none"
            raise VerifyException(f"there is no mma<{self.body()}>; shapes of these types: {shapes}")

    def body(self) -> str:
        return mma_body(self.shape, (self.a, self.b, self.acc))

    @classmethod
    def read(cls, reader: Reader) -> Self:
        shape, (a, b, acc) = read_mma_body(reader)
        return cls(shape, a, b, acc)

    @property
    def thr_layout(self) -> Layout:
        return Layout(_WARP, 1)

    @property
    def shape_mnk(self) -> tuple[int, int, int]:
        return self.shape

    @property
    def value_types(self) -> tuple[Attribute, Attribute, Attribute, Attribute]:
        return self.a, self.b, self.acc, self.acc

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        m, n, k = self.shape
        run = _REGISTER // element_bits(self.a)
        half, registers = _THREADS * run, k // (_THREADS * run)  # along K: what a warp's registers hold of a row
        lanes = (_THREADS, _GROUPS)
        a = Layout((lanes, (run, 2, registers)), ((m * run, 1), (m, _GROUPS, m * half)))
        b = Layout((lanes, (run, registers)), ((n * run, 1), (n, n * half)))
        c = Layout((lanes, (2, 2)), ((2 * m, 1), (m, _GROUPS)))
        return a, b, c


class _MatrixMove(CopyOpType):
    """Moves of `num` 8 x 8 matrices of 16-bit elements: lane 8 i + r has the address of row r of matrix i.

    Where there are fewer addresses than lanes, the others have those of the first again, and nobody reads them.
    """

    num: int
    trans: bool

    def verify(self) -> None:
        if self.num not in (1, 2, 4):
            raise VerifyException(f"{self.name} moves 1, 2 or 4 matrices, found {self.num}")

    def body(self) -> str:
        return f"{self.num}, trans" if self.trans else str(self.num)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        num = reader.integer("the number of matrices")
        if not reader.accept(","):
            return cls(num, False)
        reader.expect("trans")
        return cls(num, True)

    @property
    def thr_layout(self) -> Layout:
        return Layout(_WARP, 1)

    @property
    def rows(self) -> Layout:
        """(lane, bit) -> bit of the matrices: the rows that lanes have the addresses of."""
        count = 8 * self.num
        if count == _WARP:
            return Layout((_WARP, _ROW), (_ROW, 1))
        return Layout(((count, _WARP // count), _ROW), ((_ROW, 0), 1))

    @property
    def registers(self) -> Layout:
        """(lane, bit) -> bit of the matrices: a register of each matrix, two neighbours of a row, or of a column."""
        if self.trans:
            return Layout(((_THREADS, _GROUPS), (16, 2, self.num)), ((2 * _ROW, 16), (1, _ROW, _MATRIX)))
        return Layout((_WARP, (_REGISTER, self.num)), (_REGISTER, (1, _MATRIX)))

    @property
    def ref_tv_bits(self) -> Layout:
        return self.registers


@dataclass(frozen=True, eq=False, repr=False)
class LdMatrixType(_MatrixMove):
    """`!fly_nvvm.sm80.ldmatrix<4>` or `<4, trans>`: shared memory to the registers of a warp."""

    name: ClassVar[str] = "fly_nvvm.sm80.ldmatrix"
    num: int
    trans: bool

    @property
    def src_tv_bits(self) -> Layout:
        return self.rows

    @property
    def dst_tv_bits(self) -> Layout:
        return self.registers


@dataclass(frozen=True, eq=False, repr=False)
class StMatrixType(_MatrixMove):
    """`!fly_nvvm.sm90.stmatrix<4>` or `<4, trans>`: the registers of a warp to shared memory."""

    name: ClassVar[str] = "fly_nvvm.sm90.stmatrix"
    num: int
    trans: bool

    @property
    def src_tv_bits(self) -> Layout:
        return self.registers

    @property
    def dst_tv_bits(self) -> Layout:
        return self.rows


@dataclass(frozen=True, eq=False, repr=False)
class CpAsyncType(OneThreadCopy):
    """`!fly_nvvm.sm80.cp_async<128>` or `<128, cg>`: global to shared memory, without a register in between."""

    name: ClassVar[str] = "fly_nvvm.sm80.cp_async"
    from_memory_to_memory: ClassVar[bool] = True
    bits: int
    cache: str

    def verify(self) -> None:
        if self.bits not in (32, 64, 128):
            raise VerifyException(f"{self.name} moves 32, 64 or 128 bits, found {self.bits}")
        if self.cache not in ("ca", "cg") or (self.cache == "cg" and self.bits != 128):
            raise VerifyException(
                f"{self.name} goes through all caches (ca), of 128 bits also past the first (cg), found {self.cache}"
            )

    def body(self) -> str:
        return f"{self.bits}, cg" if self.cache == "cg" else str(self.bits)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        bits = reader.integer("the number of bits")
        return cls(bits, reader.word("ca or cg") if reader.accept(",") else "ca")
