"""Pointers keep the numeric type of their elements, whose MLIR type has no sign."""

from __future__ import annotations

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 37


@flyc.kernel
def walk_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    here = fx.get_iter(x) + i
    y[i, 0] = fx.Float64(here.load())
    y[i, 1] = fx.Float64(here[1])
    for _ in range(i % 3):
        here = here + 1
    y[i, 2] = fx.Float64(here.load())


@flyc.jit
def walk(x: fx.Tensor, y: fx.Tensor):
    walk_kernel(x, y).launch(grid=1, block=N)


def test_a_moved_pointer_to_unsigned_integers_reads_unsigned_ones():
    x = np.random.default_rng(0).integers(2**31, 2**32, N + 2).astype(np.uint32)
    y = np.zeros((N, 3))
    walk(x, y)
    i = np.arange(N)
    np.testing.assert_array_equal(y, np.stack([x[i], x[i + 1], x[i + i % 3]], axis=1).astype(np.float64))


@flyc.kernel
def by_number_kernel(x: fx.Tensor, y: fx.Tensor, zero: fx.Int32):
    """Each thread has two numbers in shared memory, and knows them by two addresses."""
    i = fx.thread_idx.x
    memory = fx.SharedAllocator().allocate(fx.Array[fx.Int32, 128])
    memory[i], memory[i + 64] = x[i], x[i + 64]
    fx.barrier()
    number = fx.ptrtoint(memory.ptr)
    same = fx.inttoptr(fx.PointerType.get(fx.Int32, fx.AddressSpace.Shared, 4), number + number.dtype(zero))
    first = memory[2 * i]
    same[2 * i + 1] = first + 7
    second = memory[2 * i + 1]
    same[2 * i] = second * 3
    memory[2 * i] = second + memory[2 * i]
    fx.barrier()
    y[i] = memory[2 * i]


@flyc.jit
def by_number(x: fx.Tensor, y: fx.Tensor, zero: fx.Int32):
    by_number_kernel(x, y, zero).launch(grid=1, block=64)


def test_a_pointer_that_was_a_number_leads_to_the_same_memory():
    x, y = np.arange(128, dtype=np.int32), np.zeros(64, np.int32)
    by_number(x, y, 0)
    np.testing.assert_array_equal(y, 4 * (x[::2] + 7))
