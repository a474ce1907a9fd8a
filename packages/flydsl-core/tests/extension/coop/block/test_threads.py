"""Threads in the order of their block, and accesses of some of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.block.threads import linear_thread, load_if, store_if


@pytest.mark.parametrize("size", [(8, 1, 1), (1, 1, 1), (4, 3, 1), (2, 3, 4), (1, 5, 1), (1, 1, 7)])
def test_threads_are_counted_along_x_then_y_then_z(size: tuple[int, int, int]) -> None:
    @flyc.kernel
    def run(x: fx.Tensor):
        t, n = fx.thread_idx, fx.block_dim
        x[t.x + n.x * (t.y + n.y * t.z)] = linear_thread(size)

    x = np.full(int(np.prod(size)), -1, np.int32)
    launch(run, x, block=size)
    np.testing.assert_array_equal(x, np.arange(len(x)))


def test_only_some_threads_store_and_load() -> None:
    @flyc.kernel
    def run(x: fx.Tensor):
        i = fx.thread_idx.x
        array: Any = fx.SharedAllocator().allocate(fx.Array[fx.Int32, 4])
        store_if(i % 8 == 0, array, i // 8, i + 100)
        fx.barrier()
        x[i] = load_if(i >= 30, array, i % 4, fx.Int32(-1))

    x = np.zeros(32, np.int32)
    launch(run, x)
    np.testing.assert_array_equal(x, [-1] * 30 + [116, 124])
