"""The pass `nvvm-expand-shuffles`: `gpu.shuffle` as `shfl.sync` of 32-bit words, for groups of any width.

MLIR's own lowering is for the first group of a warp only: its mask leaves out the others.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1, i32
from xdsl.ir import Operation, SSAValue

from flydsl.backend.gpu import ShuffleMode, in_words, shuffle_mode, source_lane
from flydsl.backend.ir import StructType
from flydsl.backend.llvm import LLVMBuilder, call_intrinsic
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, replace
from flydsl_cuda.target import WARP_SIZE

_EVERYONE = -1
"""The threads that take part: threads that do not exist, or have ended, count as there."""
_NAMES = {ShuffleMode.XOR: "bfly", ShuffleMode.UP: "up", ShuffleMode.DOWN: "down", ShuffleMode.IDX: "idx"}


@dataclass(frozen=True)
class ExpandShuffles(KernelPass):
    """Exchanges of lanes as `shfl.sync`, whatever the width of their groups."""

    name = "nvvm-expand-shuffles"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        expand_shuffles(kernel)


def expand_shuffles(function: Operation) -> None:
    """Replace the shuffles of a function."""
    for op in operations(function, ("gpu.shuffle",)):
        _expand(op)


def _expand(op: Operation) -> None:
    build, mode = LLVMBuilder.before_op(op), shuffle_mode(op)
    width, offset = _constant(op.operands[2]), _constant(op.operands[1])
    is_in_group = width is not None and offset is not None and 0 <= offset < width
    if width is not None and (is_in_group or mode is ShuffleMode.IDX):
        outside = (WARP_SIZE - width) << 8  # bits of the lane's number that say which group it is in
        clamp = build.constant(outside | (0 if mode is ShuffleMode.UP else width - 1))
        value, valid = _exchanged(build, _NAMES[mode], op.operands[0], op.operands[1], clamp)
        if mode in (ShuffleMode.XOR, ShuffleMode.IDX):
            valid = build.constant(1, i1)
    else:
        lane = build.integer_cast(build.value(gpu.LaneIdOp, (), IndexType()), i32)
        other, valid = source_lane(build, op, lane)
        source = build.select(valid, other, lane)
        value, _ = _exchanged(build, "idx", op.operands[0], source, build.constant(WARP_SIZE - 1))
    replace(op, [value, valid])


def _exchanged(
    build: LLVMBuilder, name: str, value: SSAValue, lane: SSAValue, clamp: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """What another thread holds, 32 bits at a time, and whether it is in the group."""
    everyone, pair = build.constant(_EVERYONE), StructType((i32, i1))
    valid: list[SSAValue] = []

    def read(word: SSAValue) -> SSAValue:
        operands = (everyone, word, lane, clamp)
        found = call_intrinsic(build, f"llvm.nvvm.shfl.sync.{name}.i32p", operands, (pair,)).results[0]
        bits = build.extract_value(found, (0,), i32)
        valid.append(build.extract_value(found, (1,), i1))
        return bits

    return in_words(build, read, value), valid[0]


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
