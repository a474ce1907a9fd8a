"""`gpu.shuffle` as `ds_bpermute` of 32-bit parts.

MLIR's own lowering knows no groups: `up` reads below the first lane of a group, and `idx` counts the wave's lanes. It
is right, and shorter, for an exchange by a constant, so those are left to it; but not in waves of 64 threads on RDNA,
where MLIR uses instructions of gfx950.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, IntegerAttr, IntegerType, i1, i32, i64
from xdsl.ir import Operation, SSAValue

from flydsl.ir.upstream import ShuffleMode
from flydsl.passes.rewriting import replace
from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl.passes.to_llvm.intrinsics import call_intrinsic
from flydsl.passes.to_llvm.source_lane import shuffle_mode, source_lane

NATIVE, ANY, HALVES = "", "any", "halves"
"""How lanes are exchanged: as MLIR does it by a constant; by `ds_bpermute`, which reads any lane of the wave; the same
where it reads only the 32 lanes of its half of the wave (gfx11; LLVM's `supportsWaveWideBPermute` has the list).
"""
Read: TypeAlias = Callable[[SSAValue], SSAValue]


def expand_shuffles(kernel: Operation, way: str = NATIVE) -> None:
    """Replace the shuffles of a kernel."""
    for op in list(kernel.walk()):
        if op.name == "gpu.shuffle" and (way != NATIVE or not _is_constant_exchange(op)):
            _expand(op, way)


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


def _expand(op: Operation, way: str) -> None:
    build = LLVMBuilder.before_op(op)
    this = build.integer_cast(build.value(gpu.LaneIdOp, (), IndexType()), i32)
    other, valid = source_lane(build, op, this)
    source = build.select(valid, other, this)
    read = _across_halves(build, source) if way == HALVES else _of_lane(build, source)
    replace(op, [_permuted(build, read, op.operands[0]), valid])


def _of_lane(build: LLVMBuilder, lane: SSAValue) -> Read:
    """Reads 32 bits of `lane`, 0 where no thread has it."""
    address = build.value(arith.ShLIOp, (lane, build.constant(2)), i32)
    return lambda word: build.raw("rocdl.ds_bpermute", (address, word), (i32,)).results[0]


def _across_halves(build: LLVMBuilder, lane: SSAValue) -> Read:
    """The same where `ds_bpermute` stays in a half of the wave: LLVM's way reads anything of lanes no thread has."""
    everyone = call_intrinsic(build, "llvm.amdgcn.ballot", (build.constant(1, i1),), (i64,)).results[0]
    is_there = build.integer_cast(build.shift_right(everyone, build.zero_extend(lane, i64)), i1)

    def read(word: SSAValue) -> SSAValue:
        bits = call_intrinsic(build, "llvm.amdgcn.wave.shuffle", (word, lane), (i32,)).results[0]
        return build.select(is_there, bits, build.constant(0))

    return read


def _permuted(build: LLVMBuilder, read: Read, value: SSAValue) -> SSAValue:
    """What `read` gives for `value`, 32 bits at a time."""
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
