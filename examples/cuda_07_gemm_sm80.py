"""A matrix product C = A B^T of 16-bit floats by the matrix units of single warps, for NVIDIA GPUs from sm_80 on.

Four warps multiply a tile of C, a quarter each. Asynchronous copies bring tiles of A and B to a ring of stages, past
the registers; `ldmatrix` reads them as the products want them, the next ones while these are multiplied. Tiles are
swizzled in shared memory, so that neither waits for banks. Rows beyond a matrix are its last one again, whose products
are not stored; columns beyond it are zeros. Rows begin at multiples of 16 bytes and are as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from workbench import choose_backend, framed, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

M, N, K = 128, 128, 64  # a tile of C is M x N; A and B come in pieces of K
THREADS, STAGES = 128, 3
VECTOR = 8  # elements of 16 bytes
ROWS = THREADS * VECTOR // K  # that all threads copy at a time
GROUP = 8  # rows of tiles that blocks walk through side by side, whose operands the cache has then


class Side:
    """The way of A or B from global memory to shared memory: what this thread copies of a tile."""

    def __init__(self, matrix: fx.Tensor, first: Any, rows: int, stages: fx.Tensor) -> None:
        thread = fx.thread_idx.x
        self.atom = fx.make_copy_atom(fx.nvvm.CpAsync(128), matrix.dtype)
        self.chunk, self.length = thread % (K // VECTOR), fx.get_scalar(matrix.shape[1])
        last = fx.get_scalar(matrix.shape[0]) - 1
        own = [fx.min(first + i * ROWS + thread // (K // VECTOR), last) for i in range(rows // ROWS)]
        self.sources = [fx.zipped_divide(matrix[row, None], fx.make_tile(VECTOR)) for row in own]
        threads = fx.make_layout((ROWS, K // VECTOR), (K // VECTOR, 1))
        copy = fx.make_tiled_copy_tv(self.atom, threads, fx.make_layout((1, VECTOR), (VECTOR, 1)))
        self.targets = copy.get_slice(thread).partition_D(stages)

    def bring(self, step: Any, stage: Any) -> None:
        """Start copies of a tile; what lies behind the ends of rows is 0."""
        if step * K + self.chunk * VECTOR < self.length:
            for i in fx.range_constexpr(len(self.sources)):
                source = self.sources[i][None, step * (K // VECTOR) + self.chunk]
                fx.copy(self.atom, source, self.targets[(None, 0), i, 0, stage])
        else:
            zeros = fx.make_rmem_tensor(VECTOR, self.targets.dtype)
            zeros.fill(0)
            for i in fx.range_constexpr(len(self.sources)):
                fx.copy(
                    fx.make_copy_atom(fx.UniversalCopy(128), zeros.dtype), zeros, self.targets[(None, 0), i, 0, stage]
                )


class Reader:
    """The way of A or B from shared memory to the fragment of a warp, a step of the instruction at a time."""

    def __init__(self, copy: Callable[[fx.CopyAtom], fx.TiledCopy], stages: fx.Tensor, fragment: fx.Tensor) -> None:
        self.atom = fx.make_copy_atom(fx.nvvm.LdMatrix(4), fragment.dtype)
        own = copy(self.atom).get_slice(fx.thread_idx.x)
        self.sources, self.targets = own.partition_S(stages), own.retile(fragment)

    def read(self, part: int, stage: Any) -> None:
        fx.copy(self.atom, self.sources[None, None, part, stage], self.targets[None, None, part])


def place_of(rows: Any, columns: Any) -> tuple[Any, Any]:
    """The tile of this block: groups of rows, and in each one column after the other."""
    width = GROUP * columns
    group = fx.block_idx.x // width
    height = fx.min(rows - group * GROUP, GROUP)
    inside = fx.block_idx.x % width
    return group * GROUP + inside % height, inside // height


@flyc.kernel
def gemm_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    dtype, memory = a.dtype, fx.SharedAllocator()
    shared = memory.allocate(fx.Array[dtype, STAGES * (M + N) * K, 1024])
    stages_a = shared.view(fx.nvvm.smem_layout("k", dtype, (M, K, STAGES)))
    stages_b = fx.make_view(shared.ptr + STAGES * M * K, fx.nvvm.smem_layout("k", dtype, (N, K, STAGES)))
    m, n = (fx.get_scalar(extent) for extent in c.shape)
    row, column = place_of(fx.ceil_div(m, M), fx.ceil_div(n, N))
    side_a, side_b = Side(a, row * M, M, stages_a), Side(b, column * N, N, stages_b)

    atom = fx.make_mma_atom(fx.nvvm.MMA(16, 8, 16, dtype))
    mma = fx.make_tiled_mma(atom, fx.make_layout((2, 2, 1), (1, 2, 0)), fx.make_tile(32, 32, 16))
    own = mma.get_slice(fx.thread_idx.x)
    held_a, held_b = (
        make(stages[None, None, 0])
        for make, stages in ((own.make_fragment_A, stages_a), (own.make_fragment_B, stages_b))
    )
    reader_a = Reader(lambda move: fx.make_tiled_copy_A(move, mma), stages_a, held_a)
    reader_b = Reader(lambda move: fx.make_tiled_copy_B(move, mma), stages_b, held_b)
    sums = fx.make_rmem_tensor(fx.make_layout(((2, 2), M // 32, N // 16)), fx.Float32)
    sums.fill(0)

    steps = fx.ceil_div(side_a.length, K)
    for step in fx.range_constexpr(STAGES - 1):
        side_a.bring(step, step)
        side_b.bring(step, step)
        fx.nvvm.cp_async_commit_group()
    for step in range(steps):
        stage = step % STAGES
        fx.nvvm.cp_async_wait_group(STAGES - 2)
        fx.barrier()  # the tiles of this step are there, and nobody reads those of the step before
        reader_a.read(0, stage)
        reader_b.read(0, stage)
        coming = step + STAGES - 1
        side_a.bring(coming, coming % STAGES)
        side_b.bring(coming, coming % STAGES)
        fx.nvvm.cp_async_commit_group()
        for part in fx.range_constexpr(K // 16):
            if fx.const_expr(part + 1 < K // 16):
                reader_a.read(part + 1, stage)
                reader_b.read(part + 1, stage)
            fx.gemm(mma, sums, held_a[None, None, part], held_b[None, None, part], sums)
    fx.nvvm.cp_async_wait_group(0)
    fx.barrier()
    store_sums(sums, mma, fx.make_view(shared.ptr, fx.nvvm.smem_layout("k", dtype, (M, N))), c, (row * M, column * N))


def store_sums(sums: fx.Tensor, mma: fx.TiledMma, tile: fx.Tensor, c: fx.Tensor, first: tuple[Any, Any]) -> None:
    """Round, and store whole vectors of C: the sums of a thread are pairs, which are exchanged in shared memory."""
    rounded = fx.make_rmem_tensor(sums.layout, c.dtype)
    rounded.store(sums.load().to(c.dtype))
    pairs = fx.make_copy_atom(fx.UniversalCopy32b(), c.dtype)
    fx.copy(pairs, rounded, mma.get_slice(fx.thread_idx.x).partition_C(tile))
    fx.barrier()
    wide = fx.make_copy_atom(fx.UniversalCopy128b(), c.dtype)
    rows = THREADS * VECTOR // N
    threads = fx.make_layout((rows, N // VECTOR), (N // VECTOR, 1))
    copy = fx.make_tiled_copy_tv(wide, threads, fx.make_layout((1, VECTOR), (VECTOR, 1)))
    sources = copy.get_slice(fx.thread_idx.x).partition_S(tile)
    m, n = (fx.get_scalar(extent) for extent in c.shape)
    column = first[1] + fx.thread_idx.x % (N // VECTOR) * VECTOR
    for i in fx.range_constexpr(M // rows):
        row = first[0] + i * rows + fx.thread_idx.x // (N // VECTOR)
        registers = fx.make_rmem_tensor(VECTOR, c.dtype)
        fx.copy(wide, sources[(None, 0), i, 0], registers)
        if (row < m) & (column < n):
            fx.copy(wide, registers, fx.zipped_divide(c[row, None], fx.make_tile(VECTOR))[None, column // VECTOR])


@flyc.jit
def gemm(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    blocks = fx.ceil_div(c.shape[0], M) * fx.ceil_div(c.shape[1], N)
    gemm_kernel(a, b, c).launch(grid=blocks, block=THREADS, stream=stream)


def marked(matrix: Any) -> Any:
    """A matrix as an argument: any shape, rows that begin at multiples of 16 bytes and are as long."""
    return flyc.from_dlpack(matrix, assumed_align=16).mark_layout_dynamic(leading_dim=1, divisibility=VECTOR)


def check(rng: np.random.Generator, m: int, n: int, k: int) -> None:
    """One random product of float16 against NumPy in float64; K and C's columns are multiples of 8."""
    n, k = (-(-extent // VECTOR) * VECTOR for extent in (n, k))
    a, b = (framed(rows, k, np.float16) for rows in (m, n))
    for matrix in (a, b):
        matrix[:, :k] = rng.standard_normal((len(matrix), k), dtype=np.float32)
    c = framed(m, n, np.float16)
    gemm(marked(a[:, :k]), marked(b[:, :k]), marked(c[:, :n]))
    expected = a[:, :k].astype(np.float64) @ b[:, :k].astype(np.float64).T
    np.testing.assert_allclose(c[:, :n], expected, rtol=1e-3, atol=1e-3 * k**0.5)
    np.testing.assert_array_equal(c[:, n:], np.full_like(c[:, n:], np.nan))


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(4):
        m, n, k = odd(rng, 400), odd(rng, 400), odd(rng, 400)
        check(rng, m, n, k)
        print(f"about {m} x {k} times {k} x {n}: equal to NumPy's A @ B.T in float64, but for the rounding to float16")


if __name__ == "__main__":
    main()
