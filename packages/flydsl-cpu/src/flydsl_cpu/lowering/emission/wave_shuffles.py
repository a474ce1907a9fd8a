"""Shuffles whose lanes are known: the values of a wave are one vector, permuted in registers.

A loop over threads would gather each value from its place; here a loop over waves reads the array of values, 32 at a
time, and writes them in the order in which threads want them, so that what follows reads them one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from xdsl.dialects import cf, llvm, vector
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, VectorType, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from flydsl.backend.gpu import ShuffleMode, shuffle_mode
from flydsl.backend.ir import element_bits
from flydsl.backend.llvm import LLVMBuilder, integers
from flydsl_cpu.lowering.analysis.linear_forms import constant_value
from flydsl_cpu.lowering.memory.accesses import rolled_loop
from flydsl_cpu.lowering.memory.arrays import PerThreadArray
from flydsl_cpu.target import WARP_SIZE


def wave_permutation(op: Operation) -> tuple[int, ...] | None:
    """The lane that each lane of a wave reads, its own where it would be outside; None when they are not known."""
    if op.name != "gpu.shuffle":
        return None
    offset, width = constant_value(op.operands[1]), constant_value(op.operands[2])
    if offset is None or width is None or not 0 < width <= WARP_SIZE or width & (width - 1):
        return None
    return _sources(shuffle_mode(op), offset, width)


@lru_cache(maxsize=256)
def _sources(mode: ShuffleMode, offset: int, width: int) -> tuple[int, ...]:
    return tuple(_source(mode, lane, offset, width) for lane in range(WARP_SIZE))


def _source(mode: ShuffleMode, lane: int, offset: int, width: int) -> int:
    inside = lane % width
    other = {
        ShuffleMode.XOR: inside ^ offset,
        ShuffleMode.UP: inside - offset,
        ShuffleMode.DOWN: inside + offset,
        ShuffleMode.IDX: offset & (width - 1),
    }[mode]
    return lane - inside + other if 0 <= other < width else lane


def is_permutable(element: Attribute) -> bool:
    """Whether the unit of an array may be the element of a vector."""
    return not isinstance(element, IntegerType) or element.width.data in (8, 16, 32, 64)


def permutation(build: LLVMBuilder, values: SSAValue, lanes: tuple[int, ...]) -> SSAValue:
    """The values of a wave in another order."""
    return build.value(vector.ShuffleOp, (values, values), values.type, {"mask": integers(lanes, i64)})


def map_waves(
    current: Block,
    source: PerThreadArray,
    target: PerThreadArray,
    function: Callable[[LLVMBuilder, SSAValue], SSAValue],
    waves: int,
) -> Block:
    """Fill `target` with what `function` makes of the values of each wave in `source`; the block after."""
    entry = LLVMBuilder(current)
    if waves == 1:  # straight-line code: unrolled algorithms of one wave would have hundreds of loops
        _map_wave(entry, source, target, function, entry.constant(0, i64))
        return current
    region = current.parent
    assert region is not None
    loop, after = Block(arg_types=(i64,)), Block()
    for block in (loop, after):
        region.add_block(block)
    build = LLVMBuilder(loop)
    entry.create(cf.BranchOp, (entry.constant(0, i64),), successors=(loop,))
    wave = loop.args[0]
    _map_wave(build, source, target, function, wave)
    following = build.add(wave, build.constant(WARP_SIZE, i64), nsw=True)
    build.create(
        llvm.CondBrOp,
        (build.compare("slt", following, build.constant(waves * WARP_SIZE, i64)), following),
        attributes={"loop_annotation": rolled_loop()},
        properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 1, 0])},
        successors=(loop, after),
    )
    return after


def _map_wave(
    build: LLVMBuilder,
    source: PerThreadArray,
    target: PerThreadArray,
    function: Callable[[LLVMBuilder, SSAValue], SSAValue],
    wave: SSAValue,
) -> None:
    """The same for the wave whose first thread is `wave`."""
    type_ = VectorType(source.element, [WARP_SIZE])
    alignment = min(64, WARP_SIZE * element_bits(source.element) // 8, source.alignment)
    for lane in range(len(source.lanes)):
        values = build.load(source.address(build, wave, lane), type_, alignment)
        build.store(function(build, values), target.address(build, wave, lane), alignment)
