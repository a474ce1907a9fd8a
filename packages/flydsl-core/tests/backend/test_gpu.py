"""The lane that a shuffle reads from, for every thread."""

from __future__ import annotations

import pytest
from expressions import compiled
from xdsl.dialects.builtin import IntegerAttr, i1, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from flydsl.backend.gpu import shuffle_mode, source_lane
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
