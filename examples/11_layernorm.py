"""Layer normalisation of every row, one block a row: y = (x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias.

The variance is the mean of squared distances from the mean, in a pass of its own: the difference of two sums, x * x and
x, would lose all digits when the mean is large compared to the spread. The second and third pass read from caches.
"""

from __future__ import annotations

import numpy as np
from rows import VECTOR, add, block_size, load, reduce_block, store
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def layernorm_kernel(x: fx.Tensor, weight: fx.Tensor, bias: fx.Tensor, y: fx.Tensor, epsilon: fx.Float32) -> None:
    thread, block = fx.thread_idx.x, block_size()
    row_x, row_y = x[fx.block_idx.x, None], y[fx.block_idx.x, None]
    columns = fx.get_scalar(fx.size(row_x))
    count = fx.get_scalar(fx.ceil_div(columns, VECTOR))

    sums = fx.Vector.filled(VECTOR, 0, fx.Float32)
    for start in range(0, count, block):
        if start + thread < count:
            sums = sums + load(row_x, start + thread, outside=0)
    mean = reduce_block(sums.reduce(fx.ReductionOp.ADD), add) / columns

    squares = fx.Vector.filled(VECTOR, 0, fx.Float32)
    for start in range(0, count, block):
        if start + thread < count:
            # Behind the end of the row the distance from the mean must be 0, which x = 0 would not give.
            inside = fx.Vector.from_elements([(start + thread) * VECTOR + i < columns for i in range(VECTOR)])
            distance = inside.select(load(row_x, start + thread, outside=0) - mean, 0)
            squares = squares + distance * distance
    variance = reduce_block(squares.reduce(fx.ReductionOp.ADD), add) / columns

    scale = fx.rsqrt(variance + epsilon)
    for start in range(0, count, block):
        index = start + thread
        if index < count:
            normal = (load(row_x, index, outside=0) - mean) * scale
            store(normal * load(weight, index, outside=0) + load(bias, index, outside=0), row_y, index)


@flyc.jit
def layernorm(
    x: fx.Tensor,
    weight: fx.Tensor,
    bias: fx.Tensor,
    y: fx.Tensor,
    epsilon: fx.Float32,
    stream: fx.Stream = fx.Stream(None),
) -> None:
    layernorm_kernel(x, weight, bias, y, epsilon).launch(grid=x.shape[0], block=block_size(), stream=stream)


def check(rng: np.random.Generator, rows: int, columns: int) -> None:
    """One random matrix, far from 0, against NumPy in float64."""
    x = 100 + rng.standard_normal((rows, columns), dtype=np.float32)
    weight, bias = (rng.standard_normal(columns, dtype=np.float32) for _ in range(2))
    y = np.full_like(x, np.nan)
    layernorm(x, weight, bias, y, 1e-5)
    centred = x.astype(np.float64) - np.mean(x, axis=1, keepdims=True, dtype=np.float64)
    deviation = np.sqrt(np.mean(centred * centred, axis=1, keepdims=True) + 1e-5)
    assert_close(y, centred / deviation * weight + bias, 2e-4)  # one rounding of the mean, 100, is 1e-5


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(5):
        rows, columns = odd(rng, 60), 2 + odd(rng, 5000)
        check(rng, rows, columns)
        print(f"layernorm of {rows} rows of {columns}: equal to NumPy in float64, within 2e-4")


if __name__ == "__main__":
    main()
