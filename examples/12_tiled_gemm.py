"""A matrix product C = A B of any size, with tiles of A and B staged in shared memory.

A block computes a tile of C and walks along K. At each step its threads bring a tile of A and one of B to shared
memory, each element once and neighbouring threads from neighbouring addresses; what lies outside of A or B is 0 and
adds nothing. Behind a barrier every thread reads what its share of the product needs, a few numbers along K at a time.
What multiplies is an argument: multiply-adds of single numbers on any target, matrix instructions on gfx942.

Each element of a tile of A is used for a whole row of the tile of C, each of B for a column: so large tiles, and many
threads for them, each with as many sums as it has registers for. On a CPU, where shared memory is in a cache of the
processor, the tiles of A and B are there in one piece, and a thread's sums in its registers until the next tiles come.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tiles import inside, tiles_of
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

M, N, K = 128, 128, 32  # a tile of C is M x N; A and B come in pieces of K
THREADS = 1024
STEP = 4  # multiply-adds along K that a thread has in its registers at a time


def stage(tensor: fx.Tensor, tile: tuple[int, int], place: tuple[Any, Any], shared: fx.Tensor) -> None:
    """Bring tile number `place` of a row-major tensor to shared memory, with zeros for what lies outside."""
    rows = THREADS // tile[1]  # that the block moves at a time
    threads, values = fx.make_layout((rows, tile[1]), (tile[1], 1)), fx.make_layout((tile[0] // rows, 1), (1, 1))
    tiled_copy = fx.make_tiled_copy_tv(fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32), threads, values)
    thread = tiled_copy.get_slice(fx.thread_idx.x)
    source, crd = [thread.partition_S(t[None, None, *place]) for t in tiles_of(tensor, tile)]
    registers = fx.make_fragment_like(source)
    registers.fill(0)
    fx.copy(tiled_copy, source, registers, pred=inside(crd, tensor.shape, registers))
    fx.copy(tiled_copy, registers, thread.partition_D(shared))


@flyc.kernel
def gemm_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, tiled_mma: fx.TiledMma) -> None:
    memory = fx.SharedAllocator()
    shared_a = memory.allocate(fx.Array[fx.Float32, M * K]).view(fx.make_layout((M, K), (K, 1)))
    shared_b = memory.allocate(fx.Array[fx.Float32, K * N]).view(fx.make_layout((K, N), (N, 1)))
    # The product wants B as (N, K): the same elements, seen with their modes exchanged.
    shared_b_t = fx.make_view(fx.get_iter(shared_b), fx.select(shared_b.layout, [1, 0]))

    # What this thread holds of the tiles: the copies to registers follow the partition of the product.
    row, column = fx.block_idx.y, fx.block_idx.x
    thread = tiled_mma.get_slice(fx.thread_idx.x)
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    pieces = fx.make_tile(None, None, STEP)
    part_a = fx.logical_divide(thread.partition_A(shared_a), pieces)
    part_b = fx.logical_divide(thread.partition_B(shared_b_t), pieces)
    part_c, crd_c = [thread.partition_C(t[None, None, row, column]) for t in tiles_of(c, (M, N))]
    sums = tiled_mma.make_fragment_C(part_c)
    sums.fill(0)

    for step in range(fx.get_scalar(fx.ceil_div(a.shape[1], K))):
        stage(a, (M, K), (row, step), shared_a)
        stage(b, (K, N), (step, column), shared_b)
        fx.barrier()
        for piece in range(fx.get_scalar(part_a.shape[2][1])):
            piece_a, piece_b = part_a[None, None, (None, piece)], part_b[None, None, (None, piece)]
            registers_a, registers_b = tiled_mma.make_fragment_A(piece_a), tiled_mma.make_fragment_B(piece_b)
            fx.copy(atom, piece_a, registers_a)
            fx.copy(atom, piece_b, registers_b)
            fx.gemm(tiled_mma, sums, registers_a, registers_b, sums)
        fx.barrier()  # nobody may bring the next tiles while others still read these
    exist = inside(crd_c, c.shape, sums)
    for i in fx.range_constexpr(fx.get_scalar(fx.size(sums.shape[1]))):  # row by row: what is near in memory together
        fx.copy(atom, sums[None, i, None], part_c[None, i, None], pred=exist[None, i, None])


@flyc.jit
def gemm(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, unit: fx.Constexpr[str] = "fma") -> None:
    if unit == "mfma":  # 4 x 4 waves, each with 2 x 2 instructions of 16 x 16
        atom, atoms = fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 4, fx.Float32)), fx.make_layout((4, 4, 1), (4, 1, 0))
    else:  # 32 x 32 threads, neighbours along a row of C, each with 4 x 4 elements
        atom, atoms = fx.make_mma_atom(fx.UniversalFMA(fx.Float32)), fx.make_layout((32, 32, 1), (32, 1, 0))
    tiled_mma = fx.make_tiled_mma(atom, atoms)
    blocks = fx.ceil_div(c.shape, (M, N))
    gemm_kernel(a, b, c, tiled_mma).launch(grid=(blocks[1], blocks[0]), block=THREADS)


def check(rng: np.random.Generator, m: int, n: int, k: int) -> None:
    """One random product against NumPy in float64."""
    a, b = rng.standard_normal((m, k), dtype=np.float32), rng.standard_normal((k, n), dtype=np.float32)
    framed = np.full((m + 2, n + 2), -1, np.float32)  # nothing outside of C may be written
    gemm(a, b, framed[1:-1, 1:-1])
    assert_close(framed, np.pad(a.astype(np.float64) @ b.astype(np.float64), 1, constant_values=-1), 1e-5)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(5):
        m, n, k = odd(rng, 300), odd(rng, 300), odd(rng, 300)
        check(rng, m, n, k)
        print(f"{m} x {k} times {k} x {n}: equal to NumPy's A @ B in float64, within 1e-5")


if __name__ == "__main__":
    main()
