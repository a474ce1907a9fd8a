"""C = A B^T on the matrix instructions of CDNA, with a weight B in the order of its lanes.

A is (M, K), B (N, K); f16, bf16, fp8 or int8. Of the products of 8-bit numbers row m is multiplied by scale_a[m] and
column n by scale_b[n], as quantised activations and weights need it. N and K are known while compiling, M and the
strides of A and C are not. N and M are any numbers; K is a multiple of 32, with 8-bit numbers of 64; rows of A begin at
multiples of 16 bytes. How it works is in rocm_gemm.py and in docs/how-to/write_a_gemm_for_amd.md.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from rocm_gemm import BLOCK, COLUMNS, ROWS, Product, bounded, mma_of, preshuffle, scaled, shuffled, store
from rocm_workbench import MFMA_CHIPS, choose_chip, fp8_of
from workbench import assert_close, odd

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def gemm_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, mma: fx.TiledMma, n: int, k: int) -> None:
    row, column = fx.block_idx.y, fx.block_idx.x
    tile = Product(bounded(a), bounded(shuffled(b, n, k)), row, column, mma, k)
    for pair in range(tile.steps // 2):
        tile.advance(2 * pair, 0)
        tile.advance(2 * pair + 1, 1)
    store(tile.finish(), c, (COLUMNS, ROWS), (column, row), mma, n)


@flyc.kernel
def scaled_gemm_kernel(
    a: fx.Tensor, scale_a: fx.Tensor, b: fx.Tensor, scale_b: fx.Tensor, c: fx.Tensor, mma: fx.TiledMma, n: int, k: int
) -> None:
    row, column = fx.block_idx.y, fx.block_idx.x
    tile = Product(bounded(a), bounded(shuffled(b, n, k)), row, column, mma, k)
    for pair in range(tile.steps // 2):
        tile.advance(2 * pair, 0)
        tile.advance(2 * pair + 1, 1)
    values = scaled(tile.finish(), scale_a, scale_b, (COLUMNS, ROWS), (column, row), mma)
    store(values, c, (COLUMNS, ROWS), (column, row), mma, n)


@flyc.jit
def gemm(
    a: fx.Tensor,
    b: fx.Tensor,
    c: fx.Tensor,
    n: fx.Constexpr[int],
    k: fx.Constexpr[int],
    chip: fx.Constexpr[str],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """C = A B^T, with B as `preshuffle` makes it."""
    grid = -(-n // COLUMNS), fx.ceil_div(c.shape[0], ROWS)
    gemm_kernel(a, b, c, mma_of(chip, a.dtype), n, k).launch(grid=grid, block=BLOCK, stream=stream)


@flyc.jit
def scaled_gemm(
    a: fx.Tensor,
    scale_a: fx.Tensor,
    b: fx.Tensor,
    scale_b: fx.Tensor,
    c: fx.Tensor,
    n: fx.Constexpr[int],
    k: fx.Constexpr[int],
    chip: fx.Constexpr[str],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """C = diag(scale_a) A B^T diag(scale_b), with B as `preshuffle` makes it."""
    grid, mma = (-(-n // COLUMNS), fx.ceil_div(c.shape[0], ROWS)), mma_of(chip, a.dtype)
    scaled_gemm_kernel(a, scale_a, b, scale_b, c, mma, n, k).launch(grid=grid, block=BLOCK, stream=stream)


def operand(rng: np.random.Generator, shape: tuple[int, int], kind: str, chip: str) -> Any:
    """A random matrix of f16, bf16, fp8 or i8, whose rows are further apart than they are long."""
    dtypes = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "fp8": fp8_of(chip), "i8": np.int8}
    rows, columns = shape
    wider = (rows, columns + 64)
    values = rng.integers(-128, 128, wider) if kind == "i8" else rng.standard_normal(wider)
    return values.astype(dtypes[kind])[:, :columns]


def check(rng: np.random.Generator, m: int, n: int, k: int, kind: str) -> None:
    """One random product against NumPy in float64."""
    chip = choose_chip(*MFMA_CHIPS)
    a, b = operand(rng, (m, k), kind, chip), operand(rng, (n, k), kind, chip)
    framed = np.full((m + 2, n + 2), -1, np.float32)  # nothing outside of C may be written
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    if kind in ("fp8", "i8"):
        scale_a, scale_b = (rng.uniform(0.5, 2, extent).astype(np.float32) for extent in (m, n))
        scaled_gemm(a, scale_a, preshuffle(b), scale_b, framed[1:-1, 1:-1], n, k, chip)
        exact = exact * scale_a[:, None] * scale_b
    else:
        gemm(a, preshuffle(b), framed[1:-1, 1:-1], n, k, chip)
    assert_close(framed, np.pad(exact, 1, constant_values=-1), 1e-5)


def main() -> None:
    choose_chip(*MFMA_CHIPS)
    rng = np.random.default_rng()
    for kind in ("f16", "bf16", "fp8", "i8"):
        m, n, k = odd(rng, 200), odd(rng, 400), 64 * int(rng.integers(1, 12))
        check(rng, m, n, k, kind)
        print(f"{kind}, {m} x {k} times {k} x {n}: equal to NumPy's A @ B.T in float64, within 1e-5")


if __name__ == "__main__":
    main()
