"""What backends of GPUs share: the lane that a `gpu.shuffle` reads from."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.ir.upstream import ShuffleMode, ShuffleModeAttr
from flydsl.passes.to_llvm.builder import LLVMBuilder

__all__ = [
    "ShuffleMode",
    "shuffle_mode",
    "source_lane",
]


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
