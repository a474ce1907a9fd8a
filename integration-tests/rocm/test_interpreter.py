"""The interpreter refuses what belongs to the target by name, and has waves of the target's size."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import IRError


def test_words_of_the_target_are_refused_by_name():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.rocdl.sched_barrier(0)

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    with pytest.raises(IRError, match=r"rocdl\.sched\.barrier is not known to the interpreter; a target's own word"):
        flyc.interpret(host)(np.zeros(1, np.int32))


def test_a_shuffle_goes_through_a_wave_of_the_target():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[fx.thread_idx.x] = fx.shuffle_xor(fx.thread_idx.x, 32)

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=128)

    x = np.zeros(128, np.int32)
    flyc.interpret(host)(x)
    np.testing.assert_array_equal(x, np.arange(128) ^ 32)
