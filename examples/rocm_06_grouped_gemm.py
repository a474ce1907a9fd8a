"""Products of a mixture of experts in one launch: rows of A are sorted by expert, and each expert has a weight B.

C[r] = A[r] B[e]^T for the rows offsets[e] <= r < offsets[e + 1] of expert e. How many rows an expert has is known on
the device only, so the grid is as large as the worst case needs: a block counts tiles expert by expert until it meets
its own, and ends when there is none. The rows of its expert are buffers of their own: what a tile overhangs is read as
0 and not written, though the rows of another expert are there. Weights are those of rocm_01_preshuffled_gemm.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rocm_gemm import BLOCK, COLUMNS, ROWS, Product, bounded, mma_of, preshuffle, shuffled, store
from rocm_workbench import MFMA_CHIPS, choose_chip
from workbench import assert_close, odd

import flydsl.compiler as flyc
import flydsl.expr as fx


def rows_of(matrix: fx.Tensor, first: fx.Numeric, count: fx.Numeric) -> fx.Tensor:
    """`count` rows of a matrix from row `first` on."""
    start = fx.get_iter(matrix[first, None])
    return fx.make_view(start, fx.make_layout((count, matrix.shape[1]), matrix.stride))


@flyc.kernel
def grouped_gemm_kernel(
    a: fx.Tensor, b: fx.Tensor, offsets: fx.Tensor, c: fx.Tensor, mma: fx.TiledMma, experts: int, n: int, k: int
) -> None:
    column, tile = fx.block_idx.x, fx.block_idx.y
    expert, first, end, row = fx.Int32(-1), fx.Int32(0), fx.Int32(0), fx.Int32(0)
    tiles, start = fx.Int32(0), fx.Int32(0)  # before the expert that is looked at
    for e in range(experts):
        stop = offsets[e + 1]
        of_expert = fx.Int32(fx.Uint32(stop - start + ROWS - 1) // ROWS)
        if (tile >= tiles) & (tile < tiles + of_expert):
            expert, first, end, row = fx.Int32(e), start, stop, tile - tiles
        tiles, start = tiles + of_expert, stop

    if expert >= 0:
        rows_a, rows_c = rows_of(a, first, end - first), rows_of(c, first, end - first)
        product = Product(bounded(rows_a), bounded(shuffled(b[expert, None], n, k)), row, column, mma, k)
        for pair in range(product.steps // 2):
            product.advance(2 * pair, 0)
            product.advance(2 * pair + 1, 1)
        store(product.finish(), rows_c, (COLUMNS, ROWS), (column, row), mma, n)


@flyc.jit
def grouped_gemm(
    a: fx.Tensor,
    b: fx.Tensor,
    offsets: fx.Tensor,
    c: fx.Tensor,
    experts: fx.Constexpr[int],
    n: fx.Constexpr[int],
    k: fx.Constexpr[int],
    chip: fx.Constexpr[str],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """`b` has a preshuffled weight in each row; `offsets` are the first rows of the experts, then the count of rows."""
    tiles = fx.ceil_div(a.shape[0], ROWS) + experts  # each expert may leave a tile incomplete
    kernel = grouped_gemm_kernel(a, b, offsets, c, mma_of(chip, a.dtype), experts, n, k)
    kernel.launch(grid=(-(-n // COLUMNS), tiles), block=BLOCK, stream=stream)


def random_offsets(rng: np.random.Generator, experts: int, rows: int) -> Any:
    """Where each expert's rows begin, some of them without any."""
    cuts = np.sort(rng.integers(0, rows + 1, experts - 1))
    return np.concatenate([[0], cuts, [rows]]).astype(np.int32)


def check(rng: np.random.Generator, experts: int, rows: int, n: int, k: int) -> None:
    """Random groups against NumPy in float64."""
    chip = choose_chip(*MFMA_CHIPS)
    offsets = random_offsets(rng, experts, rows)
    a = rng.standard_normal((rows, k)).astype(np.float16)
    b = rng.standard_normal((experts, n, k)).astype(np.float16)
    shuffled_b = np.stack([preshuffle(weight).reshape(-1) for weight in b])
    framed = np.full((rows + 2, n + 2), -1, np.float32)  # nothing outside of C may be written
    grouped_gemm(a, shuffled_b, offsets, framed[1:-1, 1:-1], experts, n, k, chip)
    expert = np.repeat(np.arange(experts), np.diff(offsets))
    exact = np.einsum("rk,rnk->rn", a.astype(np.float64), b.astype(np.float64)[expert])
    assert_close(framed, np.pad(exact, 1, constant_values=-1), 1e-5)


def main() -> None:
    choose_chip(*MFMA_CHIPS)
    rng = np.random.default_rng()
    for _ in range(3):
        experts, rows, n, k = odd(rng, 8), odd(rng, 200), odd(rng, 300), 32 * odd(rng, 8)
        check(rng, experts, rows, n, k)
        print(f"{rows} rows of {experts} experts, {n} x {k} each: equal to NumPy in float64, within 1e-5")


if __name__ == "__main__":
    main()
