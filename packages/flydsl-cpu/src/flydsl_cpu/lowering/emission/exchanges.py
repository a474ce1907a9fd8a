"""Shuffles as reads of another lane's element in a per-thread array.

The CPU backend runs waves of 32 threads (consecutive linear thread ids). A lane outside the wave's part of the block,
or outside the shuffle's width, answers with the reader's own value and a false validity flag.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue

from flydsl.backend.gpu import source_lane
from flydsl_cpu.lowering.emission.kernel_abi import KernelEntry
from flydsl_cpu.lowering.emission.thread_loop import ThreadLoop
from flydsl_cpu.lowering.kernels import error_at
from flydsl_cpu.lowering.memory.arrays import PerThreadArray


def exchange_result(
    op: Operation, loop: ThreadLoop, source: PerThreadArray | SSAValue, entry: KernelEntry, *, in_place: bool = False
) -> tuple[SSAValue, ...]:
    """The results of a `gpu.shuffle` for the current thread; `source` holds the value of every thread, or where they
    are `in_place` the result of every thread.
    """
    if op.name != "gpu.shuffle":
        raise error_at(op, f"{op.name!r} is not supported on the CPU; use shuffles or shared memory")
    build, thread = loop.builder, loop.linear_id()
    lane, valid = source_lane(build, op, build.integer_cast(thread, i32))
    threads = build.integer_cast(entry.thread_count, i32)
    valid = build.bit_and(valid, build.compare("slt", lane, threads))
    if isinstance(source, SSAValue):
        return source, valid
    if in_place:
        return source.load(build, thread), valid
    chosen = build.select(valid, build.integer_cast(lane, i64), thread)
    return source.load(build, chosen), valid
