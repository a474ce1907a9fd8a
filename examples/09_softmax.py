"""Softmax of every row of a matrix, one block a row: y = exp(x - max(x)) / sum(exp(x - max(x))).

The row is read twice: once for its maximum and its sum together, once to write the result. Each thread keeps the
largest element it has met and the sum of exponentials relative to it; when it meets a larger one it scales the sum down
(Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). The threads then agree on the maximum of
the row, scale their sums to it, and add them up.
"""

from __future__ import annotations

import numpy as np
from rows import VECTOR, add, block_size, load, reduce_block, store
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

LOWEST = -3.0e38  # behind the end of a row, and before the first element: finite, so that differences are numbers


@flyc.kernel
def softmax_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    thread, block = fx.thread_idx.x, block_size()
    row_x, row_y = x[fx.block_idx.x, None], y[fx.block_idx.x, None]
    count = fx.get_scalar(fx.ceil_div(fx.size(row_x), VECTOR))

    largest, total = fx.Float32(LOWEST), fx.Float32(0)
    for start in range(0, count, block):
        if start + thread < count:
            values = load(row_x, start + thread, outside=LOWEST)
            before, largest = largest, values.reduce(fx.ReductionOp.MAX, largest)
            total = total * fx.exp(before - largest) + fx.exp(values - largest).reduce(fx.ReductionOp.ADD)

    peak = reduce_block(largest, fx.max)
    scale = 1 / reduce_block(total * fx.exp(largest - peak), add)
    for start in range(0, count, block):
        if start + thread < count:
            store(fx.exp(load(row_x, start + thread, outside=LOWEST) - peak) * scale, row_y, start + thread)


@flyc.jit
def softmax(x: fx.Tensor, y: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    softmax_kernel(x, y).launch(grid=x.shape[0], block=block_size(), stream=stream)


def check(rng: np.random.Generator, rows: int, columns: int) -> None:
    """One random matrix against NumPy in float64."""
    x = 10 * rng.standard_normal((rows, columns), dtype=np.float32)
    y = np.full_like(x, np.nan)
    softmax(x, y)
    exact = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    assert_close(y, exact / exact.sum(axis=1, keepdims=True), 1e-5)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(5):
        rows, columns = odd(rng, 60), odd(rng, 5000)
        check(rng, rows, columns)
        print(f"softmax of {rows} rows of {columns}: equal to NumPy in float64, within 1e-5")


if __name__ == "__main__":
    main()
