"""CDNA's matrix multiply-add instructions as Fly types with their thread-value layouts.

Layouts are those of the CDNA instruction set manuals. Of A and B, groups of M threads hold consecutive runs of k; of C
and D, threads hold runs of four rows of a column.

An instruction of several blocks computes as many products at once. As an atom it is one product of M x (N * blocks) x
K: the threads of each block hold the same A, as those of gfx11's WMMA do, and columns of their own of B, C and D.
Nothing in the instruction asks for the same A: a program that fills the registers itself gets independent products.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.backend.atoms import MmaOpType, Reader, mma_body, read_mma_body
from flydsl.backend.ir import element_bits
from flydsl.base.errors import UnsupportedTargetError
from flydsl.layout import Layout
from flydsl_rocm.atoms.matrix_intrinsics import MFMA, MFMA_BLOCKS, SCALED_FORMATS, Intrinsic, Key, kind_of
from flydsl_rocm.features import Feature

_SCALED_SHAPES = ((16, 16, 128), (32, 32, 64))
_WAVE = 64
_ROWS = 4
"""Consecutive rows of a column in the registers of one thread."""


@dataclass(frozen=True, eq=False, repr=False)
class RocmMmaType(MmaOpType):
    """What all of them share: extents M, N, K and the element types of a, b and the accumulator."""

    feature: ClassVar[Feature | None] = None
    """What chips with the instruction have, where it has no entry."""
    shape: tuple[int, int, int]
    a: Attribute
    b: Attribute
    acc: Attribute

    def body(self) -> str:
        return mma_body(self.shape, (self.a, self.b, self.acc))

    @property
    def table_key(self) -> Key:
        """The entry of the intrinsic tables."""
        return (*self.shape, kind_of(self.a), kind_of(self.b), kind_of(self.acc))

    @property
    def entry(self) -> Intrinsic | None:
        """The instruction; None for one that takes its formats and scales as operands, and for what there is not."""
        return None

    def check_target(self, arch: str) -> None:
        """UnsupportedTargetError for a chip without the instruction; atoms of it may be made for any, and not used."""
        from flydsl_rocm.target import TARGETS, target_of

        target = target_of(arch)
        feature = self.feature if self.entry is None else self.entry.feature
        if feature is None or feature in target.features:
            return
        having = [chip for chip, other in TARGETS.items() if feature in other.features]
        raise UnsupportedTargetError(f"{target.chip} has no {self}; chips that have it: {', '.join(having)}")

    @property
    def shape_mnk(self) -> tuple[int, int, int]:
        return self.shape

    @property
    def value_types(self) -> tuple[Attribute, Attribute, Attribute, Attribute]:
        return (self.a, self.b, self.acc, self.acc)

    def counts(self) -> tuple[int, int, int]:
        """How many values of a, b and c a thread holds."""
        a, b, c = (fl.size(fl.get(layout, 1)) for layout in self.tv_layouts)
        return a, b, c  # type: ignore[return-value]  # atoms have static layouts


@dataclass(frozen=True, eq=False, repr=False)
class MfmaType(RocmMmaType):
    """`!fly_rocdl.cdna3.mfma<16x16x16, (f16, f16) -> f32>`.

    `blocks` is given, and printed, where it is not the fewest: `<32x32x4, (bf16, bf16) -> f32, blocks = 2>`.
    """

    name: ClassVar[str] = "fly_rocdl.cdna3.mfma"
    blocks: int = 0
    """0 stands for the fewest that the shape has."""

    def __post_init__(self) -> None:
        if not self.blocks:
            object.__setattr__(self, "blocks", self._fewest_blocks)
        super().__post_init__()

    @property
    def entry(self) -> Intrinsic | None:
        return MFMA_BLOCKS.get((self.table_key, self.blocks))

    def check_target(self, arch: str) -> None:
        """Also for 8-bit floats: the instruction has no name for their kind, and a chip has one of the two."""
        from flydsl_rocm.target import target_of

        super().check_target(arch)
        target = target_of(arch)
        for element in map(str, (self.a, self.b)):
            if element.startswith("f8") and element not in target.fp8:
                raise UnsupportedTargetError(
                    f"{target.chip} multiplies {' and '.join(target.fp8)}, found {element} in {self}"
                )

    @property
    def _fewest_blocks(self) -> int:
        found = MFMA.get(self.table_key)
        return 1 if found is None else found.blocks

    def verify(self) -> None:
        if self.entry is None:
            shapes = shapes_of_types(MFMA, self.table_key)
            raise VerifyException(f"there is no mfma<{self.body()}>; shapes of these types: {shapes}")

    def body(self) -> str:
        return super().body() + ("" if self.blocks == self._fewest_blocks else f", blocks = {self.blocks}")

    @classmethod
    def read(cls, reader: Reader) -> Self:
        shape, (a, b, acc) = read_mma_body(reader)
        blocks = 0
        if reader.accept(","):
            for text in ("blocks", "="):
                reader.expect(text)
            blocks = reader.integer("how many products the instruction computes at once")
        return cls(shape, a, b, acc, blocks)

    @property
    def shape_mnk(self) -> tuple[int, int, int]:
        m, n, k = self.shape
        return m, n * self.blocks, k

    @property
    def thr_layout(self) -> Layout:
        return Layout(_WAVE, 1)

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        m, n, k = self.shape
        result = _interleaved_result if kind_of(self.acc) == "f64" else _result
        return _input(m, k, self.blocks, 0), _input(n, k, self.blocks, n), result(m, n, self.blocks)


@dataclass(frozen=True, eq=False, repr=False)
class MfmaScaleType(RocmMmaType):
    """`!fly_rocdl.cdna4.mfma_scale<16x16x128, (f8E4M3FN, f4E2M1FN) -> f32, opselA = 0, opselB = 0>`; state scale_a,
    scale_b.
    """

    name: ClassVar[str] = "fly_rocdl.cdna4.mfma_scale"
    feature: ClassVar[Feature | None] = Feature.CDNA4
    fields: ClassVar[tuple[str, ...]] = ("scale_a", "scale_b")
    opsel_a: int = 0
    opsel_b: int = 0

    def verify(self) -> None:
        if self.shape not in _SCALED_SHAPES or str(self.acc) != "f32":
            raise VerifyException(f"mfma_scale is 16x16x128 or 32x32x64 with an f32 accumulator, found {self.body()}")
        for element in (self.a, self.b):
            if str(element) not in SCALED_FORMATS:
                raise VerifyException(f"mfma_scale takes {', '.join(SCALED_FORMATS)}, found {element}")
        for opsel in (self.opsel_a, self.opsel_b):
            if not 0 <= opsel <= 3:
                raise VerifyException(f"opsel selects one of 4 bytes, found {opsel}")

    def body(self) -> str:
        return f"{super().body()}, opselA = {self.opsel_a}, opselB = {self.opsel_b}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        shape, (a, b, acc) = read_mma_body(reader)
        opsel = []
        for key in ("opselA", "opselB"):
            for text in (",", key, "="):
                reader.expect(text)
            opsel.append(reader.integer("which byte of the scale to take"))
        return cls(shape, a, b, acc, *opsel)

    @property
    def thr_layout(self) -> Layout:
        return Layout(_WAVE, 1)

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        """8-bit operands are in runs of 16 k, so that each 32 k have a scale of their own; others are in one run."""
        m, n, k = self.shape
        a, b = (_runs_of_16(m) if element_bits(kind) == 8 else _input(m, k, 1, 0) for kind in (self.a, self.b))
        return a, b, _result(m, n, 1)


def _input(rows: int, k: int, blocks: int, step: int) -> Layout:
    """Threads of (row, block, run of k), each with a run; blocks are `step` rows apart, or the same ones."""
    groups = _WAVE // (rows * blocks)
    run, column = k // groups, rows * blocks if step else rows
    if blocks == 1:
        return Layout(((rows, groups), run), ((1, rows * run), rows))
    if groups == 1:
        return Layout(((rows, blocks), run), ((1, step), column))
    return Layout(((rows, blocks, groups), run), ((1, step, column * run), column))


def _runs_of_16(rows: int) -> Layout:
    """A or B of 32 values in a thread, the runs of the threads of a row in turn."""
    groups = _WAVE // rows
    return Layout(((rows, groups), (16, 2)), ((1, 16 * rows), (rows, 16 * rows * groups)))


def _result(m: int, n: int, blocks: int) -> Layout:
    """Threads of (column, run of rows); values of a run, of the runs in turn, of the blocks after one another."""
    groups, runs = _WAVE // n, m // _ROWS
    if groups > runs:  # each thread has one run, and threads are of different blocks
        return Layout(((n, groups), _ROWS), ((m, m * n), 1))
    extents, steps = (_ROWS, runs // groups), (1, _ROWS * groups)
    if blocks > 1:
        return Layout(((n, groups), (*extents, blocks)), ((m, _ROWS), (*steps, m * n)))
    return Layout(((n, groups), extents), ((m, _ROWS), steps))


def _interleaved_result(m: int, n: int, blocks: int) -> Layout:
    """Of f64: threads of (column, block, row), the values of a thread as many rows apart as there are threads."""
    groups = _WAVE // (n * blocks)
    if blocks > 1:
        return Layout(((n, blocks, groups), m // groups), ((m, m * n, 1), groups))
    return Layout(((n, groups), m // groups), ((m, 1), groups))


def shapes_of_types(table: Iterable[Key], key: Key) -> str:
    """The shapes that `table` has for the types of `key`, for a message."""
    found = ["x".join(map(str, other[:3])) for other in table if other[3:] == key[3:]]
    return ", ".join(found) or "none"
