"""Loops over `range` whose step is known only at run time, up and down, compared with Python's ranges."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

BOUNDS = [(0, 7, 1), (0, 7, 3), (7, 0, -1), (7, -1, -3), (0, 7, -1)]
BOUNDS += [(7, 0, 2), (3, 3, -2), (-5, 9, 4), (9, -6, -5), (4, 9, 0)]
FAR = [(2**31 - 2, 5, -(2**30)), (-(2**31), 2**30 - 9, 2**30), (-(2**31) + 3, -(2**31), -1)]


@flyc.kernel
def counted(bounds: fx.Tensor, sums: fx.Tensor, turns: fx.Tensor, unroll: fx.Constexpr[int]):
    i = fx.thread_idx.x
    count, total, last = 0, fx.Int64(0), 12345
    for k in range(bounds[i, 0], bounds[i, 1], bounds[i, 2], unroll=unroll):
        count += 1
        total = total * 3 + k
        last = k
    turns[i, 0], turns[i, 1], sums[i] = count, last, total


@flyc.kernel
def counted_until(bounds: fx.Tensor, sums: fx.Tensor, turns: fx.Tensor, unroll: fx.Constexpr[int]):
    i = fx.thread_idx.x
    count, total, last = 0, fx.Int64(0), 12345
    for k in range(bounds[i, 0], bounds[i, 1], bounds[i, 2]):
        if count == 1000:
            break
        count += 1
        total = total * 3 + k
        last = k
    turns[i, 0], turns[i, 1], sums[i] = count, last, total


@pytest.mark.parametrize(("kernel", "unroll"), [(counted, 1), (counted, 2), (counted_until, 1)])
def test_a_step_of_run_time_counts_either_way(kernel, unroll):
    cases = BOUNDS + FAR if (kernel, unroll) == (counted, 1) else BOUNDS
    bounds = np.array(cases, np.int32)
    sums, turns = np.zeros(len(cases), np.int64), np.zeros((len(cases), 2), np.int32)

    @flyc.jit
    def run(bounds: fx.Tensor, sums: fx.Tensor, turns: fx.Tensor):
        kernel(bounds, sums, turns, unroll).launch(grid=1, block=len(cases))

    run(bounds, sums, turns)
    for (start, stop, step), total, found in zip(cases, sums, turns, strict=True):
        numbers = list(range(start, stop, step)) if step else []  # on the device a step of 0 makes no turn
        reference = 0
        for k in numbers:
            reference = reference * 3 + k
        assert (total, *found) == (reference, len(numbers), numbers[-1] if numbers else 12345)


@flyc.kernel
def down(y: fx.Tensor):
    place = 0
    for k in range(fx.thread_idx.x, -8, -3):
        y[fx.thread_idx.x, place] = k
        place += 1  # noqa: SIM113 - the loop of a kernel


def test_a_static_step_counts_down_too():
    y = np.full((5, 8), 99, np.int32)

    @flyc.jit
    def run(y: fx.Tensor):
        down(y).launch(grid=1, block=5)

    run(y)
    for i, row in enumerate(y):
        numbers = list(range(i, -8, -3))
        assert list(row) == numbers + [99] * (8 - len(numbers))
