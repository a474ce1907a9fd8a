"""Root-mean-square normalisation of every row, one block a row: y = x / sqrt(mean(x * x) + epsilon) * weight.

Works on float32, float16 and bfloat16 tensors alike: elements are converted to float32 when they are loaded and back
when they are stored, so that sums keep their precision.
"""

from __future__ import annotations

import numpy as np
from rows import VECTOR, add, block_size, load, reduce_block, store
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def rmsnorm_kernel(x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor, epsilon: fx.Float32) -> None:
    thread, block = fx.thread_idx.x, block_size()
    row_x, row_y = x[fx.block_idx.x, None], y[fx.block_idx.x, None]
    columns = fx.get_scalar(fx.size(row_x))
    count = fx.get_scalar(fx.ceil_div(columns, VECTOR))

    squares = fx.Vector.filled(VECTOR, 0, fx.Float32)
    for start in range(0, count, block):
        if start + thread < count:
            values = load(row_x, start + thread, outside=0)
            squares = squares + values * values

    mean = reduce_block(squares.reduce(fx.ReductionOp.ADD), add) / columns
    scale = fx.rsqrt(mean + epsilon)
    for start in range(0, count, block):
        if start + thread < count:
            values = load(row_x, start + thread, outside=0)
            store(values * scale * load(weight, start + thread, outside=0), row_y, start + thread)


@flyc.jit
def rmsnorm(
    x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor, epsilon: fx.Float32, stream: fx.Stream = fx.Stream(None)
) -> None:
    rmsnorm_kernel(x, weight, y, epsilon).launch(grid=x.shape[0], block=block_size(), stream=stream)


def check(rng: np.random.Generator, rows: int, columns: int, dtype: str = "float32") -> None:
    """One random matrix against NumPy in float64."""
    x, weight = rng.standard_normal((rows, columns)).astype(dtype), rng.standard_normal(columns).astype(dtype)
    y = np.full_like(x, np.nan)
    rmsnorm(x, weight, y, 1e-5)
    exact = x.astype(np.float64)
    exact = exact / np.sqrt(np.mean(exact * exact, axis=1, keepdims=True) + 1e-5) * weight.astype(np.float64)
    assert_close(y.astype(np.float64), exact, 1e-5 if dtype == "float32" else 1e-3)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for dtype in ("float32", "float16"):
        for _ in range(3):
            rows, columns = odd(rng, 60), odd(rng, 5000)
            check(rng, rows, columns, dtype)
            print(f"rmsnorm of {rows} rows of {columns} {dtype}: equal to NumPy in float64, within rounding")


if __name__ == "__main__":
    main()
