"""`gpu.shuffle` as moves within a row of 16 lanes, else as `ds_bpermute`, of 32-bit parts.

An exchange with the lane whose number differs by a constant below 16 is an operand of the instruction that uses it
(DPP) and needs no memory: by 1, 2, 3, 7, 8 and 15 everywhere, by the others on RDNA, which exchanges the two rows of 32
lanes as well.

MLIR's own lowering knows no groups: `up` reads below the first lane of a group, and `idx` counts the wave's lanes. It
is right, and shorter, for the other exchanges by a constant, so those are left to it on CDNA; elsewhere it uses
instructions of gfx950, or an address of its own for each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1, i32, i64
from xdsl.ir import Operation, SSAValue

from flydsl.backend.gpu import ShuffleMode, in_words, shuffle_mode, source_lane
from flydsl.backend.llvm import LLVMBuilder, call_intrinsic, integer
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, replace

NATIVE, ANY, HALVES = "", "any", "halves"
"""How lanes are exchanged: as MLIR does it by a constant, with the row operations of CDNA; by `ds_bpermute`, which
reads any lane of the wave, with those of RDNA; the same where it reads only the 32 lanes of its half of the wave (gfx11
in waves of 64; LLVM's `supportsWaveWideBPermute` has the list).
"""
_ROW = 16
_QUAD, _ROTATE_BY_8, _MIRROR, _HALF_MIRROR, _EXCHANGE = 0, 0x128, 0x140, 0x141, 0x160
_ON_CDNA = {7: _HALF_MIRROR, 8: _ROTATE_BY_8, 15: _MIRROR} | {
    offset: _QUAD | sum((lane ^ offset) << 2 * lane for lane in range(4)) for offset in (1, 2, 3)
}
"""DPP controls by what a lane's number is exchanged by."""
_ALL = 15
Read: TypeAlias = Callable[[SSAValue], SSAValue]


@dataclass(frozen=True)
class ExpandShuffles(KernelPass):
    """Exchanges of lanes as moves within rows, or through the crossbar of LDS; `strategy` is one of those above."""

    name = "rocdl-expand-shuffles"
    strategy: str = NATIVE

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        expand_shuffles(kernel, self.strategy)


def expand_shuffles(kernel: Operation, strategy: str = NATIVE) -> None:
    """Replace the shuffles of a kernel."""
    for op in operations(kernel, ("gpu.shuffle",)):
        offset = _constant_exchange(op)
        if offset is not None and (way_in_row := _in_rows(offset, strategy)):
            _exchange(op, way_in_row)
        elif strategy != NATIVE or offset is None:
            _expand(op, strategy)


def _constant_exchange(op: Operation) -> int | None:
    """By what the number of the lane that each lane reads differs from its own, when that lane is in its group."""
    offset, width = (_constant(operand) for operand in op.operands[1:])
    if shuffle_mode(op) is not ShuffleMode.XOR or offset is None or width is None:
        return None
    return offset if 0 <= offset < width else None


def _in_rows(offset: int, strategy: str) -> Callable[[LLVMBuilder, SSAValue], SSAValue] | None:
    """How 32 bits are exchanged without memory."""
    control = _ON_CDNA.get(offset) if strategy == NATIVE else _EXCHANGE + offset if offset < _ROW else None
    if control is not None:
        return lambda build, word: _of_row(build, word, control)
    return _of_other_row if strategy != NATIVE and offset == _ROW else None


def _exchange(op: Operation, exchanged: Callable[[LLVMBuilder, SSAValue], SSAValue]) -> None:
    build = LLVMBuilder.before_op(op)
    value = in_words(build, lambda word: exchanged(build, word), op.operands[0])
    replace(op, [value, build.constant(1, i1)])


def _of_row(build: LLVMBuilder, word: SSAValue, control: int) -> SSAValue:
    """32 bits of another lane of the row, 0 where no thread has it."""
    masks = {"rowMask": integer(_ALL, i32), "bankMask": integer(_ALL, i32), "boundCtrl": integer(1, i1)}
    attributes = {"dppCtrl": integer(control, i32), **masks}
    return build.raw("rocdl.update.dpp", (build.constant(0), word), (i32,), attributes).results[0]


def _of_other_row(build: LLVMBuilder, word: SSAValue) -> SSAValue:
    """32 bits of the same lane of the other row, 0 where no thread has it."""
    selected = build.constant(0x76543210), build.constant(0xFEDCBA98 - (1 << 32))
    flags = build.constant(0, i1), build.constant(1, i1)
    return call_intrinsic(build, "llvm.amdgcn.permlanex16", (word, word, *selected, *flags), (i32,)).results[0]


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def _expand(op: Operation, strategy: str) -> None:
    build = LLVMBuilder.before_op(op)
    this = build.integer_cast(build.value(gpu.LaneIdOp, (), IndexType()), i32)
    other, valid = source_lane(build, op, this)
    source = build.select(valid, other, this)
    read = _across_halves(build, source) if strategy == HALVES else _of_lane(build, source)
    replace(op, [in_words(build, read, op.operands[0]), valid])


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
