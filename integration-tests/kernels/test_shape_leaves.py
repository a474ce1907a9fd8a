"""Extents and strides, as `x.shape[0]`, are numbers wherever one may stand."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 37


def first_written(kernel, static: bool = False) -> int:
    """What a single thread writes to element 0 of a vector of N zeros."""

    @flyc.jit
    def launch(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    x = np.zeros(N, np.int64)
    launch(flyc.from_dlpack(x) if static else x)
    return int(x[0])


@flyc.kernel
def by_name(x: fx.Tensor):
    n = x.shape[0]
    x[0] = fx.ceildiv(n, 8) + 10 * fx.shrui(n, 2) + 1000 * fx.ctpop(n) + 10_000 * n**2 + fx.absi(n)


@flyc.kernel
def halved(x: fx.Tensor):
    n = x.shape[0]
    steps = 0
    while n > 1:
        n = n // 2
        steps += 1
    x[0] = steps


@flyc.kernel
def counted(x: fx.Tensor):
    n, m = x.shape[0], fx.size(x)
    for i in range(x[0] + 5):
        n = n + i
        if i > 2:
            m = n
    x[0] = 1000 * m + n


@flyc.kernel
def chosen(x: fx.Tensor):
    n = fx.Int64(5)
    if x[0] == 0:
        n = x.shape[0]
    m = 3 if x[1] > 0 else x.shape[0]
    k = fx.ceil_div(x.shape[0], 2)
    if x[2] == 0:
        k = k - 1
    x[0] = 10_000 * k + 100 * m + n


@flyc.kernel
def one_of_two(x: fx.Tensor):
    n = x.shape[0] if x[0] == 0 else fx.size(x)
    x[0] = n


@pytest.mark.parametrize("static", [False, True])
def test_a_leaf_is_a_number(static: bool):
    assert first_written(by_name, static) == 5 + 90 + 3000 + 10_000 * N**2 + N
    assert first_written(halved, static) == 5
    assert first_written(counted, static) == 1000 * (N + 10) + N + 10
    assert first_written(chosen, static) == 10_000 * 18 + 100 * N + N
    assert first_written(one_of_two, static) == N


@flyc.kernel
def widened(x: fx.Tensor):
    for_total, while_total, scale = fx.Int32(x[0]), fx.Int32(x[1]), fx.Float32(x[2])
    for i in range(x.shape[0]):
        for_total = for_total + fx.Int64(2**33) * i
        scale = scale + fx.Float64(0.5)
    while while_total < N:
        while_total = while_total + fx.Int64(1)
    x[0] = for_total + while_total + fx.Int64(scale)


def test_a_loop_widens_what_was_dynamic_before_it():
    assert first_written(widened) == 2**33 * sum(range(N)) + N + N // 2
