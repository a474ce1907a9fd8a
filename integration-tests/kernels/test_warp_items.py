"""Loads, stores and exchanges of the items of groups of lanes against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.targets import Target

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCK = 64
Load, Store = fx.coop.WarpLoadAlgorithm, fx.coop.WarpStoreAlgorithm


@flyc.kernel
def copy_kernel(
    x: fx.Tensor,
    y: fx.Tensor,
    count: fx.Int32,
    load: fx.Constexpr,
    store: fx.Constexpr,
    width: fx.Constexpr,
    n: fx.Constexpr,
    dtype: fx.Constexpr,
    is_pointer: fx.Constexpr[bool],
):
    group = fx.thread_idx.x // (fx.num_warp_threads() if width is None else width)
    offset = group * (n * (fx.num_warp_threads() if width is None else width))
    source, target = (fx.get_iter(x), fx.get_iter(y)) if is_pointer else (x, y)
    valid = None if is_pointer else count - offset
    items = fx.coop.WarpLoad[dtype, width, n, load].load(source, offset=offset, valid_items=valid, default=7)
    if fx.const_expr(load is Load.STRIPED and store is not Store.STRIPED):
        items = fx.coop.WarpExchange[dtype, width, n].striped_to_blocked(items)
    if fx.const_expr(store is Store.STRIPED and load is not Load.STRIPED):
        items = fx.coop.WarpExchange[dtype, width, n].blocked_to_striped(items)
    fx.coop.WarpStore[dtype, width, n, store].store(target, items, offset=offset)


@flyc.jit
def copy(
    x: fx.Tensor,
    y: fx.Tensor,
    count: fx.Int32,
    load: fx.Constexpr,
    store: fx.Constexpr,
    width: fx.Constexpr,
    n: fx.Constexpr,
    dtype: fx.Constexpr,
    is_pointer: fx.Constexpr[bool] = False,
):
    copy_kernel(x, y, count, load, store, width, n, dtype, is_pointer).launch(grid=1, block=BLOCK)


@pytest.mark.parametrize("store", Store, ids=lambda one: one.name)
@pytest.mark.parametrize("load", Load, ids=lambda one: one.name)
def test_items_arrive_in_every_arrangement(load: Any, store: Any, rng: np.random.Generator) -> None:
    for width, n, dtype in ((None, 2, fx.Float32), (8, 3, fx.Int16)):
        x = rng.integers(-99, 99, BLOCK * n).astype(dtype.numpy_dtype)
        for count in (BLOCK * n, BLOCK * n - 11):
            y = np.zeros_like(x)
            copy(x, y, count, load, store, width, n, dtype)
            np.testing.assert_array_equal(y, np.where(np.arange(BLOCK * n) < count, x, 7))


def test_pointers_are_read_and_written_by_vectors(rng: np.random.Generator) -> None:
    x = rng.standard_normal(BLOCK * 4).astype(np.float32)
    y = np.zeros_like(x)
    copy(x, y, len(x), Load.VECTORIZE, Store.VECTORIZE, 16, 4, fx.Float32, True)
    np.testing.assert_array_equal(x, y)


@flyc.kernel
def exchange_kernel(x: fx.Tensor, ranks: fx.Tensor, y: fx.Tensor, width: fx.Constexpr, n: fx.Constexpr):
    i = fx.thread_idx.x
    P = fx.coop.WarpExchange[fx.Float32, width, n]
    items = [x[i, k] for k in fx.range_constexpr(n)]
    moved = (
        P.blocked_to_striped(items),
        P.striped_to_blocked(items),
        P.scatter_to_striped(items, [ranks[i, k] for k in fx.range_constexpr(n)]),
    )
    for row, values in enumerate(moved):
        for k in fx.range_constexpr(n):
            y[row, i, k] = values[k]


@flyc.jit
def exchange(x: fx.Tensor, ranks: fx.Tensor, y: fx.Tensor, width: fx.Constexpr, n: fx.Constexpr):
    exchange_kernel(x, ranks, y, width, n).launch(grid=1, block=BLOCK)


@pytest.mark.parametrize(("width", "n"), [(None, 2), (16, 4), (4, 1), (1, 2)])
def test_exchanges(width: int | None, n: int, rng: np.random.Generator, target: Target) -> None:
    lanes = target.wave if width is None else width
    groups = BLOCK // lanes
    x = rng.standard_normal((BLOCK, n)).astype(np.float32)
    ranks = np.stack([rng.permutation(lanes * n) for _ in range(groups)]).astype(np.int32)
    y = np.zeros((3, BLOCK, n), np.float32)
    exchange(x, ranks.reshape(BLOCK, n), y, width, n)
    flat = x.reshape(groups, -1)
    blocked_to_striped = flat.reshape(groups, n, lanes).transpose(0, 2, 1).reshape(BLOCK, n)
    np.testing.assert_array_equal(y[0], blocked_to_striped)
    striped_to_blocked = x.reshape(groups, lanes, n).transpose(0, 2, 1).reshape(BLOCK, n)
    np.testing.assert_array_equal(y[1], striped_to_blocked)
    placed = np.zeros_like(flat)
    np.put_along_axis(placed, ranks, flat, 1)
    np.testing.assert_array_equal(y[2], placed.reshape(groups, n, lanes).transpose(0, 2, 1).reshape(BLOCK, n))
