"""What attention by warp groups of Hopper is made of: products, registers of a thread's part, rows stored as tiles.

A warp group, 128 threads, has 64 rows of a result. A thread has of every eight columns two neighbours in a row, and the
same in the row eight behind: four threads share a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import flydsl.expr as fx

__all__ = [
    "GROUP_THREADS", "LOG2_E", "LOWEST", "ROWS",
    "accumulators", "across_row", "add", "band_of", "by_rows", "exp2", "first_row", "init_rings", "mma_of", "operands",
    "rings_of", "store_rows",
]  # fmt: skip

GROUP_THREADS, ROWS = 128, 64  # of a group; that it has of a result
LOG2_E = math.log2(math.e)
LOWEST = -1e30  # finite: what a row of masked scores makes of it is 0, not NaN
TOGETHER = 512  # blocks of several heads that share what is in cache


def rings_of(memory: fx.SharedAllocator, *rings: tuple[int, int]) -> list[fx.nvvm.PipelineTma]:
    """Rings of so many stages, each of which so many arrivals empty."""
    made: list[fx.nvvm.PipelineTma] = []
    barriers = memory.allocate(fx.Array[fx.Int64, 2 * sum(stages for stages, _ in rings)]).ptr
    for stages, arrivals in rings:
        made.append(fx.nvvm.PipelineTma(barriers, stages, arrivals))
        barriers = barriers + 2 * stages
    return made


def init_rings(*rings: fx.nvvm.PipelineTma) -> None:
    """Make their barriers; by all threads of the block."""
    if fx.thread_idx.x == 0:
        for ring in rings:
            ring.init()
        fx.nvvm.fence_mbarrier_init()
    fx.barrier()


def mma_of(n: int, groups: int, **options: Any) -> Any:
    """The products of so many groups, 64 rows each."""
    atom = fx.make_mma_atom(fx.nvvm.sm90.WGMMA(n, 16, fx.BFloat16, **options))
    return fx.make_tiled_mma(atom, fx.make_layout((groups, 1, 1)))


def accumulators(columns: int, dtype: Any = fx.Float32) -> fx.Tensor:
    """Registers of a thread's part of 64 rows: two neighbours in a row, two rows, and every eight columns again."""
    return fx.make_rmem_tensor(fx.make_layout(((2, 2, columns // 8), 1, 1)), dtype)


def operands(columns: int) -> fx.Tensor:
    """Registers for the same elements as the left operand of a product."""
    return fx.make_rmem_tensor(fx.make_layout(((2, 2, 2), 1, columns // 16)), fx.BFloat16)


def first_row() -> Any:
    """The first of a thread's two rows of its group's 64."""
    thread = fx.thread_idx.x % GROUP_THREADS
    return thread // 32 * 16 + thread % 32 // 4


def across_row(value: Any, combine: Any) -> Any:
    """Combined over the four threads that share a row."""
    for distance in (1, 2):
        value = combine(value, fx.shuffle_xor(value, distance))
    return value


def add(a: Any, b: Any) -> Any:
    return a + b


def exp2(value: Any) -> Any:
    return fx.exp2(value, fastmath=fx.FastMathFlags.afn)


def store_rows(
    result: fx.Tensor,
    columns: int,
    piece: int,
    buffer_of: Callable[[int], Any],
    store: Any,
    tile_of: Callable[[int], Any],
    barrier: Any,
) -> None:
    """Have the copy engine store a group's rows, so many columns at once, each piece from a buffer of shared memory.

    The number of a piece says which buffer, and which tile; the group has a named barrier of its own. Its first thread
    waits, `bulk_wait_group(read=True)`, before buffers are written again and before it ends.
    """
    thread = fx.thread_idx.x % GROUP_THREADS
    layout = fx.nvvm.smem_layout("k", fx.BFloat16, (ROWS, piece))
    mine = mma_of(piece, 1).get_slice(thread)
    pairs = fx.make_copy_atom(fx.UniversalCopy32b(), fx.BFloat16)
    registers = fx.make_layout(((2, 2, piece // 8), 1, 1))
    for number in fx.range_constexpr(columns // piece):
        rounded = fx.make_rmem_tensor(registers, fx.BFloat16)
        rounded.store(fx.make_view(fx.get_iter(result) + number * piece // 2, registers).load().to(fx.BFloat16))
        fx.copy(pairs, rounded, mine.partition_C(fx.make_view(buffer_of(number), layout)))
    fx.nvvm.fence_proxy_async()
    fx.nvvm.named_barrier_sync(barrier, GROUP_THREADS)
    if thread == 0:
        for number in fx.range_constexpr(columns // piece):
            fx.copy(store, buffer_of(number), tile_of(number))
        fx.nvvm.bulk_commit_group()


def band_of(blocks: Any, causal: bool) -> Any:
    """Heads whose blocks run together, the longest first: so many that the last blocks of all are short ones."""
    return fx.Int32(fx.max(TOGETHER // fx.Int32(blocks), 1)) if causal else fx.Int32(1)


def by_rows(tensor: fx.Tensor) -> fx.Tensor:
    """(heads, rows, columns) as (rows, columns, heads), which tiles of a head are cut of."""
    return fx.make_view(fx.get_iter(tensor), fx.select(tensor.layout, [1, 2, 0]))
