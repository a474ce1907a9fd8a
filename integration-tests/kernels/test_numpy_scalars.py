"""Scalars of NumPy as variables of kernels: carried by loops, joined by branches, held by containers and objects."""

from __future__ import annotations

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx


class Holder:
    def __init__(self):
        self.factors = [np.float32(1.5), np.int32(2), True]


HOLDER = Holder()


@flyc.kernel
def scalars(x: fx.Tensor, y: fx.Tensor):
    total, picked = np.float32(0.5), np.int64(3)
    weights = [np.float32(1), np.float32(2)]
    for i in range(fx.Int32(x.shape[0])):
        total = total + x[i] * weights[1]
        if x[i] > 1.0:
            picked = np.int64(4)
            weights[0] = weights[0] + np.float16(0.25)
            total = total + HOLDER.factors[0] * HOLDER.factors[1]
    y[0], y[1], y[2] = total, fx.Float32(picked), weights[0]
    y[3] = np.float32(2.5) if x[0] > 0.0 else np.float32(-2.5)
    y[4] = np.float32(np.nan) if x[0] > 0.0 else np.float64(0.125)


@flyc.jit
def launch(x: fx.Tensor, y: fx.Tensor):
    scalars(x, y).launch(grid=1, block=1)


def test_scalars_of_numpy_are_numbers_of_python():
    x = np.array([-1.0, 3.0, 0.5, 2.0, 1.25], np.float32)
    y = np.zeros(5, np.float32)
    launch(x, y)
    many = int((x > 1).sum())
    np.testing.assert_array_equal(y, [0.5 + 2 * x.sum() + 3 * many, 4, 1 + many / 4, -2.5, 0.125])
