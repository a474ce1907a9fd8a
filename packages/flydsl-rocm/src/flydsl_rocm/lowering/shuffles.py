"""A `gpu.shuffle` in, `ds_bpermute` of its words out.

MLIR's own lowering knows no groups: `up` reads below the first lane of a group, and `idx` counts the wave's lanes. It
is right, and shorter, for an exchange by a constant, so those are left to it.
"""

from __future__ import annotations

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, IntegerAttr, IntegerType, i32, i64
from xdsl.ir import Operation, SSAValue

from flydsl.ir.upstream import ShuffleMode
from flydsl.passes.rewriting import replace
from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl.passes.to_llvm.source_lane import shuffle_mode, source_lane

__all__ = ["expand_shuffles"]


def expand_shuffles(kernel: Operation) -> None:
    """Replace the shuffles of a kernel."""
    for op in list(kernel.walk()):
        if op.name == "gpu.shuffle" and not _is_constant_exchange(op):
            _expand(op)


def _is_constant_exchange(op: Operation) -> bool:
    """Whether every lane reads the lane that differs by one constant, which is in its group."""
    offset, width = (_constant(operand) for operand in op.operands[1:])
    if shuffle_mode(op) is not ShuffleMode.XOR or offset is None or width is None:
        return False
    return 0 <= offset < width


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def _expand(op: Operation) -> None:
    build = LLVMBuilder.before_op(op)
    this = build.integer_cast(build.value(gpu.LaneIdOp, (), IndexType()), i32)
    other, valid = source_lane(build, op, this)
    address = build.value(arith.ShLIOp, (build.select(valid, other, this), build.constant(2)), i32)
    replace(op, [_permuted(build, address, op.operands[0]), valid])


def _permuted(build: LLVMBuilder, address: SSAValue, value: SSAValue) -> SSAValue:
    """`value` of the lane at `address` / 4: 32 bits at a time."""
    assert isinstance(value.type, FixedBitwidthType), value.type
    width = value.type.bitwidth
    bits = build.bitcast(value, IntegerType(width))
    low = _word(build, address, bits if width == 32 else build.integer_cast(bits, i32))
    if width == 32:
        return build.bitcast(low, value.type)
    by_32 = build.constant(32, i64)
    high = _word(build, address, build.integer_cast(build.shift_right(bits, by_32), i32))
    upper = build.value(arith.ShLIOp, (build.zero_extend(high, i64), by_32), i64)
    return build.bitcast(build.bit_or(upper, build.zero_extend(low, i64)), value.type)


def _word(build: LLVMBuilder, address: SSAValue, word: SSAValue) -> SSAValue:
    return build.raw("rocdl.ds_bpermute", (address, word), (i32,)).results[0]
