"""What backends of GPUs share: exchanges of lanes, and numbers and sizes of threads, waves and blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import DenseArrayBase, FixedBitwidthType, IndexType, IntegerAttr, IntegerType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.ir.upstream import ShuffleMode, ShuffleModeAttr
from flydsl.passes.to_llvm.builder import LLVMBuilder

__all__ = [
    "BlockSize",
    "IndexArithmetic",
    "ShuffleMode",
    "dimension_of",
    "in_words",
    "known_block_size",
    "shuffle_mode",
    "source_lane",
]

BlockSize: TypeAlias = tuple[int, int, int]
"""Threads of a block in each dimension."""


def source_lane(build: LLVMBuilder, op: Operation, thread: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The number of the thread to read from, and whether it is inside of the reader's group of the shuffle's width."""
    offset, width = op.operands[1], op.operands[2]
    mask = build.sub(width, build.constant(1, i32))
    lane = build.bit_and(thread, mask)
    first = build.sub(thread, lane)
    match shuffle_mode(op):
        case ShuffleMode.XOR:
            other = build.bit_xor(lane, offset)
        case ShuffleMode.UP:
            other = build.sub(lane, offset)
        case ShuffleMode.DOWN:
            other = build.add(lane, offset)
        case ShuffleMode.IDX:
            other = build.bit_and(offset, mask)
    return build.add(first, other), build.compare("ult", other, width)


def shuffle_mode(op: Operation) -> ShuffleMode:
    """How a shuffle picks its lane: from the attribute, or from its number, as other producers write it."""
    attribute: Attribute | None = op.get_attr_or_prop("mode")
    if isinstance(attribute, IntegerAttr):
        return list(ShuffleMode)[attribute.value.data]
    assert isinstance(attribute, ShuffleModeAttr), attribute
    return attribute.data


def in_words(build: LLVMBuilder, read: Callable[[SSAValue], SSAValue], value: SSAValue) -> SSAValue:
    """What `read`, a function of 32 bits, gives for `value` of 32 or 64."""
    assert isinstance(value.type, FixedBitwidthType), value.type
    width = value.type.bitwidth
    bits = build.bitcast(value, IntegerType(width))
    low = read(bits if width == 32 else build.integer_cast(bits, i32))
    if width == 32:
        return build.bitcast(low, value.type)
    by_32 = build.constant(32, i64)
    high = read(build.integer_cast(build.shift_right(bits, by_32), i32))
    upper = build.value(arith.ShLIOp, (build.zero_extend(high, i64), by_32), i64)
    return build.bitcast(build.bit_or(upper, build.zero_extend(low, i64)), value.type)


def known_block_size(kernel: Operation) -> BlockSize | None:
    """The size of the blocks of a kernel, where every launch has the same."""
    for name in ("known_block_size", "gpu.known_block_size"):
        attribute = kernel.get_attr_or_prop(name)
        if isinstance(attribute, DenseArrayBase):
            x, y, z = (int(number) for number in attribute.get_values())
            return x, y, z
    return None


def dimension_of(op: Operation) -> int:
    """0 for x, 1 for y and 2 for z, of an operation such as `gpu.thread_id`; 0 where it has none."""
    attribute = op.get_attr_or_prop("dimension")
    return "xyz".index(attribute.data.value) if isinstance(attribute, gpu.DimensionAttr) else 0


class IndexArithmetic(ABC):
    """Numbers of threads and waves, computed from ids and sizes by `build`."""

    def __init__(self, build: LLVMBuilder) -> None:
        self.build = build

    @abstractmethod
    def extent(self, dimension: int) -> SSAValue:
        """Threads of a block in one dimension."""

    @abstractmethod
    def wave_size(self) -> SSAValue:
        """Threads of a wave."""

    def thread_id(self, dimension: int) -> SSAValue:
        """The number of a thread in its block, in one dimension."""
        return self.build.insert(gpu.ThreadIdOp(_dimension(dimension))).results[0]

    def block_id(self, dimension: int) -> SSAValue:
        """The number of a block in the grid, in one dimension."""
        return self.build.insert(gpu.BlockIdOp(_dimension(dimension))).results[0]

    def global_id(self, dimension: int) -> SSAValue:
        """The number of a thread in the grid, in one dimension."""
        block, thread = self.block_id(dimension), self.thread_id(dimension)
        return self.build.add(self.build.mul(block, self.extent(dimension)), thread)

    def linear_id(self) -> SSAValue:
        """x + dim_x * (y + dim_y * z)."""
        build = self.build
        x, y, z = map(self.thread_id, range(3))
        row = build.add(y, build.mul(z, self.extent(1)))
        return build.add(x, build.mul(row, self.extent(0)))

    def lane_id(self) -> SSAValue:
        """The number of a thread in its wave."""
        return self.build.value(arith.RemUIOp, (self.linear_id(), self.wave_size()), IndexType())

    def subgroup_id(self) -> SSAValue:
        """The number of a wave in its block."""
        return self.build.value(arith.DivUIOp, (self.linear_id(), self.wave_size()), IndexType())

    def num_subgroups(self) -> SSAValue:
        """Waves of a block, rounded up."""
        build = self.build
        x, y, z = map(self.extent, range(3))
        wave = self.wave_size()
        rounded = build.add(build.mul(build.mul(x, y), z), build.sub(wave, build.constant(1, IndexType())))
        return build.value(arith.DivUIOp, (rounded, wave), IndexType())


def _dimension(number: int) -> gpu.DimensionAttr:
    return gpu.DimensionAttr(list(gpu.DimensionEnum)[number])
