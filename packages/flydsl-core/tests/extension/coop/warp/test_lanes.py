"""Lanes of groups, and which of them have threads."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.warp import lanes


@pytest.mark.parametrize("block", [1, 5, 32, 33, 50])
@pytest.mark.parametrize("group", [1, 4, 32])
def test_a_group_has_the_threads_that_the_block_gives_it(block: int, group: int) -> None:
    @flyc.kernel
    def run(y: fx.Tensor):
        i = fx.thread_idx.x
        threads = lanes.filled(group)
        y[0, i] = group if threads is None else threads
        y[1, i] = lanes.last_counted(3, group, threads)

    y = np.zeros((2, block), np.int32)
    launch(run, y, block=block)
    expected = [min(group, block - i // group * group) for i in range(block)]
    assert y[0].tolist() == expected
    assert y[1].tolist() == [min(3, threads) - 1 for threads in expected]


def test_a_lane_that_has_no_thread_has_nothing_to_broadcast() -> None:
    @flyc.kernel
    def run(y: fx.Tensor):
        y[fx.thread_idx.x] = fx.coop.warp_broadcast(fx.thread_idx.x, 25)

    with pytest.raises(ValueError, match="lane 25 of the last group of 32 lanes has no thread: a block of 20 threads"):
        launch(run, np.zeros(20, np.int32), block=20)
