"""Softmax, its logarithm, RMS and layer normalisation of rows whose length is known while compiling, read once.

The row stays in the registers of its threads, or near them, between the reductions and what is made of it: see
`held_rows.py`, and `row_plans.py` for how it is spread. Rows of any length, which are read twice, have `09_softmax.py`,
`10_rmsnorm.py` and `11_layernorm.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from held_rows import LOWEST, Row, add, fold, largest, marked, moments, reduce_each, reduce_row
from row_plans import RowPlan, plan_for, plan_for_norm
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

LOG2_E = math.log2(math.e)
WEIGHTS = 40  # exponentials of a thread that are kept in registers; more are computed again
BEFORE = -1.0e37  # the largest element before the first: relative to it, what is behind the end has no weight
CHAINS = 4
APPROXIMATE = fx.FastMathFlags.afn


def quotient(a: Any, b: Any) -> Any:
    with fx.fastmath(APPROXIMATE):
        return a / b


def exp2(values: Any) -> Any:
    return fx.exp2(values, fastmath=APPROXIMATE)


def met(state: tuple[Any, Any], piece: Any, values: Any) -> tuple[Any, Any]:
    """The largest element so far, and the sum of exponentials relative to it."""
    before, total = state
    peak = largest(before, reduce_each(values, largest))
    weights = exp2(fx.fma(values, LOG2_E, -peak * LOG2_E))
    return peak, total * exp2((before - peak) * LOG2_E) + reduce_each(weights, add)


@flyc.kernel
def softmax_kernel(x: fx.Tensor, y: fx.Tensor, plan: fx.Constexpr[RowPlan], is_logarithm: fx.Constexpr[bool]) -> None:
    """Each piece is met once, and the sum scaled down when a larger element appears."""
    row_x, row_y = Row(x, plan), Row(y, plan)
    row_x.keep()
    own, total = fold(row_x, met, (fx.Float32(BEFORE), fx.Float32(0)), LOWEST)
    (peak,) = reduce_row([(own, largest)], plan)
    (total,) = reduce_row([(total * exp2((own - peak) * LOG2_E), add)], plan)
    if fx.const_expr(is_logarithm):
        shift = peak + fx.log(total, fastmath=APPROXIMATE)
        fold(row_x, lambda _, piece, values: row_y.store(piece, values - shift), None, LOWEST)
    else:
        scale, power = quotient(1, total), -peak * LOG2_E

        def write(_: Any, piece: Any, values: Any) -> None:
            row_y.store(piece, exp2(fx.fma(values, LOG2_E, power)) * scale)

        fold(row_x, write, None, LOWEST)


@flyc.kernel
def short_softmax_kernel(x: fx.Tensor, y: fx.Tensor, plan: fx.Constexpr[RowPlan]) -> None:
    """Every exponential is computed once: all of them stay in registers."""
    row_x, row_y = Row(x, plan), Row(y, plan)
    row_x.keep()
    values = [row_x.values(piece, LOWEST) for piece in range(row_x.pieces)]
    each = fx.Vector.from_elements([reduce_each(part, largest) for part in values])
    (peak,) = reduce_row([(reduce_each(each, largest), largest)], plan)
    weights = [exp2(fx.fma(part, LOG2_E, -peak * LOG2_E)) for part in values]
    sums = fx.Vector.from_elements([reduce_each(part, add) for part in weights])
    (total,) = reduce_row([(reduce_each(sums, add), add)], plan)
    scale = quotient(1, total)
    for piece in fx.range_constexpr(row_x.pieces):
        row_y.store(piece, weights[piece] * scale)


@flyc.jit
def softmax(
    x: fx.Tensor,
    y: fx.Tensor,
    plan: fx.Constexpr[RowPlan],
    is_logarithm: fx.Constexpr[bool] = False,
    stream: fx.Stream = fx.Stream(None),
) -> None:
    if fx.const_expr(not is_logarithm and not plan.paced and plan.columns <= WEIGHTS * plan.threads):
        kernel = short_softmax_kernel(x, y, plan)
    else:
        kernel = softmax_kernel(x, y, plan, is_logarithm)
    kernel.launch(grid=plan.blocks(x.shape[0]), block=plan.size, smem=plan.smem, stream=stream)


def squares(total: Any, values: Any) -> Any:
    """The sum of the squares of a piece, by several chains of multiply-adds."""
    chains = [total, *[fx.Float32(0)] * (CHAINS - 1)]
    for i in range(values.numel):
        chains[i % CHAINS] = fx.fma(values[i], values[i], chains[i % CHAINS])
    return reduce_each(fx.Vector.from_elements(chains, fx.Float32), add)


@flyc.kernel
def rmsnorm_kernel(
    x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor, epsilon: fx.Float32, plan: fx.Constexpr[RowPlan]
) -> None:
    row_x, row_w, row_y = Row(x, plan), Row(weight, plan, is_vector=True), Row(y, plan)
    row_x.keep()
    if fx.const_expr(plan.early):
        row_w.keep()
    sums = fold(row_x, lambda total, _, values: squares(total, values), fx.Float32(0), 0)
    (total,) = reduce_row([(sums, add)], plan)
    scale = fx.rsqrt(total * (1 / plan.columns) + epsilon, fastmath=APPROXIMATE)
    fold(row_x, lambda _, piece, values: row_y.store(piece, values * scale * row_w.values(piece, 0)), None, 0)


@flyc.jit
def rmsnorm(
    x: fx.Tensor,
    weight: fx.Tensor,
    y: fx.Tensor,
    epsilon: fx.Float32,
    plan: fx.Constexpr[RowPlan],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    rmsnorm_kernel(x, weight, y, epsilon, plan).launch(
        grid=plan.blocks(x.shape[0]), block=plan.size, smem=plan.smem, stream=stream
    )


@flyc.kernel
def layernorm_kernel(
    x: fx.Tensor, weight: fx.Tensor, bias: fx.Tensor, y: fx.Tensor, epsilon: fx.Float32, plan: fx.Constexpr[RowPlan]
) -> None:
    row_x, row_w, row_b, row_y = (
        Row(x, plan),
        Row(weight, plan, is_vector=True),
        Row(bias, plan, is_vector=True),
        Row(y, plan),
    )
    row_x.keep()
    if fx.const_expr(plan.early):
        row_w.keep()
        row_b.keep()
    sums = fold(row_x, lambda total, _, values: total + reduce_each(values, add), fx.Float32(0), 0)

    def distances(mean: Any) -> Any:
        """Of a thread's elements from a number, squared and summed; behind the end of the row they are 0."""
        return fold(row_x, lambda total, _, values: squares(total, values - mean), fx.Float32(0), mean)

    mean, total = moments(row_x, sums, distances)
    scale = fx.rsqrt(total * (1 / plan.columns) + epsilon, fastmath=APPROXIMATE)

    def write(_: Any, piece: Any, values: Any) -> None:
        row_y.store(piece, fx.fma(values - mean, row_w.values(piece, 0) * scale, row_b.values(piece, 0)))

    fold(row_x, write, None, 0)


