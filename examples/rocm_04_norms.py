"""RMS and layer normalisation of every row on AMD GPUs, one block a row, which it reads once.

y = x / sqrt(mean(x^2) + epsilon) * weight, and y = (x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias. The row
stays in registers, so that the mean and then the variance cost no second read; sums are combined by DPP.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rocm_rows import BLOCK, Row, add, reduce_block, reduce_each
from rocm_workbench import choose_chip
from workbench import assert_close, odd

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def rmsnorm_kernel(x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor, epsilon: fx.Float32, columns: int, chip: str) -> None:
    row_x, row_y = (Row(tensor[fx.block_idx.x, None], columns) for tensor in (x, y))
    values, weights = row_x.load(), Row(weight, columns).load()
    (total,) = reduce_block([(reduce_each(values * values, add), add)], chip)
    row_y.store(values * fx.rocdl.rsq(total * (1 / columns) + epsilon) * weights)


@flyc.kernel
def layernorm_kernel(
    x: fx.Tensor, weight: fx.Tensor, bias: fx.Tensor, y: fx.Tensor, epsilon: fx.Float32, columns: int, chip: str
) -> None:
    row_x, row_y = (Row(tensor[fx.block_idx.x, None], columns) for tensor in (x, y))
    values, weights, biases = row_x.load(), Row(weight, columns).load(), Row(bias, columns).load()
    (total,) = reduce_block([(reduce_each(values, add), add)], chip)
    centred = row_x.inside(values - total * (1 / columns), 0)
    (total,) = reduce_block([(reduce_each(centred * centred, add), add)], chip)
    row_y.store(centred * fx.rocdl.rsq(total * (1 / columns) + epsilon) * weights + biases)


@flyc.jit
def rmsnorm(
    x: fx.Tensor,
    weight: fx.Tensor,
    y: fx.Tensor,
    epsilon: fx.Float32,
    columns: fx.Constexpr[int],
    chip: fx.Constexpr[str],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    rmsnorm_kernel(x, weight, y, epsilon, columns, chip).launch(grid=x.shape[0], block=BLOCK, stream=stream)


@flyc.jit
def layernorm(
    x: fx.Tensor,
    weight: fx.Tensor,
    bias: fx.Tensor,
    y: fx.Tensor,
    epsilon: fx.Float32,
    columns: fx.Constexpr[int],
    chip: fx.Constexpr[str],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    layernorm_kernel(x, weight, bias, y, epsilon, columns, chip).launch(grid=x.shape[0], block=BLOCK, stream=stream)


def normalised(x: Any) -> Any:
    """Rows divided by the root of their mean square."""
    return x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + 1e-5)


def check(rng: np.random.Generator, rows: int, columns: int, dtype: str = "float32") -> None:
    """One random matrix against NumPy in float64."""
    chip = choose_chip()
    x = (3 + rng.standard_normal((rows, columns))).astype(dtype)
    weight, bias = rng.standard_normal((2, columns)).astype(dtype)
    exact, of_weight, of_bias = (array.astype(np.float64) for array in (x, weight, bias))
    y = np.full_like(x, np.nan)
    rmsnorm(x, weight, y, 1e-5, columns, chip)
    assert_close(y.astype(np.float64), normalised(exact) * of_weight, 1e-5 if dtype == "float32" else 1e-3)
    y.fill(np.nan)
    layernorm(x, weight, bias, y, 1e-5, columns, chip)
    centred = exact - exact.mean(axis=1, keepdims=True)
    assert_close(y.astype(np.float64), normalised(centred) * of_weight + of_bias, 1e-5 if dtype == "float32" else 1e-3)


def main() -> None:
    choose_chip()
    rng = np.random.default_rng()
    for dtype in ("float32", "float16"):
        for columns in (odd(rng, 2000), 8 * odd(rng, 500)):
            rows = odd(rng, 60)
            check(rng, rows, columns, dtype)
            print(f"norms of {rows} rows of {columns} {dtype}: equal to NumPy in float64, within rounding")


if __name__ == "__main__":
    main()
