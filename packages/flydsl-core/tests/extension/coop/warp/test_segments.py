"""Segments of warps, broadcasts and batches, in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.warp import segments

Op = fx.ReductionOp


def test_lanes_have_what_their_segment_has_from_there_on(rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        flag = x[1, i] != 0
        y[0, i] = segments.warp_head_segmented_reduce(x[0, i], flag, Op.ADD, width=16)
        y[1, i] = segments.warp_tail_segmented_reduce(x[0, i], flag, Op.ADD, width=16)
        y[2, i] = segments.warp_head_segmented_reduce(x[0, i], flag, Op.ADD, width=16, valid_items=11)
        y[3, i] = segments.warp_broadcast(x[0, i], 5, width=16)

    x = np.stack([rng.integers(0, 99, 32), rng.random(32) < 0.25]).astype(np.int32)
    y = np.zeros((4, 32), np.int32)
    launch(run, x, y)
    values, flags = x
    for start in (0, 16):
        for i in range(start, start + 16):
            head = next((k for k in range(i + 1, start + 16) if flags[k]), start + 16)
            tail = next((k for k in range(i, start + 16) if flags[k]), start + 15)
            assert y[0, i] == values[i:head].sum()
            assert y[1, i] == values[i : tail + 1].sum()
            if i < start + 11:
                assert y[2, i] == values[i : min(head, start + 11)].sum()
            assert y[3, i] == values[start + 5]


def test_lanes_share_the_results_of_batches() -> None:
    @flyc.kernel
    def run(y: fx.Tensor):
        i = fx.thread_idx.x
        values = [fx.Int32(k * 100) for k in range(10)]
        y[0, i] = segments.warp_reduce_batched(values[:4], Op.MAX, width=4)
        blocked = segments.warp_reduce_batched_to_blocked(values, Op.MAX, width=4)
        striped = segments.warp_reduce_batched_to_striped(tuple(values), Op.MAX, width=4)
        assert (len(blocked), len(striped), type(blocked), type(striped)) == (3, 3, list, tuple)
        for k in fx.range_constexpr(3):
            y[1 + k, i], y[4 + k, i] = blocked[k], striped[k]

    y = np.zeros((7, 4), np.int32)
    launch(run, y, block=4)
    np.testing.assert_array_equal(y[0], [0, 100, 200, 300])
    np.testing.assert_array_equal(y[1:4].T.reshape(-1)[:10], np.arange(0, 1000, 100))
    np.testing.assert_array_equal(y[4:7].reshape(-1)[:10], np.arange(0, 1000, 100))


def test_more_values_than_lanes_are_refused(emitted: Any) -> None:
    with pytest.raises(ValueError, match="a group of 4 lanes reduces at most as many values"):
        emitted(lambda v: segments.warp_reduce_batched([v] * 5, Op.ADD, width=4), fx.Int32)
