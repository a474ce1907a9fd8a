"""Sums, least and greatest values of warps and blocks by name: what NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 128


def launched(kernel: Any, *arrays: np.ndarray) -> None:
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=N)

    flyc.jit(host)(*arrays)


@pytest.mark.parametrize("names", ["coop", "universal"])
def test_of_warps(rng: np.random.Generator, names: str) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        coop = fx.coop if fx.const_expr(names == "coop") else fx.coop.universal
        i = fx.thread_idx.x
        value = x[i]
        head = i % 5 == 0
        y[i, 0] = coop.warp_sum(value, width=16)
        y[i, 1] = coop.warp_max(value, width=16)
        y[i, 2] = coop.warp_min(value, width=16)
        y[i, 3] = coop.warp_inclusive_sum(value, width=16)
        y[i, 4] = coop.warp_exclusive_sum(value, width=16, init=3)
        y[i, 5] = coop.warp_head_segmented_sum(value, head, width=16)
        y[i, 6] = coop.warp_tail_segmented_sum(value, head, width=16)
        y[i, 7] = coop.warp_sum_batched([value, value * 2], width=16)
        y[i, 8] = coop.WarpReduce[fx.Int32, 16].sum(value, storage=None) + coop.WarpReduce[fx.Int32, 16].max(value)
        y[i, 9] = coop.WarpScan[fx.Int32, 16].exclusive_sum(value) + coop.WarpReduceBatched[fx.Int32, 16, 1].sum(
            [value]
        )

    x, y = rng.integers(-99, 99, N).astype(np.int32), np.zeros((N, 10), np.int32)
    launched(kernel, x, y)
    rows = x.reshape(-1, 16)
    total, sums = np.repeat(rows.sum(1), 16), rows.cumsum(1).reshape(-1)
    np.testing.assert_array_equal(y[:, 0], total)
    np.testing.assert_array_equal(y[:, 1], np.repeat(rows.max(1), 16))
    np.testing.assert_array_equal(y[:, 2], np.repeat(rows.min(1), 16))
    np.testing.assert_array_equal(y[:, 3], sums)
    np.testing.assert_array_equal(y[:, 4], sums - x + 3)
    heads = [i for i in range(N) if i % 16 == 0 or i % 5 == 0]
    np.testing.assert_array_equal(y[heads, 5], np.add.reduceat(x, heads))
    starts = [i for i in range(N) if i % 16 == 0 or i % 5 == 1]
    np.testing.assert_array_equal(y[starts, 6], np.add.reduceat(x, starts))
    np.testing.assert_array_equal(y[::16, 7], rows.sum(1))
    np.testing.assert_array_equal(y[1::16, 7], 2 * rows.sum(1))
    np.testing.assert_array_equal(y[:, 8], total + y[:, 1])
    np.testing.assert_array_equal(y[:, 9][::16], rows.sum(1))


def test_of_blocks(rng: np.random.Generator) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        value = x[i]
        scan, sort = fx.coop.BlockScan[fx.Int32, N], fx.coop.BlockRadixSort[fx.Int32, N, 1]
        y[i, 0] = fx.coop.BlockReduce[fx.Int32, N].sum(value)
        y[i, 1] = scan.inclusive_sum(value)
        y[i, 2] = scan.exclusive_sum(value, init=7)
        y[i, 3] = scan.inclusive_sum_with_aggregate(value)[1]
        y[i, 4] = scan.exclusive_sum_with_aggregate(value)[0]
        storage = fx.SharedAllocator().allocate(sort.SharedStorage).peek()
        y[i, 5] = sort.sort_descending([value], storage=storage)[0]

    x, y = rng.integers(-99, 99, N).astype(np.int32), np.zeros((N, 6), np.int32)
    launched(kernel, x, y)
    sums = x.cumsum()
    expected = [np.full(N, x.sum()), sums, sums - x + 7, np.full(N, x.sum()), sums - x, np.sort(x)[::-1]]
    np.testing.assert_array_equal(y.T, expected)


def test_storage_without_bytes() -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        allocator = fx.SharedAllocator()
        nothing = allocator.allocate(fx.Empty)
        nothing.poke(fx.Empty())
        value = nothing.peek()
        if x[0] > 0:
            value = fx.Empty()
        y[fx.thread_idx.x] = x[0] + int(value == fx.Empty()) + allocator.allocated_bytes

    x, y = np.full(1, 4, np.int32), np.zeros(N, np.int32)
    launched(kernel, x, y)
    assert y.tolist() == [5] * N
