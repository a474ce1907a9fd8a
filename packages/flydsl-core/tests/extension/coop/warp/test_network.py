"""The sorting network, in the interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.order import goes_before
from flydsl.extension.coop.warp.network import Entry, Order, SortedLanes


@pytest.mark.parametrize("is_blocked", [False, True])
@pytest.mark.parametrize(("block", "count"), [(32, 1), (32, 2), (7, 1), (11, 4), (20, 2)])
def test_positions_are_sorted_wherever_threads_are(
    is_blocked: bool, block: int, count: int, rng: np.random.Generator
) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor, values: fx.Tensor):
        lanes = SortedLanes.of(32, count, is_blocked=is_blocked)
        positions = lanes.positions()
        entries = [Entry(x[position], position) for position in positions]
        found = lanes.sorted(entries, Order(goes_before, fx.Int32(count * 32)))
        doubled = lanes.at([entry.place for entry in found], [entry.key * 2 for entry in entries])
        for k in fx.range_constexpr(count):
            y[positions[k]] = found[k].place
            values[positions[k]] = doubled[k]

    x = rng.integers(0, 9, block * count).astype(np.int32)
    y, values = np.zeros_like(x), np.zeros_like(x)
    launch(run, x, y, values, block=block)
    order = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(y, order)
    np.testing.assert_array_equal(values, 2 * x[order])
