"""Helpers that a function of Python calls, such as `map`: rewritten where that is possible, else a clear error."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def doubled_where_positive(value):
    if value > 0:
        return value * 2
    return value


def larger(a, b):
    if a > b:
        return a
    return b


@flyc.kernel
def calls_through_python(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    values = list(map(doubled_where_positive, [x[i], x[i] - 5.0]))
    y[i] = functools.reduce(larger, [*values, fx.Float32(1.0)])


def test_functions_that_map_and_reduce_call_are_rewritten():
    x, y = np.arange(-8, 8).astype(np.float32), np.zeros(16, np.float32)

    @flyc.jit
    def run(x: fx.Tensor, y: fx.Tensor):
        calls_through_python(x, y).launch(grid=1, block=16)

    run(x, y)
    both = np.stack([x, x - 5])
    np.testing.assert_array_equal(y, np.maximum(np.where(both > 0, 2 * both, both).max(0), 1))


@flyc.kernel
def sorts(x: fx.Tensor):
    x[0] = sorted([x[0], x[1]], key=doubled_where_positive)[0]


@flyc.kernel
def filters(x: fx.Tensor):
    x[0] = next(filter(lambda value: value > 0, [x[0], x[1]]))


@pytest.mark.parametrize(("kernel", "message"), [
    (sorts, "known while tracing.*; doubled_where_positive runs as plain Python: a function of Python called it"),
    (filters, "a Python condition needs a value known while tracing"),
])  # fmt: skip
def test_a_condition_of_run_time_in_what_python_calls_says_so(kernel, message):
    @flyc.jit
    def run(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match=message) as caught:
        run(np.zeros(2, np.float32))
    assert caught.value.location.file == __file__
