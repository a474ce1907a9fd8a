"""A target dialect as a plugin would bring it: a stateful copy atom of two lanes, an MMA atom and an address space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.ir import Attribute, Dialect

import flydsl.layout as fl
from flydsl.ir.fly.atoms import CopyOpType, MmaOpType, mma_body, read_mma_body
from flydsl.ir.fly.base import FlyAttribute
from flydsl.ir.fly.reader import Reader


@dataclass(frozen=True, eq=False, repr=False)
class BufferSpaceAttr(FlyAttribute):
    """`#fly_test.buffer_desc`: an address space of the target."""

    name: ClassVar[str] = "fly_test.buffer_desc"


@dataclass(frozen=True, eq=False, repr=False)
class PairCopyType(CopyOpType):
    """`!fly_test.v1.pair_copy<64, cache = 2>`: two threads copy neighbouring words, which arrive crossed over."""

    name: ClassVar[str] = "fly_test.v1.pair_copy"
    fields: ClassVar[tuple[str, ...]] = ("soffset",)
    bits: int
    cache: int = 0

    def body(self) -> str:
        return f"{self.bits}, cache = {self.cache}" if self.cache else str(self.bits)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        bits = reader.integer("a number of bits")
        if not reader.accept(","):
            return cls(bits)
        reader.expect("cache")
        reader.expect("=")
        return cls(bits, reader.integer("a cache policy"))

    @property
    def thr_layout(self) -> fl.Layout:
        return fl.Layout(2, 1)

    @property
    def src_tv_bits(self) -> fl.Layout:
        return fl.Layout((2, self.bits), (self.bits, 1))

    @property
    def dst_tv_bits(self) -> fl.Layout:
        half = self.bits // 2
        return fl.Layout((2, (half, 2)), (half, (1, self.bits)))


@dataclass(frozen=True, eq=False, repr=False)
class PairMmaType(MmaOpType):
    """`!fly_test.mma<2x1x2, (f16, f16) -> f32>`: each of two threads holds one row."""

    name: ClassVar[str] = "fly_test.mma"
    a: Attribute
    b: Attribute
    acc: Attribute

    def body(self) -> str:
        return mma_body(self.shape_mnk, (self.a, self.b, self.acc))

    @classmethod
    def read(cls, reader: Reader) -> Self:
        shape, types = read_mma_body(reader)
        if shape != (2, 1, 2):
            reader.error(f"the shape is 2x1x2, found {shape!r}")
        return cls(*types)

    @property
    def thr_layout(self) -> fl.Layout:
        return fl.Layout(2, 1)

    @property
    def shape_mnk(self) -> tuple[int, int, int]:
        return (2, 1, 2)

    @property
    def value_types(self) -> tuple[Attribute, Attribute, Attribute, Attribute]:
        return (self.a, self.b, self.acc, self.acc)

    @property
    def tv_layouts(self) -> tuple[fl.Layout, fl.Layout, fl.Layout]:
        return fl.Layout((2, 2), (1, 2)), fl.Layout((2, 2), (0, 1)), fl.Layout((2, 1), (1, 0))


@dataclass(frozen=True, eq=False, repr=False)
class MemoryMmaType(PairMmaType):
    """`!fly_test.memory_mma<2x1x2, (f16, f16) -> f32>`: the same, but b is read from memory, all of it by both."""

    name: ClassVar[str] = "fly_test.memory_mma"

    @property
    def memory_operands(self) -> frozenset[str]:
        return frozenset("b")


@dataclass(frozen=True, eq=False, repr=False)
class AccumulatorMmaType(PairMmaType):
    """`!fly_test.accumulator_mma<2x1x2, (f16, f16) -> f32>`: the same, but its accumulators are in memory."""

    name: ClassVar[str] = "fly_test.accumulator_mma"

    @property
    def memory_operands(self) -> frozenset[str]:
        return frozenset("cd")


TARGET = Dialect("fly_test", [], [AccumulatorMmaType, BufferSpaceAttr, MemoryMmaType, PairCopyType, PairMmaType])
