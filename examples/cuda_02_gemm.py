"""A matrix product C = A B^T of 16-bit floats by the matrix units of Hopper, as large kernels there are written.

Blocks stay and walk over tiles of C. One warp of a block has the copy engine bring tiles of A and B to a ring of
stages; two groups of four warps multiply them, each its half of the tile, and hand stages back as soon as nobody reads
them. Warps that only start copies leave their registers to those that hold sums. Results go through shared memory, from
where the copy engine stores them. What lies beyond a matrix is 0 and not stored: sizes need no code of their own. Rows
begin at multiples of 16 bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from workbench import choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

M, N, K = 128, 256, 64  # a tile of C is M x N; A and B come in pieces of K
STAGES, GROUPS, GROUP_THREADS = 4, 2, 128
THREADS = (1 + GROUPS) * GROUP_THREADS
ROWS, COLUMNS = M // GROUPS, 64  # what a group stores at once
BUFFERS = 2
STAGE_BYTES = (M + N) * K * 2
PRODUCER_REGISTERS, CONSUMER_REGISTERS = 40, 232


@flyc.kernel
def gemm_kernel(
    load_a: Any,
    a: fx.Tensor,
    load_b: Any,
    b: fx.Tensor,
    store_c: Any,
    c: fx.Tensor,
    steps: fx.Int32,
    dtype: fx.Constexpr[type[fx.Numeric]],
) -> None:
    memory = fx.SharedAllocator()
    shared_a = memory.allocate(fx.Array[dtype, STAGES * M * K], 1024)
    shared_b = memory.allocate(fx.Array[dtype, STAGES * N * K], 1024)
    results = memory.allocate(fx.Array[dtype, GROUPS * BUFFERS * ROWS * COLUMNS], 1024)
    barriers = memory.allocate(fx.Array[fx.Int64, 2 * STAGES]).ptr

    pipeline = fx.nvvm.PipelineTma(barriers, STAGES, GROUPS)
    warp = fx.nvvm.warp_idx()
    group = warp // 4
    if fx.thread_idx.x == 0:
        pipeline.init()
        fx.nvvm.fence_mbarrier_init()
        fx.nvvm.prefetch_tensor_map(load_a)
        fx.nvvm.prefetch_tensor_map(load_b)
        fx.nvvm.prefetch_tensor_map(store_c)
    fx.barrier()

    tiles_a, tiles_b = fx.zipped_divide(a, (M, K)), fx.zipped_divide(b, (N, K))
    tiles_c = fx.zipped_divide(c, (ROWS, COLUMNS))
    scheduler = fx.nvvm.TileScheduler(fx.ceil_div(c.shape[0], M), fx.ceil_div(c.shape[1], N))
    if group == GROUPS:
        fx.nvvm.setmaxnreg_decrease(PRODUCER_REGISTERS)
        if warp == 4 * GROUPS:
            sides = (load_a, tiles_a, shared_a.ptr), (load_b, tiles_b, shared_b.ptr)
            fill_stages(pipeline, scheduler, sides, steps)
    else:
        fx.nvvm.setmaxnreg_increase(CONSUMER_REGISTERS)
        mma = fx.make_tiled_mma(fx.make_mma_atom(fx.nvvm.sm90.WGMMA(N, 16, dtype)), fx.make_layout((GROUPS, 1, 1)))
        threads = mma.get_slice(group * GROUP_THREADS)  # of whole groups: what is in shared memory all threads share
        part_a = threads.partition_A(shared_a.view(fx.nvvm.smem_layout("k", dtype, (M, K, STAGES))))
        part_b = threads.partition_B(shared_b.view(fx.nvvm.smem_layout("k", dtype, (N, K, STAGES))))
        sums = fx.make_rmem_tensor(fx.make_layout(((2, 2, N // 8), 1, 1)), fx.Float32)
        thread = fx.thread_idx.x % GROUP_THREADS
        state = pipeline.state()
        for tile in range(fx.block_idx.x, scheduler.tiles, fx.grid_dim.x):
            row, column = scheduler.place(tile)
            sums.fill(0)
            previous = state.stage
            for k in range(steps):
                pipeline.wait(state)
                stage = state.stage
                fx.gemm(mma, sums, part_a[None, None, None, stage], part_b[None, None, None, stage], sums)
                fx.nvvm.sm90.wgmma_commit()
                fx.nvvm.sm90.wgmma_wait(1)
                if k > 0 and thread == 0:
                    pipeline.release(previous)
                previous = stage
                state = state.next()
            fx.nvvm.sm90.wgmma_wait(0)
            if thread == 0:
                pipeline.release(previous)
            place = row * GROUPS + group, column * (N // COLUMNS)
            store_sums(sums, results, store_c, tiles_c, place, group, thread)
        if thread == 0:
            fx.nvvm.bulk_wait_group()


def fill_stages(pipeline: Any, scheduler: Any, sides: tuple[Any, Any], steps: fx.Int32) -> None:
    """One thread of a warp: bring the tiles of A and B that the block multiplies, as soon as stages are empty."""
    (load_a, tiles_a, shared_a), (load_b, tiles_b, shared_b) = sides
    if fx.nvvm.elect_one():
        state = pipeline.state()
        for tile in range(fx.block_idx.x, scheduler.tiles, fx.grid_dim.x):
            row, column = scheduler.place(tile)
            for k in range(steps):
                full = pipeline.acquire(state, STAGE_BYTES)
                fx.copy(load_a, tiles_a[None, (row, k)], shared_a + state.stage * (M * K), mbar=full)
                fx.copy(load_b, tiles_b[None, (column, k)], shared_b + state.stage * (N * K), mbar=full)
                state = state.next()


def store_sums(
    sums: fx.Tensor, results: Any, store_c: Any, tiles_c: fx.Tensor, place: tuple[Any, Any], group: Any, thread: Any
) -> None:
    """Store a group's sums by the copy engine, 64 columns at a time, through two buffers."""
    dtype = results.ptr.dtype
    layout = fx.nvvm.smem_layout("k", dtype, (ROWS, COLUMNS))
    piece = fx.make_tiled_mma(fx.make_mma_atom(fx.nvvm.sm90.WGMMA(COLUMNS, 16, dtype)), fx.make_layout((1, 1, 1)))
    registers = fx.make_layout(((2, 2, COLUMNS // 8), 1, 1))
    pairs = fx.make_copy_atom(fx.UniversalCopy32b(), dtype)
    for number in fx.range_constexpr(N // COLUMNS):
        buffer = results.ptr + (group * BUFFERS + number % BUFFERS) * (ROWS * COLUMNS)
        if thread == 0:
            fx.nvvm.bulk_wait_group(BUFFERS - 1, read=True)
        fx.nvvm.named_barrier_sync(group + 1, GROUP_THREADS)
        rounded = fx.make_rmem_tensor(registers, dtype)
        rounded.store(fx.make_view(fx.get_iter(sums) + number * COLUMNS // 2, registers).load().to(dtype))
        fx.copy(pairs, rounded, piece.get_slice(thread).partition_C(buffer.view(layout)))
        fx.nvvm.fence_proxy_async()
        fx.nvvm.named_barrier_sync(group + 1, GROUP_THREADS)
        if thread == 0:
            fx.copy(store_c, buffer, tiles_c[None, (place[0], place[1] + number)])
            fx.nvvm.bulk_commit_group()


@flyc.jit
def gemm(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, blocks: fx.Int32, stream: fx.Stream = fx.Stream(None)) -> None:
    """C = A B^T by `blocks` blocks, one for each multiprocessor."""
    load_a, tiles_a = fx.nvvm.make_tma_load(a, fx.nvvm.smem_layout("k", a.dtype, (M, K)))
    load_b, tiles_b = fx.nvvm.make_tma_load(b, fx.nvvm.smem_layout("k", a.dtype, (N, K)))
    store_c, tiles_c = fx.nvvm.make_tma_store(c, fx.nvvm.smem_layout("k", a.dtype, (ROWS, COLUMNS)))
    steps = fx.get_scalar(fx.ceil_div(a.shape[1], K))
    gemm_kernel(load_a, tiles_a, load_b, tiles_b, store_c, tiles_c, steps, a.dtype).launch(
        grid=blocks, block=THREADS, stream=stream
    )


def check(rng: np.random.Generator, m: int, n: int, k: int, blocks: int = 132) -> None:
    """One random product of float16 against NumPy in float64; what lies behind C's columns stays as it is."""
    a, b = (framed(rows, k) for rows in (m, n))
    for matrix in (a, b):
        matrix[:, :k] = rng.standard_normal(matrix[:, :k].shape, dtype=np.float32)
    c = framed(m, n)
    gemm(a[:, :k], b[:, :k], c[:, :n], blocks)
    expected = a[:, :k].astype(np.float64) @ b[:, :k].astype(np.float64).T
    np.testing.assert_allclose(c[:, :n], expected, rtol=1e-3, atol=1e-3 * k**0.5)
    np.testing.assert_array_equal(c[:, n:], np.full_like(c[:, n:], np.nan))


def framed(rows: int, columns: int) -> np.ndarray:
    """A matrix of NaN with rows at multiples of 16 bytes, and columns behind it that nobody may read or write."""
    return np.full((rows, -(-columns // 8) * 8 + 8), np.nan, np.float16)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(5):
        m, n, k = odd(rng, 400), odd(rng, 400), odd(rng, 400)
        check(rng, m, n, k, blocks=4)
        print(f"{m} x {k} times {k} x {n}: equal to NumPy's A @ B.T in float64, but for the rounding to float16")


if __name__ == "__main__":
    main()
