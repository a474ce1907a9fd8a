"""Threads that wait for each other: barriers, shuffles, and what can never go on."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import SynchronizationError


def launch(kernel, x, block=8):
    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=block)

    flyc.interpret(host)(x)


@flyc.kernel
def reverse(x: fx.Tensor):
    i = fx.thread_idx.x
    value = x[i]
    fx.gpu.barrier()
    x[7 - i] = value
    fx.gpu.barrier()
    if i < 4:
        x[i] = x[i] + x[i + 4]


@flyc.kernel
def half_waits(x: fx.Tensor):
    if fx.thread_idx.x < 4:
        fx.gpu.barrier()
    x[fx.thread_idx.x] = 1.0


def test_every_thread_passes_a_barrier_before_any_goes_on():
    x = np.arange(8.0)
    launch(reverse, x)
    np.testing.assert_array_equal(x, [10, 8, 6, 4, 3, 2, 1, 0])


def test_a_barrier_that_some_threads_do_not_reach_is_an_error():
    with pytest.raises(SynchronizationError) as caught:
        launch(half_waits, np.zeros(8))
    assert "fx.gpu.barrier()" in str(caught.value)
