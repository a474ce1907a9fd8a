"""Butterflies over a wave of CDNA, as reductions by DPP: `v = combine(v, shuffle_xor(v, 32))`, then 16, 8, 4, 2, 1.

What is combined in any order with one result, the extremes, integers and sums that may be reassociated, needs no
exchange through LDS: four steps within rows of 16 lanes, two from row to row, and the last lane has the result, which
`v_readlane` makes a scalar. Each step is one instruction that reads its neighbour itself.

An extreme that propagates NaN takes three instructions a step, of which none can do that, and one that leaves NaN out
two. Here one comparison says which threads have a NaN; the rest is the extreme of numbers. The first is done so for
groups of four threads too, of which `s_wqm` says whether one has a NaN.

All lanes have to be there: a butterfly hands what it has from lane to lane, in its own order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import Float32Type, i1, i32, i64
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from flydsl.backend.gpu import ShuffleMode, known_block_size, shuffle_mode
from flydsl.backend.llvm import LLVMBuilder, allows, call_intrinsic, integer
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import erase, operations, replace
from flydsl.backend.value_ranges import constant_of
from flydsl_rocm.lowering.shared_values import SharedValues

WAVE, _QUAD = 64, 4
_QUAD_STEPS = (0xB1, 0x4E)
"""DPP controls of an exchange by 1 and by 2 within four lanes."""
_ROW_STEPS = (0x141, 0x140)
"""Then the other four of eight lanes, and the other eight of 16, which hold one number each by now."""
_WAVE_STEPS = (0x142, 0x143)
"""Lane 15 of each row to the next row, lane 31 to the upper half."""
_ALL = 15
_NUMBERS: dict[type[Operation], type[Operation]] = {
    arith.MaximumfOp: arith.MaxnumfOp,
    arith.MinimumfOp: arith.MinnumfOp,
}
"""Extremes that propagate NaN, and those of numbers."""
_OF_INTEGERS = (
    *(arith.AddiOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp),
)
_LEAST: dict[type[Operation], int] = {arith.MaxnumfOp: 0xFF800000 - (1 << 32), arith.MinnumfOp: 0x7F800000}
"""The bits of an infinity that decides nothing, by the extremes of numbers."""
_NO_NANS = arith.FastMathFlagsAttr([FastMathFlag.NO_NANS])
_ORDERED, _UNORDERED, _NAN = 7, 14, 0x7FC00000
Step: TypeAlias = tuple[Operation, Operation, SSAValue]
"""What combines, the shuffle that it combines, and the value that both start from."""


@dataclass(slots=True)
class _Butterfly:
    steps: list[Step]  # the last one first
    offsets: set[int]

    @property
    def combine(self) -> Operation:
        """The operation of every step, the one that gives the result."""
        return self.steps[0][0]

    @property
    def start(self) -> SSAValue:
        """What the threads bring."""
        return self.steps[-1][2]


@dataclass(frozen=True)
class ReduceInWaves(KernelPass):
    """Butterflies of shuffles over whole waves as reductions by DPP."""

    name = "rocdl-reduce-in-waves"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        reduce_in_waves(kernel)


def reduce_in_waves(kernel: Operation) -> None:
    """Replace the butterflies of a kernel whose waves are full."""
    size = known_block_size(kernel)
    if size is None or prod(size) % WAVE:
        return
    shared = SharedValues()
    for op in reversed(operations(kernel, ("gpu.shuffle",))):
        if op.parent is None:
            continue  # a step of one that was replaced
        found = _butterfly(op)
        if found is not None and _reaches_all_threads(found.combine, shared):
            _replace(found)


def _butterfly(shuffle: Operation) -> _Butterfly | None:
    """The longest run of steps that ends with what `shuffle` is combined by, if it covers four lanes or a wave."""
    step = _step(shuffle)
    if step is None:
        return None
    width = constant_of(shuffle.operands[2])
    wanted = {1 << bit for bit in range((width or 0).bit_length() - 1)}
    if width not in (_QUAD, WAVE) or (width == _QUAD and type(step[0]) not in _NUMBERS):
        return None
    found = _Butterfly([step], {_offset(shuffle)})
    while found.offsets != wanted:
        before = _step_before(found.start, step[0], width)
        if before is None or _offset(before[1]) in found.offsets:
            return None
        found.steps.append(before)
        found.offsets.add(_offset(before[1]))
    return found


def _offset(shuffle: Operation) -> int:
    return constant_of(shuffle.operands[1]) or 0


def _step(shuffle: Operation) -> Step | None:
    """The step that a shuffle is in, when it is one."""
    value, (exchanged, valid) = shuffle.operands[0], shuffle.results
    use = exchanged.get_user_of_unique_use()
    if shuffle_mode(shuffle) is not ShuffleMode.XOR or valid.first_use is not None or use is None:
        return None
    if not _is_combining(use) or set(use.operands) != {value, exchanged}:
        return None
    return use, shuffle, value


def _step_before(value: SSAValue, like: Operation, width: int) -> Step | None:
    """The step that gives `value`, which only the next one uses."""
    op = value.owner
    if not isinstance(op, type(like)) or op.parent is not like.parent or sum(1 for _ in value.uses) != 2:
        return None
    for operand in op.operands:
        shuffle = operand.owner
        if isinstance(shuffle, Operation) and shuffle.name == "gpu.shuffle":
            step = _step(shuffle)
            if step is not None and step[0] is op and constant_of(shuffle.operands[2]) == width:
                return step
    return None


def _is_combining(op: Operation) -> bool:
    """Whether it may be applied to all lanes in any order."""
    if op.results and op.results[0].type == i32:
        return isinstance(op, _OF_INTEGERS)
    if not op.results or not isinstance(op.results[0].type, Float32Type):
        return False
    if isinstance(op, arith.AddfOp):
        return allows(op, FastMathFlag.REASSOC)
    return type(op) in _NUMBERS or type(op) in _LEAST


def _reaches_all_threads(op: Operation, shared: SharedValues) -> bool:
    """Whether no thread of a wave leaves it out."""
    parent = op.parent_op()
    while isinstance(parent, scf.ForOp):
        if not all(shared.has(bound) for bound in (parent.lb, parent.ub, parent.step)):
            return False
        parent = parent.parent_op()
    return isinstance(parent, gpu.FuncOp) or (parent is not None and parent.name == "gpu.func")


def _replace(butterfly: _Butterfly) -> None:
    last, start = butterfly.combine, butterfly.start
    build = LLVMBuilder.before_op(last)
    wave = len(butterfly.steps) > len(_QUAD_STEPS)
    kind = type(last)
    may_be_nan = (kind in _NUMBERS or kind in _LEAST) and not allows(last, FastMathFlag.NO_NANS)
    properties = {"fastmath": _NO_NANS} if may_be_nan else dict(last.properties)
    value, nan = start, None
    if may_be_nan and kind in _NUMBERS:
        nan = _vote(build, _is_nan(build, start), wave)
    elif may_be_nan:
        nan = _vote(build, _is_nan(build, start, negated=True), wave, negated=True)
        chosen = (_is_nan(build, start), build.constant(_LEAST[kind]), build.bitcast(start, i32))
        value = build.bitcast(build.select(*chosen), start.type)
    for control in (*_QUAD_STEPS, *_ROW_STEPS, *_WAVE_STEPS) if wave else _QUAD_STEPS:
        operands = (value, _neighbour(build, value, control))
        value = build.value(_NUMBERS.get(kind, kind), operands, start.type, properties)
    bits = build.bitcast(value, i32)
    if wave:
        bits = build.raw("rocdl.readlane", (bits, build.constant(WAVE - 1)), (i32,)).results[0]
    if nan is not None:
        bits = build.select(nan, build.constant(_NAN), bits)
    replace(last, [build.bitcast(bits, start.type)])
    for combine, shuffle, _ in butterfly.steps:
        if combine is not last:
            erase(combine)
        erase(shuffle)


def _neighbour(build: LLVMBuilder, value: SSAValue, control: int) -> SSAValue:
    """What the lane that DPP names has; 0 where there is none."""
    masks = {"rowMask": integer(_ALL, i32), "bankMask": integer(_ALL, i32), "boundCtrl": integer(1, i1)}
    bits = build.bitcast(value, i32)
    attributes = {"dppCtrl": integer(control, i32), **masks}
    moved = build.raw("rocdl.update.dpp", (build.constant(0), bits), (i32,), attributes).results[0]
    return build.bitcast(moved, value.type)


def _is_nan(build: LLVMBuilder, value: SSAValue, *, negated: bool = False) -> SSAValue:
    return build.value(
        arith.CmpfOp, (value, value), i1, {"predicate": integer(_ORDERED if negated else _UNORDERED, i64)}
    )


def _vote(build: LLVMBuilder, flag: SSAValue, wave: bool, *, negated: bool = False) -> SSAValue:
    """Whether a thread of the wave, or of the four, has the flag; negated: whether none of the wave has it."""
    if not wave:
        return call_intrinsic(build, "llvm.amdgcn.wqm.vote", (flag,), (i1,)).results[0]
    threads = call_intrinsic(build, "llvm.amdgcn.ballot", (flag,), (i64,)).results[0]
    return build.compare("eq" if negated else "ne", threads, build.constant(0, i64))
