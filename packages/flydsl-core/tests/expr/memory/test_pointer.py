"""Pointers: offsets in elements, loads as other types, addresses as integers."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def run(body, *arrays):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        body(fx.get_iter(x), fx.get_iter(y))

    launch(kernel, *arrays, block=1)


def test_offsets_count_elements():
    def body(x, y):
        y[0] = x[2]
        (y + 1).store((x + 3).load())
        fx.ptr_store(fx.ptr_load(x) + 10, y + 2)

    x, y = np.array([5, 6, 7, 8], np.int32), np.zeros(3, np.int32)
    run(body, x, y)
    assert y.tolist() == [7, 8, 15]


def test_a_recast_pointer_reads_the_bits_of_another_type():
    def body(x, y):
        y[0] = fx.recast_iter(fx.Int32, x).load()

    x, y = np.array([1.0], np.float32), np.zeros(1, np.int32)
    run(body, x, y)
    assert y[0] == 0x3F800000


def test_a_view_of_a_pointer_is_a_tensor():
    def body(x, y):
        y[0] = x.view(fx.make_layout((2, 2), (1, 2)))[1, 1]

    y = np.zeros(1, np.int32)
    run(body, np.array([5, 6, 7, 8], np.int32), y)
    assert y[0] == 8


@pytest.mark.parametrize("function", [fx.ptr_load, fx.ptrtoint])
def test_other_values_are_no_pointers(emitted, function):
    with pytest.raises(FrontendError):
        emitted(function, fx.Int32)