@flyc.jit
def layernorm(
    x: fx.Tensor,
    weight: fx.Tensor,
    bias: fx.Tensor,
    y: fx.Tensor,
    epsilon: fx.Float32,
    plan: fx.Constexpr[RowPlan],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    kernel = layernorm_kernel(x, weight, bias, y, epsilon, plan)
    kernel.launch(grid=plan.blocks(x.shape[0]), block=plan.size, smem=plan.smem, stream=stream)


def check(
    rng: np.random.Generator,
    rows: int,
    columns: int,
    threads: int = 0,
    held: int = 64,
    shared: int = 0,
    dtype: str = "float32",
    paced: bool = False,
) -> None:
    """The four functions of one random matrix against NumPy in float64; without `threads` by the plans for a width."""
    width = columns, np.dtype(dtype).itemsize
    norms = {name: plan_for_norm(*width, weights=count) for name, count in (("rmsnorm", 1), ("layernorm", 2))}
    given = RowPlan(columns, threads, held, shared, piece=2, block=128, paced=paced) if threads else None
    x = (3 + 2 * rng.standard_normal((rows, columns))).astype(dtype)
    weight, bias = (rng.standard_normal(columns).astype(dtype) for _ in range(2))
    exact, tolerance = x.astype(np.float64), 2e-5 if dtype == "float32" else 2e-3
    centred = exact - exact.mean(axis=1, keepdims=True)
    deviation = np.sqrt(np.mean(centred * centred, axis=1, keepdims=True) + 1e-5)
    root = np.sqrt(np.mean(exact * exact, axis=1, keepdims=True) + 1e-5)
    shifted = exact - exact.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    expected = {
        "softmax": np.exp(shifted) / total,
        "log_softmax": shifted - np.log(total),
        "rmsnorm": exact / root * weight.astype(np.float64),
        "layernorm": centred / deviation * weight.astype(np.float64) + bias.astype(np.float64),
    }
    for name, result in expected.items():
        framed = np.full((rows + 2, columns), -1, dtype)  # nothing outside of y may be written
        values, slope, shift, result_y = [marked(array, x.itemsize) for array in (x, weight, bias, framed[1:-1])]
        run(name, values, slope, shift, result_y, given or norms.get(name) or plan_for(*width, paced=paced))
        assert_close(framed.astype(np.float64), np.pad(result, ((1, 1), (0, 0)), constant_values=-1), tolerance)


def run(name: str, x: Any, weight: Any, bias: Any, y: Any, plan: RowPlan) -> None:
    """One of the four by its name."""
    if name == "rmsnorm":
        rmsnorm(x, weight, y, 1e-5, plan)
    elif name == "layernorm":
        layernorm(x, weight, bias, y, 1e-5, plan)
    else:
        softmax(x, y, plan, name == "log_softmax")


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for dtype in ("float32", "float16"):
        for columns in (odd(rng, 500), 8 * odd(rng, 300), 4096):
            rows = odd(rng, 30)
            check(rng, rows, columns, dtype=dtype)
            check(rng, rows, columns, dtype=dtype, paced=True)
            print(f"{rows} rows of {columns} {dtype}: equal to NumPy in float64, within rounding")


if __name__ == "__main__":
    main()
