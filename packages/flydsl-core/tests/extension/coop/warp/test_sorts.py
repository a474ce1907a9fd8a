"""Sorts of warps, in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.warp.sorts import WarpBitonicSort, WarpMergeSort, warp_bitonic_sort, warp_merge_sort


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("width", [1, 8, 32])
def test_groups_are_sorted_in_both_arrangements(width: int, count: int, rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor, places: fx.Tensor):
        i = fx.thread_idx.x
        lane, first = i % width, i // width * width * count
        merged = [first + lane * count + k for k in fx.range_constexpr(count)]
        striped = [first + lane + k * width for k in fx.range_constexpr(count)]
        keys, own = warp_merge_sort([x[p] for p in merged], merged, width=width)
        bitonic = warp_bitonic_sort(tuple(x[p] for p in striped), width=width, compare_op=lambda a, b: a > b)
        for k in fx.range_constexpr(count):
            y[0, merged[k]], places[merged[k]], y[1, striped[k]] = keys[k], own[k], bitonic[k]

    x = rng.integers(-9, 9, 32 * count).astype(np.int32)
    y, places = np.zeros((2, len(x)), np.int32), np.zeros(len(x), np.int32)
    launch(run, x, y, places)
    rows = x.reshape(-1, width * count)
    order = np.argsort(rows, axis=1, kind="stable")
    np.testing.assert_array_equal(y[0].reshape(rows.shape), np.sort(rows, 1))
    np.testing.assert_array_equal(places.reshape(rows.shape), order + np.arange(len(rows))[:, None] * rows.shape[1])
    np.testing.assert_array_equal(y[1].reshape(rows.shape), -np.sort(-rows, 1))


def test_classes_sort_and_keys_beyond_a_limit_stay_behind(rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = WarpMergeSort[(fx.Int32, fx.Int32), 32, 2]
        keys, values = P.sort((x[2 * i], x[2 * i + 1]), (2 * i, 2 * i + 1), valid_items=41)
        y[0, 2 * i], y[0, 2 * i + 1], y[1, 2 * i], y[1, 2 * i + 1] = *keys, *values
        y[2, i] = WarpBitonicSort[fx.Int32, 32].sort(x[i])

    x = rng.integers(-9, 9, 64).astype(np.int32)
    y = np.zeros((3, 64), np.int32)
    launch(run, x, y)
    np.testing.assert_array_equal(y[0], [*np.sort(x[:41]), *x[41:]])
    np.testing.assert_array_equal(y[1], [*np.argsort(x[:41], kind="stable"), *range(41, 64)])
    np.testing.assert_array_equal(y[2, :32], np.sort(x[:32]))


def test_wrong_numbers_and_options_are_refused(emitted: Any) -> None:
    with pytest.raises(ValueError, match="a power of two keys a lane"):
        emitted(lambda v: warp_merge_sort((v, v, v)), fx.Int32)
    with pytest.raises(TypeError, match="sorts 2 keys a lane and None values"):
        emitted(lambda v: WarpMergeSort[fx.Int32, 8, 2].sort(v), fx.Int32)
    with pytest.raises(TypeError, match="a sort has no option 'descending'"):
        emitted(lambda v: WarpMergeSort[fx.Int32, 8].sort(v, descending=True), fx.Int32)
