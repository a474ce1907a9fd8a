"""Sum and maximum of every row of a matrix, one block a row: registers, then shuffles, then shared memory.

Each thread combines every n-th element of its row, where n is the number of threads. What the threads found is combined
by `reduce_block` of rows.py: shuffles inside of a wave, shared memory between the waves.
"""

from __future__ import annotations

import math

import numpy as np
from rows import add, block_size, reduce_block
from workbench import choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def reduce_rows_kernel(x: fx.Tensor, sums: fx.Tensor, maxima: fx.Tensor) -> None:
    row, thread = fx.block_idx.x, fx.thread_idx.x
    total, largest = fx.Float32(0), fx.Float32(-math.inf)
    for column in range(thread, fx.get_scalar(x.shape[1]), block_size()):
        total = total + x[row, column]
        largest = fx.max(largest, x[row, column])
    total, largest = reduce_block(total, add), reduce_block(largest, fx.max)
    if thread == 0:
        sums[row], maxima[row] = total, largest


@flyc.jit
def reduce_rows(x: fx.Tensor, sums: fx.Tensor, maxima: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    reduce_rows_kernel(x, sums, maxima).launch(grid=x.shape[0], block=block_size(), stream=stream)


def check(rng: np.random.Generator, rows: int, columns: int) -> None:
    """One random matrix against NumPy in float64."""
    x = rng.standard_normal((rows, columns), dtype=np.float32)
    sums, maxima = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    reduce_rows(x, sums, maxima)
    exact = x.astype(np.float64)
    # Rounding grows with the longest chain of additions of a thread, and with the size of what is added.
    bound = (columns / block_size() + 16) * np.finfo(np.float32).eps * np.abs(exact).sum(axis=1)
    assert (np.abs(sums - exact.sum(axis=1)) <= bound).all()
    np.testing.assert_array_equal(maxima, x.max(axis=1))


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(5):
        rows, columns = odd(rng, 60), odd(rng, 4000)
        check(rng, rows, columns)
        print(f"{rows} rows of {columns}: maxima equal to NumPy's, sums too within rounding")


if __name__ == "__main__":
    main()
