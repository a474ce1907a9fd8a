"""Sorts by comparisons, shifts, differences and runs of blocks against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

THREADS = 64


def by_last_digit(a: Any, b: Any) -> Any:
    return a % 10 < b % 10


@flyc.kernel
def sort_kernel(
    x: fx.Tensor,
    y: fx.Tensor,
    places: fx.Tensor,
    dtype: fx.Constexpr,
    items: fx.Constexpr[int],
    valid: fx.Int32,
    options: fx.Constexpr,
    by_digit: fx.Constexpr[bool],
):
    i = fx.thread_idx.x
    P = fx.coop.BlockMergeSort[(dtype, fx.Int32), THREADS, items]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    keys = tuple(x[i * items + k] for k in fx.range_constexpr(items))
    own = tuple(fx.Int32(i * items + k) for k in fx.range_constexpr(items))
    more = {"compare_op": by_last_digit} if by_digit else {}
    keys, own = P.sort(keys, own, storage=storage, valid_items=valid, **dict(options), **more)
    for k in fx.range_constexpr(items):
        y[i * items + k], places[i * items + k] = keys[k], own[k]


@flyc.jit
def sort(
    x: fx.Tensor,
    y: fx.Tensor,
    places: fx.Tensor,
    dtype: fx.Constexpr,
    items: fx.Constexpr[int],
    valid: fx.Int32,
    options: fx.Constexpr = (),
    by_digit: fx.Constexpr[bool] = False,
):
    sort_kernel(x, y, places, dtype, items, valid, options, by_digit).launch(grid=1, block=THREADS)


@pytest.mark.parametrize(("items", "valid"), [(1, 64), (3, 192), (4, 130)])
@pytest.mark.parametrize("dtype", [fx.Int32, fx.Float32], ids=lambda one: one.__name__)
def test_keys_are_sorted_and_equal_ones_keep_their_order(
    dtype: Any, items: int, valid: int, rng: np.random.Generator
) -> None:
    x = rng.integers(-20, 20, THREADS * items).astype(dtype.numpy_dtype)
    for descending in (False, True):
        y, places = np.zeros_like(x), np.zeros(len(x), np.int32)
        sort(x, y, places, dtype, items, valid, (("descending", descending), ("oob_default", 99)))
        order = np.argsort(-x[:valid] if descending else x[:valid], kind="stable")
        np.testing.assert_array_equal(places[:valid], order)
        np.testing.assert_array_equal(y[:valid], x[order])
        assert (y[valid:] == 99).all()


def test_an_order_of_ones_own(rng: np.random.Generator) -> None:
    x = rng.integers(0, 100, THREADS * 2).astype(np.int32)
    y, places = np.zeros_like(x), np.zeros(len(x), np.int32)
    sort(x, y, places, fx.Int32, 2, len(x), (), True)
    np.testing.assert_array_equal(places, np.argsort(x % 10, kind="stable"))


@flyc.kernel
def warp_kernel(x: fx.Tensor, y: fx.Tensor, width: fx.Constexpr[int]):
    i = fx.thread_idx.x
    keys, places = fx.coop.warp_merge_sort((x[2 * i], x[2 * i + 1]), (2 * i, 2 * i + 1), width=width)
    y[0, 2 * i], y[0, 2 * i + 1], y[1, 2 * i], y[1, 2 * i + 1] = *keys, *map(fx.Float64, places)
    y[2, i] = fx.coop.WarpBitonicSort[fx.Float64, width].sort(x[i])


@flyc.jit
def warp(x: fx.Tensor, y: fx.Tensor, width: fx.Constexpr[int]):
    warp_kernel(x, y, width).launch(grid=1, block=THREADS)


@pytest.mark.parametrize("width", [4, 32])
def test_groups_of_lanes_are_sorted(width: int, rng: np.random.Generator) -> None:
    x = rng.integers(-9, 9, THREADS * 2).astype(np.float64)
    y = np.zeros((3, THREADS * 2))
    warp(x, y, width)
    rows = x.reshape(-1, 2 * width)
    order = np.argsort(rows, axis=1, kind="stable") + np.arange(len(rows))[:, None] * 2 * width
    np.testing.assert_array_equal(y[:2], [np.sort(rows, 1).reshape(-1), order.reshape(-1)])
    np.testing.assert_array_equal(y[2, :THREADS], np.sort(x[:THREADS].reshape(-1, width), 1).reshape(-1))


@flyc.kernel
def neighbour_kernel(x: fx.Tensor, y: fx.Tensor, valid: fx.Int32):
    i = fx.thread_idx.x
    S = fx.coop.BlockShuffle[fx.Int32, THREADS]
    D = fx.coop.BlockAdjacentDifference[fx.Int32, THREADS, 2]
    R = fx.coop.BlockDiscontinuity[fx.Int32, THREADS, 2]
    M = fx.coop.BlockShuffle[fx.Int32, THREADS, 2]
    storage = fx.SharedAllocator().allocate(D.SharedStorage).peek()
    pair = (x[2 * i], x[2 * i + 1])
    results, moved = [], []
    for move, distance in ((S.offset, 3), (S.offset, -2), (S.rotate, 5), (S.rotate, -1)):
        moved.append(move(x[i], distance, storage=storage))
        fx.barrier()
    for use in (
        lambda: moved[:2],
        lambda: moved[2:],
        lambda: M.up(pair, storage=storage),
        lambda: M.down(pair, storage=storage),
        lambda: D.subtract_left(pair, lambda a, b: a - b, storage=storage),
        lambda: D.subtract_right(pair, lambda a, b: a - b, storage=storage),
        lambda: D.subtract_left(pair, lambda a, b: a - b, storage=storage, tile_predecessor=100),
        lambda: D.subtract_right(pair, lambda a, b: a - b, storage=storage, tile_successor=100),
        lambda: D.subtract_left_partial_tile(pair, lambda a, b: a - b, valid, storage=storage),
        lambda: D.subtract_right_partial_tile(pair, lambda a, b: a - b, valid, storage=storage),
        lambda: R.flag_heads(pair, lambda a, b: a != b, storage=storage),
        lambda: R.flag_tails(pair, lambda a, b: a != b, storage=storage),
        lambda: R.flag_heads_and_tails(pair, lambda a, b: a != b, storage=storage)[1],
    ):
        results.append(use())
        fx.barrier()
    for row, (first, second) in enumerate(results):
        if row < 2:
            y[row, i], y[row, THREADS + i] = first, second
        else:
            y[row, 2 * i], y[row, 2 * i + 1] = fx.Int32(first), fx.Int32(second)


@flyc.jit
def neighbours(x: fx.Tensor, y: fx.Tensor, valid: fx.Int32):
    neighbour_kernel(x, y, valid).launch(grid=1, block=THREADS)


def test_neighbours_are_moved_subtracted_and_compared(rng: np.random.Generator) -> None:
    x, valid = rng.integers(0, 3, 2 * THREADS).astype(np.int32), 51
    y = np.zeros((13, 2 * THREADS), np.int32)
    neighbours(x, y, valid)
    one = x[:THREADS]
    at = np.arange(THREADS)
    three, two = np.where(at + 3 < THREADS, at + 3, at), np.where(at >= 2, at - 2, at)
    left, right = np.concatenate([x[:1], x[:-1]]), np.concatenate([x[1:], x[-1:]])
    first, last = np.arange(len(x)) == 0, np.arange(len(x)) == len(x) - 1
    minus_left, minus_right = np.where(first, x, x - left), np.where(last, x, x - right)
    heads, tails = first | (x != left), last | (x != right)
    is_valid, has_right = np.arange(len(x)) < valid, np.arange(len(x)) < valid - 1
    expected = [
        np.concatenate([one[three], one[two]]),
        np.concatenate([np.roll(one, -5), np.roll(one, 1)]),
        left,
        right,
        minus_left,
        minus_right,
        np.where(first, x - 100, minus_left),
        np.where(last, x - 100, minus_right),
        np.where(is_valid, minus_left, x),
        np.where(has_right, minus_right, x),
        heads,
        tails,
        tails,
    ]
    np.testing.assert_array_equal(y, expected)
