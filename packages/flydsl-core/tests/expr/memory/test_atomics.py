"""Atomic operations on memory that threads share."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

CASES = {
    "atomic_add": (np.add.reduce, 10),
    "atomic_max": (np.maximum.reduce, -5),
    "atomic_min": (np.minimum.reduce, 5),
    "atomic_or": (np.bitwise_or.reduce, 0),
    "atomic_xor": (np.bitwise_xor.reduce, 3),
    "atomic_and": (np.bitwise_and.reduce, -1),
}


@pytest.mark.parametrize("name", list(CASES))
def test_every_thread_takes_part(name):
    function = getattr(fx, name)

    @flyc.kernel
    def update(x: fx.Tensor, y: fx.Tensor):
        function(fx.get_iter(x), y[fx.thread_idx.x])

    combine, start = CASES[name]
    x, y = np.array([start], np.int32), np.random.default_rng(0).integers(-9, 9, 32).astype(np.int32)
    launch(update, x, y)
    assert x[0] == combine(np.append(y, start).astype(np.int32))


def test_the_old_value_is_given_and_exchanged_only_where_it_is_expected():
    @flyc.kernel
    def swap(x: fx.Tensor, y: fx.Tensor):
        y[0] = fx.atomic_xchg(fx.get_iter(x), 7)
        y[1] = fx.atomic_sub(fx.get_iter(x), 2)

    x, y = np.array([3], np.int32), np.zeros(2, np.int32)
    launch(swap, x, y, block=1)
    assert (x.tolist(), y.tolist()) == ([5], [3, 7])


def test_floats_have_no_bits_to_combine():
    @flyc.kernel
    def wrong(x: fx.Tensor):
        fx.atomic_and(fx.get_iter(x), 1)

    with pytest.raises(FrontendError):
        launch(wrong, np.zeros(1, np.float32), block=1)
