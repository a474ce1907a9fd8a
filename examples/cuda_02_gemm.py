"""A matrix product C = A B^T of 16 or 8-bit floats by the matrix units of Hopper, as large kernels there are written.

Blocks stay and walk over tiles of C. One warp of a block has the copy engine bring tiles of A and B to a ring of
stages; two groups of four warps multiply them, each its half of the tile, and hand stages back as soon as nobody reads
them. Warps that only start copies leave their registers to those that hold sums. Results go through shared memory, from
where the copy engine stores them. What lies beyond a matrix is 0 and not stored: sizes need no code of their own. Rows
begin at multiples of 16 bytes, and those of C have as many, since the engine stores 16 bytes at a time. A and B of 16
bits may be transposed: `gemm(x.t(), ...)` reads them as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from workbench import choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

M, GROUPS, GROUP_THREADS = 128, 2, 128
THREADS = (1 + GROUPS) * GROUP_THREADS
ROWS, COLUMNS, BUFFERS = M // GROUPS, 64, 2  # what a group stores at once, and how many of these it has
DEPTH_BITS = 1024  # of a row of a tile of A or B
STAGES = {256: 4, 128: 6, 64: 8}
"""Columns of a tile of C, and how many stages shared memory then has room for."""
PRODUCER_REGISTERS, CONSUMER_REGISTERS = 40, 232


class Plan(NamedTuple):
    """What is known while compiling: types, which operands have neighbours along K ("k") or not ("mn"), and N."""

    dtype: Any
    result: Any
    majors: tuple[str, str]
    n: int

    @property
    def k(self) -> int:
        """A and B come in pieces of so many columns."""
        return DEPTH_BITS // int(self.dtype.width)

    @property
    def stages(self) -> int:
        """How many tiles of A and B are on their way, or being multiplied."""
        return STAGES[self.n]

    @property
    def stage_bytes(self) -> int:
        """Of a tile of A and one of B."""
        return (M + self.n) * DEPTH_BITS // 8

    def mma(self, n: int, groups: int) -> fx.TiledMma:
        """Products of 64 rows a group and n columns."""
        major_a, major_b = self.majors
        atom = fx.nvvm.sm90.WGMMA(n, 256 // self.dtype.width, self.dtype, major_a=major_a, major_b=major_b)
        return fx.make_tiled_mma(fx.make_mma_atom(atom), fx.make_layout((groups, 1, 1)))


@flyc.kernel
def gemm_kernel(
    load_a: Any,
    a: fx.Tensor,
    load_b: Any,
    b: fx.Tensor,
    store_c: Any,
    c: fx.Tensor,
    steps: fx.Int32,
    plan: fx.Constexpr[Plan],
) -> None:
    memory = fx.SharedAllocator()
    n, k, stages = plan.n, plan.k, plan.stages
    shared_a = memory.allocate(fx.Array[plan.dtype, stages * M * k], 1024)
    shared_b = memory.allocate(fx.Array[plan.dtype, stages * n * k], 1024)
    results = memory.allocate(fx.Array[plan.result, GROUPS * BUFFERS * ROWS * COLUMNS], 1024)
    barriers = memory.allocate(fx.Array[fx.Int64, 2 * stages]).ptr

    pipeline = fx.nvvm.PipelineTma(barriers, stages, GROUPS)
    warp = fx.nvvm.warp_idx()
    group = warp // 4
    if fx.thread_idx.x == 0:
        pipeline.init()
        fx.nvvm.fence_mbarrier_init()
        fx.nvvm.prefetch_tensor_map(load_a)
        fx.nvvm.prefetch_tensor_map(load_b)
        fx.nvvm.prefetch_tensor_map(store_c)
    fx.barrier()

    scheduler = fx.nvvm.TileScheduler(fx.ceil_div(c.shape[0], M), fx.ceil_div(c.shape[1], n))
    if group == GROUPS:
        fx.nvvm.setmaxnreg_decrease(PRODUCER_REGISTERS)
        if warp == 4 * GROUPS:
            side_a = load_a, fx.zipped_divide(a, (M, k)), shared_a.ptr
            side_b = load_b, fx.zipped_divide(b, (n, k)), shared_b.ptr
            fill_stages(pipeline, scheduler, (side_a, side_b), steps, plan)
    else:
        fx.nvvm.setmaxnreg_increase(CONSUMER_REGISTERS)
        mma = plan.mma(n, GROUPS)
        threads = mma.get_slice(group * GROUP_THREADS)  # of whole groups: what is in shared memory all threads share
        part_a = threads.partition_A(shared_a.view(fx.nvvm.smem_layout(plan.majors[0], plan.dtype, (M, k, stages))))
        part_b = threads.partition_B(shared_b.view(fx.nvvm.smem_layout(plan.majors[1], plan.dtype, (n, k, stages))))
        sums = fx.make_rmem_tensor(fx.make_layout(((2, 2, n // 8), 1, 1)), fx.Float32)
        tiles_c = fx.zipped_divide(c, (ROWS, COLUMNS))
        thread = fx.thread_idx.x % GROUP_THREADS
        state = pipeline.state()
        for tile in range(fx.block_idx.x, scheduler.tiles, fx.grid_dim.x):
            sums.fill(0)
            state = add_products(pipeline, state, mma, (sums, part_a, part_b), steps, thread)
            row, column = scheduler.place(tile)
            place = row * GROUPS + group, column * (n // COLUMNS)
            store_sums(sums, results, store_c, tiles_c, place, group, thread, plan)
        if thread == 0:
            fx.nvvm.bulk_wait_group()


def fill_stages(pipeline: Any, scheduler: Any, sides: tuple[Any, Any], steps: fx.Int32, plan: Plan) -> None:
    """One thread of a warp: bring the tiles of A and B that the block multiplies, as soon as stages are empty."""
    (load_a, tiles_a, shared_a), (load_b, tiles_b, shared_b) = sides
    if fx.nvvm.elect_one():
        state = pipeline.state()
        for tile in range(fx.block_idx.x, scheduler.tiles, fx.grid_dim.x):
            row, column = scheduler.place(tile)
            for step in range(steps):
                full = pipeline.acquire(state, plan.stage_bytes)
                fx.copy(load_a, tiles_a[None, (row, step)], shared_a + state.stage * (M * plan.k), mbar=full)
                fx.copy(load_b, tiles_b[None, (column, step)], shared_b + state.stage * (plan.n * plan.k), mbar=full)
                state = state.next()


def add_products(
    pipeline: Any, state: Any, mma: fx.TiledMma, operands: tuple[fx.Tensor, ...], steps: fx.Int32, thread: fx.Int32
) -> Any:
    """Multiply and add what stages bring; one is handed back when the products of the next are under way."""
    sums, part_a, part_b = operands
    previous = state.stage
    for step in range(steps):
        pipeline.wait(state)
        stage = state.stage
        fx.gemm(mma, sums, part_a[None, None, None, stage], part_b[None, None, None, stage], sums)
        fx.nvvm.sm90.wgmma_commit()
        fx.nvvm.sm90.wgmma_wait(1)
        if step > 0 and thread == 0:
            pipeline.release(previous)
        previous = stage
        state = state.next()
    fx.nvvm.sm90.wgmma_wait(0)
    if thread == 0:
        pipeline.release(previous)
    return state


def store_sums(
    sums: fx.Tensor,
    results: Any,
    store_c: Any,
    tiles_c: fx.Tensor,
    place: tuple[Any, Any],
    group: Any,
    thread: Any,
    plan: Plan,
) -> None:
    """Store a group's sums by the copy engine, 64 columns at a time, through two buffers."""
    layout = fx.nvvm.smem_layout("k", plan.result, (ROWS, COLUMNS))
    part = plan.mma(COLUMNS, 1).get_slice(thread)
    registers = fx.make_layout(((2, 2, COLUMNS // 8), 1, 1))
    pairs = fx.make_copy_atom(fx.UniversalCopy32b(), plan.result)
    for number in fx.range_constexpr(plan.n // COLUMNS):
        buffer = results.ptr + (group * BUFFERS + number % BUFFERS) * (ROWS * COLUMNS)
        if thread == 0:
            fx.nvvm.bulk_wait_group(BUFFERS - 1, read=True)
        fx.nvvm.named_barrier_sync(group + 1, GROUP_THREADS)
        rounded = fx.make_rmem_tensor(registers, plan.result)
        rounded.store(fx.make_view(fx.get_iter(sums) + number * COLUMNS // 2, registers).load().to(plan.result))
        fx.copy(pairs, rounded, part.partition_C(buffer.view(layout)))
        fx.nvvm.fence_proxy_async()
        fx.nvvm.named_barrier_sync(group + 1, GROUP_THREADS)
        if thread == 0:
            fx.copy(store_c, buffer, tiles_c[None, (place[0], place[1] + number)])
            fx.nvvm.bulk_commit_group()


@flyc.jit
def gemm(
    a: fx.Tensor,
    b: fx.Tensor,
    c: fx.Tensor,
    blocks: fx.Int32,
    columns: fx.Constexpr[int] = 256,
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """C = A B^T by `blocks` blocks, one for each multiprocessor, in tiles of 256, 128 or 64 columns."""
    major_a, major_b = ("mn" if matrix.leading_dim == 0 else "k" for matrix in (a, b))
    plan = Plan(a.dtype, c.dtype, (major_a, major_b), columns)
    load_a, tiles_a = fx.nvvm.make_tma_load(a, fx.nvvm.smem_layout(major_a, plan.dtype, (M, plan.k)))
    load_b, tiles_b = fx.nvvm.make_tma_load(b, fx.nvvm.smem_layout(major_b, plan.dtype, (plan.n, plan.k)))
    store_c, tiles_c = fx.nvvm.make_tma_store(c, fx.nvvm.smem_layout("k", plan.result, (ROWS, COLUMNS)))
    steps = fx.get_scalar(fx.ceil_div(a.shape[1], plan.k))
    gemm_kernel(load_a, tiles_a, load_b, tiles_b, store_c, tiles_c, steps, plan).launch(
        grid=blocks, block=THREADS, stream=stream
    )


def columns_for(m: int, n: int, blocks: int) -> int:
    """How wide tiles should be: blocks that all have work count, and so does what each tile costs besides."""
    overhead = 32

    def cost(columns: int) -> int:
        tiles = -(-m // M) * -(-n // columns)
        return -(-tiles // blocks) * (columns + overhead)

    return min(STAGES, key=cost)


def check(
    rng: np.random.Generator, m: int, n: int, k: int, transposed: str = "", columns: int = 256, blocks: int = 132
) -> None:
    """One random product of float16 against NumPy in float64; what lies behind C's columns stays as it is.

    C has rows of whole 16 bytes, which the copy engine stores: columns without a row of B become 0.

    Those of "a" and "b" in `transposed` are in memory as their transposes.
    """
    a, b = (framed(k, rows).T if name in transposed else framed(rows, k) for name, rows in (("a", m), ("b", n)))
    a, b = a[:m, :k], b[:n, :k]
    for matrix in (a, b):
        matrix[...] = rng.standard_normal(matrix.shape, dtype=np.float32)
    c, width = framed(m, n), padded(n)
    gemm(a, b, c[:, :width], blocks, columns)
    expected = a.astype(np.float64) @ b.astype(np.float64).T
    np.testing.assert_allclose(c[:, :n], expected, rtol=1e-3, atol=1e-3 * k**0.5)
    np.testing.assert_array_equal(c[:, n:width], 0)
    np.testing.assert_array_equal(c[:, width:], np.full_like(c[:, width:], np.nan))


def padded(columns: int) -> int:
    """So many that a row of float16 is a multiple of 16 bytes."""
    return -(-columns // 8) * 8


def framed(rows: int, columns: int) -> np.ndarray:
    """A matrix of NaN with rows at multiples of 16 bytes, and columns behind it that nobody may read or write."""
    return np.full((rows, padded(columns) + 8), np.nan, np.float16)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for transposed in ("", "a", "b", "ab"):
        m, n, k = odd(rng, 400), odd(rng, 400), odd(rng, 400)
        check(rng, m, n, k, transposed, blocks=4)
        print(f"{m} x {k} times {k} x {n}: equal to NumPy's A @ B.T in float64, but for the rounding to float16")


if __name__ == "__main__":
    main()
