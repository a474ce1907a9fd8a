"""The lane that a shuffle reads from, words of what it reads, and numbers of threads and waves."""

from __future__ import annotations

import pytest
from expressions import compiled
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, i1, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from flydsl.backend.gpu import IndexArithmetic, dimension_of, in_words, known_block_size, shuffle_mode, source_lane
from flydsl.ir.upstream import OPERATIONS, ShuffleMode, ShuffleModeAttr
from flydsl.passes.to_llvm.builder import LLVMBuilder

Shuffle = OPERATIONS["gpu.shuffle"]
EXPECTED = {
    ShuffleMode.XOR: lambda lane, offset, width: lane ^ offset,
    ShuffleMode.UP: lambda lane, offset, width: lane - offset,
    ShuffleMode.DOWN: lambda lane, offset, width: lane + offset,
    ShuffleMode.IDX: lambda lane, offset, width: offset % width,
}


@pytest.mark.parametrize("mode", list(ShuffleMode))
@pytest.mark.parametrize("width", [8, 32])
def test_each_thread_reads_from_its_own_group(mode: ShuffleMode, width: int) -> None:
    block = Block(arg_types=[i32, i32, i32, i32])
    op = Shuffle.create(operands=block.args[:3], result_types=[i32, i1], properties={"mode": ShuffleModeAttr(mode)})
    number, valid = source_lane(LLVMBuilder(block), op, block.args[3])
    block.add_op(ReturnOp(number, valid))
    call = compiled(FuncOp("f", ([i32] * 4, [i32, i1]), Region(block)))
    for thread in range(32):
        for offset in (0, 1, 5, 9):
            group, lane = thread - thread % width, thread % width
            source = EXPECTED[mode](lane, offset, width)
            assert call(0, offset, width, thread) == [group + source, int(0 <= source < width)]


def test_the_mode_may_be_a_number() -> None:
    block = Block(arg_types=[i32, i32, i32])
    op = Shuffle.create(operands=block.args, result_types=[i32, i1], properties={"mode": IntegerAttr(2, i32)})
    assert shuffle_mode(op) is list(ShuffleMode)[2]


@pytest.mark.parametrize(("type_", "number"), [(i32, 0x01234567), (i64, 0x0123456789ABCDEF)])
def test_words_are_read_one_by_one_and_put_together(type_: Attribute, number: int) -> None:
    block = Block(arg_types=[type_])
    build = LLVMBuilder(block)
    turned = in_words(build, lambda word: build.bit_xor(word, build.constant(-1)), block.args[0])
    block.add_op(ReturnOp(turned))
    (found,) = compiled(FuncOp("f", ([type_], [type_]), Region(block)))(number)
    assert (found + 1 + number) % (1 << type_.width.data) == 0


class OfArguments(IndexArithmetic):
    """Ids and sizes as the arguments of a function: x, y, z of the thread, of the block, and the extents."""

    def thread_id(self, dimension: int) -> SSAValue:
        return self.build.block.args[dimension]

    def block_id(self, dimension: int) -> SSAValue:
        return self.build.block.args[3 + dimension]

    def extent(self, dimension: int) -> SSAValue:
        return self.build.block.args[6 + dimension]

    def wave_size(self) -> SSAValue:
        return self.build.constant(32, IndexType())


@pytest.mark.parametrize("extents", [(5, 7, 3), (64, 1, 1)])
def test_numbers_are_those_of_the_thread(extents: tuple[int, int, int]) -> None:
    block = Block(arg_types=[IndexType()] * 9)
    indices = OfArguments(LLVMBuilder(block))
    values = (indices.linear_id(), indices.lane_id(), indices.subgroup_id(), indices.num_subgroups())
    values += tuple(map(indices.global_id, range(3)))
    build = LLVMBuilder(block)
    block.add_op(ReturnOp(*(build.value(arith.IndexCastOp, (value,), i64) for value in values)))
    call = compiled(FuncOp("f", ([IndexType()] * 9, [i64] * 7), Region(block)))
    dx, dy, dz = extents
    for x, y, z in ((0, 0, 0), (dx - 1, dy - 1, dz - 1), (dx // 2, dy // 2, 0)):
        linear = x + dx * (y + dy * z)
        numbers = [linear, linear % 32, linear // 32, -(-dx * dy * dz // 32)]
        assert call(x, y, z, 2, 3, 4, *extents) == [*numbers, 2 * dx + x, 3 * dy + y, 4 * dz + z]


def test_the_size_of_blocks_is_an_attribute_under_either_name() -> None:
    size = DenseArrayBase.from_list(i32, [4, 2, 1])
    for name in ("known_block_size", "gpu.known_block_size"):
        assert known_block_size(ReturnOp.create(attributes={name: size})) == (4, 2, 1)
    assert known_block_size(ReturnOp.create()) is None


def test_operations_without_a_dimension_have_the_first() -> None:
    assert [dimension_of(gpu.ThreadIdOp(gpu.DimensionAttr(one))) for one in gpu.DimensionEnum] == [0, 1, 2]
    assert dimension_of(gpu.LaneIdOp.create(result_types=[IndexType()])) == 0
