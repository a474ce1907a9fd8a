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
