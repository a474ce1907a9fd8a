"""The results of a mixture of experts put together: out[t] = sum over i of weights[t, i] * y[rows[t, i]].

After rocm_06_grouped_gemm.py each token has one row of y for each of the experts that it went to, at places which the
sorting decided. One block a token: its rows and weights are read by scalar loads, the rows of y by 16 bytes for each
lane. A row number below 0, as of an expert that took no more tokens, adds nothing.
"""

from __future__ import annotations

import numpy as np
from rocm_rows import BLOCK, Row
from rocm_workbench import choose_chip
from workbench import assert_close, odd

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def reduction_kernel(
    y: fx.Tensor, rows: fx.Tensor, weights: fx.Tensor, out: fx.Tensor, experts: int, columns: int
) -> None:
    token = fx.block_idx.x
    result = Row(out[token, None], columns)
    sums = fx.Vector.filled(result.vector * result.count, 0, fx.Float32)
    for i in fx.range_constexpr(experts):
        row = rows[token, i]
        weight = (row >= 0).select(weights[token, i], 0.0)
        sums = fx.fma(Row(y[fx.max(row, 0), None], columns).load(), weight, sums)
    result.store(sums)


@flyc.jit
def reduce_experts(
    y: fx.Tensor,
    rows: fx.Tensor,
    weights: fx.Tensor,
    out: fx.Tensor,
    experts: fx.Constexpr[int],
    columns: fx.Constexpr[int],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """`experts` of each token; `rows` (Int32) and `weights` (Float32) are (token, expert), y and out have `columns`."""
    reduction_kernel(y, rows, weights, out, experts, columns).launch(grid=out.shape[0], block=BLOCK, stream=stream)


def check(rng: np.random.Generator, tokens: int, experts: int, columns: int) -> None:
    """Random tokens against NumPy in float64."""
    choose_chip()
    y = rng.standard_normal((tokens * experts, columns)).astype(np.float16)
    rows = rng.permutation(tokens * experts).astype(np.int32).reshape(tokens, experts)
    rows[rng.random(rows.shape) < 0.2] = -1
    weights = rng.random(rows.shape, dtype=np.float32)
    framed = np.full((tokens + 2, columns), -1, np.float16)  # nothing outside of out may be written
    reduce_experts(y, rows, weights, framed[1:-1], experts, columns)
    exact = np.einsum("ti,tic->tc", np.where(rows < 0, 0, weights).astype(np.float64), y.astype(np.float64)[rows])
    assert_close(framed, np.pad(exact, ((1, 1), (0, 0)), constant_values=-1), 1e-3)


def main() -> None:
    choose_chip()
    rng = np.random.default_rng()
    for experts in (2, 5, 8):
        tokens, columns = odd(rng, 60), 2 * odd(rng, 900)
        check(rng, tokens, experts, columns)
        print(f"{tokens} tokens of {experts} experts, {columns} wide: equal to NumPy in float64, within 1e-3")


if __name__ == "__main__":
    main()
