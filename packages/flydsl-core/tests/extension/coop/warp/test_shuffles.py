"""Reductions and scans by shuffles, in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.warp import shuffles

Op = fx.ReductionOp


@pytest.mark.parametrize("width", [1, 4, 32])
def test_groups_reduce_and_scan_by_themselves(width: int, rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[0, i] = shuffles.warp_reduce(x[i], Op.ADD, width=width)
        y[1, i], y[2, i], y[3, i] = shuffles.warp_scan_with_aggregate(x[i], Op.ADD, width=width, init=100)
        y[4, i] = shuffles.warp_exclusive_scan(x[i], Op.MAX, width=width)
        y[5, i] = shuffles.warp_inclusive_scan(x[i], Op.MAX, width=width)

    x = rng.integers(-1000, 1000, 32).astype(np.int32)
    y = np.zeros((6, 32), np.int32)
    launch(run, x, y)
    rows = x.reshape(-1, width)
    total = np.repeat(rows.sum(1), width)
    np.testing.assert_array_equal(y[0], total)
    np.testing.assert_array_equal(y[1], rows.cumsum(1).reshape(-1) + 100)
    np.testing.assert_array_equal(y[2], y[1] - x)
    np.testing.assert_array_equal(y[3], total)
    largest = np.maximum.accumulate(rows, 1)
    first = np.full((len(rows), 1), np.iinfo(np.int32).min)
    np.testing.assert_array_equal(y[4], np.concatenate([first, largest[:, :-1]], 1).reshape(-1))
    np.testing.assert_array_equal(y[5], largest.reshape(-1))


@pytest.mark.parametrize("valid", [1, 3, 8, 9])
def test_only_the_first_lanes_count(valid: int, rng: np.random.Generator) -> None:
    def digits(a: Any, b: Any) -> Any:
        return (a[0] * b[1] + b[0], a[1] * b[1])  # a number and the power of ten above it

    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[0, i] = shuffles.warp_reduce((x[i], fx.Int64(10)), digits, width=8, valid_items=valid)[0]
        scanned, _, total = shuffles.warp_scan_with_aggregate((x[i], fx.Int64(10)), digits, width=8, valid_items=valid)
        y[1, i], y[2, i] = scanned[0], total[0]

    x = rng.integers(1, 10, 32)
    y = np.zeros((3, 32), np.int64)
    launch(run, x, y)
    for start in range(0, 32, 8):
        text = "".join(map(str, x[start : start + min(valid, 8)]))
        assert set(y[0, start : start + 8]) == {int(text)} == set(y[2, start : start + 8])
        assert [int(text[: k + 1]) for k in range(len(text))] == y[1, start : start + len(text)].tolist()


def test_a_width_may_be_a_numeric_and_is_checked(emitted: Any) -> None:
    assert emitted(lambda: shuffles.group_width(fx.Int32(8))).result == 8
    assert emitted(lambda: shuffles.group_width(None)).result == 32
    for width in (0, 3, 64, True, "4"):
        with pytest.raises(ValueError, match="up to the 32 lanes of a warp"):
            emitted(lambda width=width: shuffles.group_width(width))
