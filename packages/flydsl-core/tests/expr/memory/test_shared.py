"""Shared memory: allocations are aligned, apart, and seen by all threads of a block."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError


@flyc.kernel
def reverse(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    shared = fx.SharedAllocator()
    one = shared.allocate(fx.Array[fx.Float32, 32])
    two = shared.allocate(fx.Array[fx.Float32, 32])
    one[i] = x[i]
    two[i] = x[i] * 10.0
    fx.gpu.barrier()
    y[i] = one[31 - i] + two[i]


def test_threads_exchange_through_two_arrays():
    x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    launch(reverse, x, y)
    np.testing.assert_array_equal(y, x[::-1] + 10 * x)


def test_allocations_are_aligned_and_counted(emitted):
    def run():
        shared = fx.SharedAllocator()
        shared.allocate(fx.Int8)
        first = shared.allocated_bytes
        shared.allocate(fx.Float64)
        shared.allocate(16, 32)
        return first, shared.allocated_bytes

    first, all_bytes = emitted(run).result
    assert 1 <= first < all_bytes
    assert all_bytes >= 1 + 8 + 16


@pytest.mark.parametrize("size", [-1, 2.5])
def test_a_number_of_bytes_is_an_integer(emitted, size):
    with pytest.raises((FrontendError, TypeError, ValueError)):
        emitted(lambda: fx.SharedAllocator().allocate(size))
