"""Hopper's matrix multiply-add of a warp group as a Fly type with its thread-value layouts.

64 x N x K with N a multiple of 8 up to 256, and 32 bytes of K. B, and A unless it is in registers, are read from shared
memory by the instruction; of those all 128 threads hold the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from flydsl.backend.atoms import MmaOpType, Reader, mma_body, read_mma_body
from flydsl.backend.ir import element_bits
from flydsl.layout import Layout

ROWS, THREADS, K_BYTES, MOST_COLUMNS = 64, 128, 32, 256
SHARED, REGISTERS = "smem", "reg"
K_MAJOR, MN_MAJOR = "k", "mn"
PTX_TYPES: Mapping[str, str] = {
    "bf16": "bf16",
    "f16": "f16",
    "f32": "tf32",
    "f8E4M3FN": "e4m3",
    "f8E5M2": "e5m2",
    "i8": "s8",
}
"""Element types of A and B, and what PTX calls them: f32 is read as tf32, without its last 13 bits."""
_ACCUMULATORS: Mapping[str, tuple[str, ...]] = {
    "bf16": ("f32",),
    "f16": ("f32", "f16"),
    "f32": ("f32",),
    "f8E4M3FN": ("f32", "f16"),
    "f8E5M2": ("f32", "f16"),
    "i8": ("i32",),
}
_FP8 = ("f8E4M3FN", "f8E5M2")
_EVEN_COLUMNS = 32
"""With 8-bit integers N beyond this is a multiple of 16."""


@dataclass(frozen=True, eq=False, repr=False)
class WgmmaType(MmaOpType):
    """`!fly_nvvm.sm90.wgmma<64x128x16, (bf16, bf16) -> f32, a = smem, majors = (k, k)>`; state accumulate.

    `majors` are the directions of A and B whose elements are neighbours in shared memory.
    """

    name: ClassVar[str] = "fly_nvvm.sm90.wgmma"
    fields: ClassVar[tuple[str, ...]] = ("accumulate",)
    shape: tuple[int, int, int]
    a: Attribute
    b: Attribute
    acc: Attribute
    a_from: str = SHARED
    majors: tuple[str, str] = (K_MAJOR, K_MAJOR)

    def verify(self) -> None:
        a, b, acc = (str(kind) for kind in (self.a, self.b, self.acc))
        if a not in PTX_TYPES or (a != b and not (a in _FP8 and b in _FP8)):
            raise VerifyException(
                f"wgmma multiplies two of {', '.join(PTX_TYPES)}, one type or both fp8; found {a}, {b}"
            )
        if acc not in _ACCUMULATORS[a]:
            raise VerifyException(f"wgmma of {a} adds to {' or '.join(_ACCUMULATORS[a])}, found {acc}")
        self._verify_shape(a)
        if self.a_from not in (SHARED, REGISTERS):
            raise VerifyException(f"wgmma takes A from {SHARED!r} or {REGISTERS!r}, found {self.a_from!r}")
        for operand, major in zip("AB", self.majors, strict=True):
            if major not in (K_MAJOR, MN_MAJOR):
                raise VerifyException(f"{operand} of wgmma is {K_MAJOR!r}-major or {MN_MAJOR!r}-major, found {major!r}")
            if major == MN_MAJOR and element_bits(self.a) != 16:
                raise VerifyException(f"wgmma of {a} takes {operand} with neighbours along K, found {MN_MAJOR!r}-major")
        if self.a_from == REGISTERS and self.majors[0] != K_MAJOR:
            raise VerifyException("A of wgmma is in registers, which have no major direction; leave major_a out")

    def _verify_shape(self, kind: str) -> None:
        m, n, k = self.shape
        depth = K_BYTES * 8 // element_bits(self.a)
        if (m, k) != (ROWS, depth):
            raise VerifyException(f"wgmma of {kind} is {ROWS} x n x {depth}, found {m} x {n} x {k}")
        step = 16 if kind == "i8" and n > _EVEN_COLUMNS else 8
        if n < 8 or n > MOST_COLUMNS or n % step:
            raise VerifyException(f"n of wgmma is a multiple of {step} from 8 to {MOST_COLUMNS}, found {n}")

    def body(self) -> str:
        start = mma_body(self.shape, (self.a, self.b, self.acc))
        return f"{start}, a = {self.a_from}, majors = ({', '.join(self.majors)})"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        shape, (a, b, acc) = read_mma_body(reader)
        for text in (",", "a", "="):
            reader.expect(text)
        a_from = reader.word("where A is")
        for text in (",", "majors", "=", "("):
            reader.expect(text)
        major_a = reader.word("the major direction of A")
        reader.expect(",")
        major_b = reader.word("the major direction of B")
        reader.expect(")")
        return cls(shape, a, b, acc, a_from, (major_a, major_b))

    @property
    def thr_layout(self) -> Layout:
        return Layout(THREADS, 1)

    @property
    def shape_mnk(self) -> tuple[int, int, int]:
        return self.shape

    @property
    def value_types(self) -> tuple[Attribute, Attribute, Attribute, Attribute]:
        return (self.a, self.b, self.acc, self.acc)

    @property
    def memory_operands(self) -> frozenset[str]:
        return frozenset("ab") if self.a_from == SHARED else frozenset("b")

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        _, n, k = self.shape
        a = _whole(ROWS, k) if self.a_from == SHARED else _registers(k, 32 // element_bits(self.a))
        return a, _whole(n, k), _registers(n, 2)

    @property
    def packed(self) -> int:
        """Accumulators of a register."""
        return 32 // element_bits(self.acc)

    def ptx_name(self) -> str:
        """`wgmma.mma_async...` with shape and types."""
        _, n, k = self.shape
        types = ".".join(
            ["s32" if str(self.acc) == "i32" else str(self.acc), *(PTX_TYPES[str(x)] for x in (self.a, self.b))]
        )
        return f"wgmma.mma_async.sync.aligned.m{ROWS}n{n}k{k}.{types}"


def _whole(rows: int, k: int) -> Layout:
    """All threads have all values."""
    return Layout((THREADS, (rows, k)), (0, (1, rows)))


def _registers(columns: int, neighbours: int) -> Layout:
    """Four warps of 16 rows; of its four threads of a row, each has `neighbours` columns at a time, then those of the
    row 8 below, then the next ones to the right."""
    step = 4 * neighbours
    threads, strides = (4, 8, 4), (neighbours * ROWS, 1, 16)
    if neighbours == 1:
        return Layout((threads, (2, columns // step)), (strides, (8, step * ROWS)))
    return Layout((threads, (neighbours, 2, columns // step)), (strides, (ROWS, 8, step * ROWS)))
