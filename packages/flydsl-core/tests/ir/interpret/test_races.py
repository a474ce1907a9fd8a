"""Races in interpreted kernels: what is ordered passes, what is not names both lines."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import DataRaceError


def launch(kernel, *arrays, grid=1, block=4):
    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=grid, block=block)

    flyc.interpret(host)(*arrays)


@flyc.kernel
def neighbours(x: fx.Tensor):
    i = fx.thread_idx.x
    value = x[(i + 1) % 4]
    x[i] = value + 1


@flyc.kernel
def ordered(x: fx.Tensor):
    i = fx.thread_idx.x
    value = x[(i + 1) % 4]
    fx.gpu.barrier()
    x[i] = value + 1


@flyc.kernel
def same(x: fx.Tensor):
    x[0] = 1.0


@flyc.kernel
def own(x: fx.Tensor):
    x[fx.block_idx.x * 4 + fx.thread_idx.x] = 1.0


def test_a_read_and_a_write_of_two_threads_race():
    with pytest.raises(DataRaceError, match="data race on .*\n(.*\n)*and nothing orders that with") as caught:
        launch(neighbours, np.arange(4.0))
    assert "value = x[(i + 1) % 4]" in str(caught.value)
    assert "x[i] = value + 1" in str(caught.value)
    assert str(caught.value).count("  --> ") == 2


def test_a_barrier_orders_the_threads_of_a_block():
    x = np.arange(4.0)
    launch(ordered, x)
    np.testing.assert_array_equal(x, [2, 3, 4, 1])


@pytest.mark.parametrize(("grid", "block"), [(1, 2), (2, 1)])
def test_two_writes_race_in_a_block_and_between_blocks(grid, block):
    with pytest.raises(DataRaceError, match="writes it"):
        launch(same, np.zeros(1), grid=grid, block=block)


def test_launches_are_ordered_and_elements_of_ones_own_are_nobodys_business():
    x = np.zeros(8)
    launch(own, x, grid=2)
    launch(own, x, grid=2)
    assert (x == 1).all()
