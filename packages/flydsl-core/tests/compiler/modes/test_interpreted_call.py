"""Calls of the interpreter: arguments as memory, and what they become afterwards."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, UnsupportedTensorError


@flyc.kernel
def scale_kernel(x: fx.Tensor, y: fx.Tensor, factor: fx.Float64, times: fx.Constexpr[int]):
    i = fx.block_idx.x * 4 + fx.thread_idx.x
    if i < fx.size(x):
        y[i] = x[i] * factor * times


@flyc.jit
def scale(x: fx.Tensor, y: fx.Tensor, factor: fx.Float64, times: fx.Constexpr[int] = 1):
    scale_kernel(x, y, factor, times).launch(grid=(fx.size(x) + 3) // 4, block=4)


@pytest.mark.parametrize("step", [1, 2, -1])
def test_arrays_of_any_stride_are_read_and_written_in_place(step):
    data = np.random.default_rng(0).standard_normal(22)
    x, y = data[::step][:9], np.zeros(22)[::step][:9]
    flyc.interpret(scale)(x, y, 0.5, 3)
    np.testing.assert_array_equal(y, x * 0.5 * 3)


def test_a_read_only_array_cannot_be_written():
    x, y = np.ones(4), np.zeros(4)
    y.flags.writeable = False
    with pytest.raises(UnsupportedTensorError, match="argument 'y'"):
        flyc.interpret(scale)(x, y, 1.0)
    flyc.interpret(scale)(y, x, 1.0)
    assert (x == 0).all()


def test_arguments_are_checked_as_in_a_compiled_call():
    with pytest.raises(ArgumentError):
        flyc.interpret(scale)(np.ones(4), np.zeros(4), "text")
    with pytest.raises(ArgumentError, match="factor"):
        flyc.interpret(scale)(np.ones(4), np.zeros(4))
