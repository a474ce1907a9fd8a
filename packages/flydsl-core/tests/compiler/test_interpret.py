"""`flyc.interpret`: one call, a method, and what it does not take."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, OutOfBoundsError


@flyc.kernel
def double(x: fx.Tensor, n: fx.Int32):
    i = fx.thread_idx.x
    if i < n:
        x[i] = x[i] * 2


@flyc.jit
def host(x: fx.Tensor, n: fx.Int32 = 3):
    double(x, n).launch(grid=1, block=8)


class Model:
    @flyc.jit
    def run(self, x: fx.Tensor):
        double(x, 2).launch(grid=1, block=4)


def test_a_call_computes_without_a_backend():
    x = np.arange(8, dtype=np.float32)
    flyc.interpret(host)(x)
    np.testing.assert_array_equal(x, [0, 2, 4, 3, 4, 5, 6, 7])
    flyc.interpret(host)(x, n=1)
    np.testing.assert_array_equal(x[:2], [0, 2])


def test_every_access_is_checked():
    with pytest.raises(OutOfBoundsError, match=r"kernel 'double_0', block \(0, 0, 0\), thread \(4, 0, 0\)"):
        flyc.interpret(host)(np.zeros(4, np.float32), 8)


def test_a_block_interprets_its_calls():
    x = np.ones(8, np.float32)
    with flyc.interpret():
        host(x, 8)
    assert (x == 2).all()


def test_other_functions_are_refused():
    with pytest.raises(ArgumentError, match="interpret takes a function decorated with @flyc.jit, found function"):
        flyc.interpret(test_every_access_is_checked)
