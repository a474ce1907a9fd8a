"""Threads that read and write their own rows at dynamic and at fixed indices see their own stores, in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

THREADS, WIDTH = 64, 4


@flyc.kernel
def sort_kernel(y: fx.Tensor):
    t = fx.thread_idx.x
    for i in fx.range_constexpr(WIDTH):
        least = fx.Int32(i)
        for j in fx.range_constexpr(i + 1, WIDTH):
            if y[t * WIDTH + j] < y[t * WIDTH + least]:
                least = fx.Int32(j)
        first = y[t * WIDTH + i]
        y[t * WIDTH + i] = y[t * WIDTH + least]
        y[t * WIDTH + least] = first


@flyc.jit
def sort_rows(y: fx.Tensor):
    sort_kernel(y).launch(grid=1, block=THREADS)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("given", [lambda y: y, flyc.from_dlpack], ids=["dynamic", "static"])
def test_each_thread_sorts_its_row(rng: np.random.Generator, dtype: str, given: Callable[[Any], Any]) -> None:
    y = rng.integers(0, 100, THREADS * WIDTH).astype(dtype)
    expected = np.sort(y.reshape(-1, WIDTH), axis=1)
    sort_rows(given(y))
    np.testing.assert_array_equal(y.reshape(-1, WIDTH), expected)


@flyc.kernel
def bump_kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, one: fx.Constexpr[bool]):
    t = fx.block_idx.x * THREADS + fx.thread_idx.x
    other = y if one else z
    first = y[t * 2]
    other[t * 2 + x[t] % 2] = x[t]
    y[t * 2] = first + other[t * 2 + 1]


@flyc.jit
def bump(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, one: fx.Constexpr[bool]):
    bump_kernel(x, y, z, one).launch(grid=2, block=THREADS)


@pytest.mark.parametrize("shared", ["one argument", "one array twice", "two arrays"])
def test_a_store_at_a_dynamic_index_is_read_at_a_fixed_one(rng: np.random.Generator, shared: str) -> None:
    n = np.arange(2 * THREADS)
    x = rng.integers(0, 1000, len(n)).astype(np.int32)
    y = rng.integers(0, 1000, 2 * len(n)).astype(np.int32)
    z = rng.integers(0, 1000, 2 * len(n)).astype(np.int32) if shared == "two arrays" else y
    sums = y.copy()
    marks = z.copy() if z is not y else sums
    first = sums[::2].copy()
    marks[2 * n + x % 2] = x
    sums[::2] = first + marks[1::2]
    bump(x, y, z, shared == "one argument")
    np.testing.assert_array_equal(y, sums)
    np.testing.assert_array_equal(z, marks)


@flyc.kernel
def held_kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    t = fx.thread_idx.x
    held = fx.make_rmem_tensor(8, fx.Int32)
    shared = fx.SharedAllocator().allocate(fx.Array[fx.Int32, THREADS * 8])
    for k in fx.range_constexpr(8):
        held[k] = fx.Int32(0)
        shared[t * 8 + k] = fx.Int32(0)
    held[x[t] & 7] = x[t]
    held[4] = t
    shared[t * 8 + (x[t] & 3)] = t
    shared[t * 8 + 2] = shared[t * 8 + 1] + 1
    fx.barrier()
    for k in fx.range_constexpr(8):
        y[t, k] = held[k]
        z[t, k] = shared[t * 8 + k]


@flyc.jit
def keep(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    held_kernel(x, y, z).launch(grid=1, block=THREADS)


def test_registers_and_shared_memory_keep_what_was_stored_before_a_barrier(rng: np.random.Generator) -> None:
    x = rng.integers(0, 1000, THREADS).astype(np.int32)
    y, z = (np.full((THREADS, 8), -1, np.int32) for _ in range(2))
    keep(x, y, z)
    t = np.arange(THREADS)
    held, shared = np.zeros((2, THREADS, 8), np.int32)
    held[t, x & 7] = x
    held[:, 4] = t
    shared[t, x & 3] = t
    shared[:, 2] = shared[:, 1] + 1
    np.testing.assert_array_equal(y, held)
    np.testing.assert_array_equal(z, shared)
