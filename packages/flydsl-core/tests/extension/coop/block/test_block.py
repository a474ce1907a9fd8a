"""The calling thread in its block."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.block.block import Block, valid_in_block


def test_a_thread_has_a_warp_and_a_lane() -> None:
    @flyc.kernel
    def run(x: fx.Tensor):
        block = Block.of(fx.coop.BlockReduce[fx.Int32, (16, 6, 1)])
        assert (block.lanes, block.warps) == (32, 3)
        for row, part in enumerate((block.thread, block.warp, block.lane)):
            x[row, block.thread] = part

    x = np.zeros((3, 96), np.int32)
    launch(run, x, block=(16, 6, 1))
    threads = np.arange(96)
    np.testing.assert_array_equal(x, [threads, threads // 32, threads % 32])


def test_options_are_passed_on_where_there_are_any() -> None:
    assert Block.extra(None) == {}
    assert Block.extra(3, fx.Int32(4)).keys() == {"identity", "valid_items"}


def test_parts_of_blocks_have_one_item_a_thread() -> None:
    block = Block(*[fx.Int32(0)] * 3, 32, 1, 32, None)
    assert valid_in_block(5, [fx.Int32(1)], block).value == 5
    with pytest.raises(ValueError, match="one item each, found 2 items"):
        valid_in_block(5, [fx.Int32(1)] * 2, block)
