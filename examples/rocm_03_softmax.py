"""Softmax of every row of a matrix on AMD GPUs, one block a row, which it reads once: y = exp(x - max(x)) / sum(...).

The row stays in registers, maximum and sum are combined by DPP, and exp(x) = 2^(x log2(e)) is a multiply-add and one
instruction of the transcendental unit for each element. `09_softmax.py` is the same for any target, and for rows of any
length.
"""

from __future__ import annotations

import numpy as np
from rocm_rows import BLOCK, LOG2_E, LOWEST, Row, add, exp2, largest, reduce_block, reduce_each
from rocm_workbench import choose_chip
from workbench import assert_close, odd

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def softmax_kernel(x: fx.Tensor, y: fx.Tensor, columns: int, chip: str) -> None:
    row_x, row_y = (Row(tensor[fx.block_idx.x, None], columns) for tensor in (x, y))
    values = row_x.inside(row_x.load(), LOWEST)
    (peak,) = reduce_block([(reduce_each(values, largest), largest)], chip)
    weights = exp2(fx.fma(values, LOG2_E, -peak * LOG2_E))
    (total,) = reduce_block([(reduce_each(weights, add), add)], chip)
    row_y.store(weights * fx.rocdl.rcp(total))


@flyc.jit
def softmax(
    x: fx.Tensor,
    y: fx.Tensor,
    columns: fx.Constexpr[int],
    chip: fx.Constexpr[str],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    softmax_kernel(x, y, columns, chip).launch(grid=x.shape[0], block=BLOCK, stream=stream)


def check(rng: np.random.Generator, rows: int, columns: int, dtype: str = "float32") -> None:
    """One random matrix against NumPy in float64."""
    chip = choose_chip()
    x = (10 * rng.standard_normal((rows, columns))).astype(dtype)
    framed = np.full((rows + 2, columns), -1, dtype)  # nothing outside of y may be written
    softmax(x, framed[1:-1], columns, chip)
    exact = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    exact = np.pad(exact / exact.sum(axis=1, keepdims=True), ((1, 1), (0, 0)), constant_values=-1)
    assert_close(framed, exact, 1e-5 if dtype == "float32" else 1e-3)


def main() -> None:
    choose_chip()
    rng = np.random.default_rng()
    for dtype in ("float32", "float16"):
        for columns in (odd(rng, 2000), 8 * odd(rng, 500)):
            rows = odd(rng, 60)
            check(rng, rows, columns, dtype)
            print(f"softmax of {rows} rows of {columns} {dtype}: equal to NumPy in float64, within rounding")


if __name__ == "__main__":
    main()
