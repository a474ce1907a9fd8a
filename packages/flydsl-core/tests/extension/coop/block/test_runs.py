"""Runs of a block's values."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.block.block import Block
from flydsl.extension.coop.block.runs import counted, run_of_lane


@pytest.mark.parametrize("threads", [64, 50])
def test_lanes_of_the_first_warp_have_a_run_each(threads: int) -> None:
    @flyc.kernel
    def run(y: fx.Tensor):
        i = fx.thread_idx.x
        slots = fx.SharedAllocator().allocate(fx.Array[fx.Int32, threads]).peek()
        slots[i] = i
        fx.barrier()
        first, values = run_of_lane(Block(i, i // 32, i % 32, 32, 2, threads, None), slots, fx.Int32(-1))
        y[0, i], y[1, i], y[2, i] = first, *values

    y = np.zeros((3, threads), np.int32)
    launch(run, y, block=threads)
    positions = np.arange(64).reshape(32, 2)
    np.testing.assert_array_equal(y[0, :32], positions[:, 0])
    np.testing.assert_array_equal(y[1:, :32].T, np.where(positions < threads, positions, -1))
    assert (y[1:, 32:] == -1).all()


def test_all_count_where_runs_are_whole() -> None:
    whole, rest = (Block(*[fx.Int32(0)] * 3, 32, 2, threads, None) for threads in (64, 50))
    assert counted(whole, None) is None
    assert int(counted(rest, None) or 0) == 50
    assert [int(counted(rest, fx.Int32(valid)) or 0) for valid in (7, 60)] == [7, 50]
