"""Exchanges, loads, stores, histograms and sorts of blocks, and segments of warps, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.targets import Target

import flydsl.compiler as flyc
import flydsl.expr as fx

Op = fx.ReductionOp
THREADS, ITEMS = 128, 3


@flyc.kernel
def exchange_kernel(x: fx.Tensor, ranks: fx.Tensor, y: fx.Tensor, how: fx.Constexpr[str]):
    i = fx.thread_idx.x
    P = fx.coop.BlockExchange[fx.Int32, THREADS, ITEMS]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    items = [x[i * ITEMS + k] for k in fx.range_constexpr(ITEMS)]
    own = [ranks[i * ITEMS + k] for k in fx.range_constexpr(ITEMS)]
    if how == "guarded":
        result = P.scatter_to_striped_guarded(items, own, storage=storage, default=-7)
    elif how == "flagged":
        result = P.scatter_to_striped_flagged(items, own, [rank % 2 == 0 for rank in own], storage=storage)
    elif how.startswith("scatter"):
        result = getattr(P, how)(items, own, storage=storage)
    else:
        result = getattr(P, how)(items, storage=storage)
    for k in fx.range_constexpr(ITEMS):
        y[i * ITEMS + k] = result[k]


@flyc.jit
def exchange(x: fx.Tensor, ranks: fx.Tensor, y: fx.Tensor, how: fx.Constexpr[str]):
    exchange_kernel(x, ranks, y, how).launch(grid=1, block=THREADS)


def striped(x: np.ndarray) -> np.ndarray:
    """What each thread has, in order, when `x` is striped over threads."""
    return x.reshape(ITEMS, -1).T.reshape(-1)


def test_exchanges_change_the_arrangement(target: Target, rng: np.random.Generator) -> None:
    x = rng.integers(0, 1 << 20, THREADS * ITEMS).astype(np.int32)
    ranks = rng.permutation(THREADS * ITEMS).astype(np.int32)
    scattered = np.empty_like(x)
    scattered[ranks] = x
    some = np.where(rng.random(len(ranks)) < 0.5, ranks, -1).astype(np.int32)
    guarded, flagged = np.full_like(x, -7), np.zeros_like(x)
    guarded[some[some >= 0]] = x[some >= 0]
    flagged[ranks[ranks % 2 == 0]] = x[ranks % 2 == 0]
    warps = x.reshape(-1, target.wave * ITEMS)
    expected = {
        "blocked_to_striped": striped(x),
        "striped_to_blocked": x.reshape(-1, ITEMS).T.reshape(-1),
        "blocked_to_warp_striped": np.concatenate([striped(part) for part in warps]),
        "warp_striped_to_blocked": np.concatenate([part.reshape(-1, ITEMS).T.reshape(-1) for part in warps]),
        "scatter_to_blocked": scattered,
        "scatter_to_striped": striped(scattered),
        "guarded": striped(guarded),
        "flagged": striped(flagged),
    }
    for how, values in expected.items():
        y = np.zeros_like(x)
        exchange(x, some if how == "guarded" else ranks, y, how)
        np.testing.assert_array_equal(y, values, err_msg=how)


@flyc.kernel
def copy_kernel(
    x: fx.Tensor,
    y: fx.Tensor,
    valid: fx.Int32,
    loading: fx.Constexpr,
    storing: fx.Constexpr,
    guards: fx.Constexpr[bool],
):
    Load = fx.coop.BlockLoad[fx.Float32, THREADS, 4, loading]
    Store = fx.coop.BlockStore[fx.Float32, THREADS, 4, storing]
    storage = fx.SharedAllocator().allocate(Load.SharedStorage).peek()
    first = fx.block_idx.x * (THREADS * 4)
    count = valid - first
    options = {"valid_items": count} if guards else {}
    items = Load(fx.get_iter(x), offset=first, default=-1.0, storage=storage, **options)
    fx.barrier()
    Store(fx.get_iter(y), items + 1.0, offset=first, storage=storage, **options)


@flyc.jit
def copy(
    x: fx.Tensor,
    y: fx.Tensor,
    valid: fx.Int32,
    loading: fx.Constexpr,
    storing: fx.Constexpr,
    guards: fx.Constexpr[bool],
):
    copy_kernel(x, y, valid, loading, storing, guards).launch(grid=2, block=THREADS)


@pytest.mark.parametrize("name", ["DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE"])
def test_items_are_loaded_and_stored(name: str, rng: np.random.Generator) -> None:
    loading, storing = fx.coop.BlockLoadAlgorithm[name], fx.coop.BlockStoreAlgorithm[name]
    x = rng.standard_normal(THREADS * 8).astype(np.float32)
    y = np.zeros_like(x)
    copy(x, y, len(x), loading, storing, False)
    np.testing.assert_array_equal(y, x + 1)
    valid, y = THREADS * 4 + 77, np.zeros_like(x)
    copy(x, y, valid, loading, storing, True)
    np.testing.assert_array_equal(y[:valid], x[:valid] + 1)
    assert not y[valid:].any()


@flyc.kernel
def sort_kernel(
    x: fx.Tensor,
    y: fx.Tensor,
    indices: fx.Tensor,
    dtype: fx.Constexpr,
    items: fx.Constexpr[int],
    options: fx.Constexpr,
):
    i = fx.thread_idx.x
    P = fx.coop.BlockRadixSort[(dtype, fx.Int32), THREADS, items]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    keys = tuple(x[i * items + k] for k in fx.range_constexpr(items))
    places = tuple(fx.Int32(i * items + k) for k in fx.range_constexpr(items))
    keys, places = P(keys, places, storage=storage, **dict(options))
    for k in fx.range_constexpr(items):
        y[i * items + k], indices[i * items + k] = keys[k], places[k]


@flyc.jit
def sort(
    x: fx.Tensor,
    y: fx.Tensor,
    indices: fx.Tensor,
    dtype: fx.Constexpr,
    items: fx.Constexpr[int],
    options: fx.Constexpr = (),
):
    sort_kernel(x, y, indices, dtype, items, options).launch(grid=1, block=THREADS)


def keys_of(dtype: Any, count: int, rng: np.random.Generator) -> np.ndarray:
    kind = dtype.numpy_dtype
    if dtype.is_float:
        return rng.choice(rng.standard_normal(count // 2), count).astype(kind)
    limits = np.iinfo(kind)
    return rng.choice(rng.integers(limits.min, limits.max, count // 2, kind, endpoint=True), count)


@pytest.mark.parametrize("dtype", [fx.Uint8, fx.Int16, fx.Int32, fx.Float32, fx.Int64], ids=lambda one: one.__name__)
def test_keys_are_sorted_and_equal_ones_keep_their_order(dtype: Any, rng: np.random.Generator) -> None:
    items = 1 if dtype is fx.Int64 else 3
    x = keys_of(dtype, THREADS * items, rng)
    for descending in (False, True) if dtype in (fx.Int16, fx.Float32) else (False,):
        y, indices = np.zeros_like(x), np.zeros(len(x), np.int32)
        sort(x, y, indices, dtype, items, (("descending", descending),))
        order = np.argsort(-x.astype(np.float64) if descending else x, kind="stable")
        np.testing.assert_array_equal(y, x[order])
        np.testing.assert_array_equal(indices, order)


def test_some_bits_may_count_and_the_result_may_be_striped(rng: np.random.Generator) -> None:
    x = rng.integers(0, 1 << 12, THREADS * 2).astype(np.uint32)
    y, indices = np.zeros_like(x), np.zeros(len(x), np.int32)
    sort(x, y, indices, fx.Uint32, 2, (("begin_bit", 2), ("end_bit", 9), ("radix_bits", 3)))
    order = np.argsort(x >> 2 & 127, kind="stable")
    np.testing.assert_array_equal(indices, order)
    sort(x, y, indices, fx.Uint32, 2, (("blocked_to_striped", True), ("end_bit", 12)))
    np.testing.assert_array_equal(y, np.sort(x).reshape(2, -1).T.reshape(-1))


@flyc.kernel
def top_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    P = fx.coop.BlockTopK[fx.Float32, THREADS]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    y[0, i] = P(x[i], 5, storage=storage)
    y[1, i] = P.max_keys(x[i], 5, storage=storage)
    y[2, i] = P.min_keys(x[i], 5, storage=storage)


@flyc.jit
def top(x: fx.Tensor, y: fx.Tensor):
    top_kernel(x, y).launch(grid=1, block=THREADS)


def test_the_largest_and_the_smallest_come_first(rng: np.random.Generator) -> None:
    x = rng.standard_normal(THREADS).astype(np.float32)
    y = np.zeros((3, THREADS), np.float32)
    top(x, y)
    np.testing.assert_array_equal(y[:, :5], [np.sort(x)[::-1][:5]] * 2 + [np.sort(x)[:5]])


@flyc.kernel
def histogram_kernel(x: fx.Tensor, y: fx.Tensor, bins: fx.Constexpr[int]):
    i = fx.thread_idx.x
    P = fx.coop.BlockHistogram[fx.Uint8, THREADS, 2, bins]
    counters = fx.SharedAllocator().allocate(fx.Array[fx.Int32, bins])
    P((x[2 * i], x[2 * i + 1]), counters)
    fx.barrier()
    P.composite((x[2 * i], x[2 * i]), counters)
    fx.barrier()
    for first in fx.range_constexpr(0, bins, THREADS):
        if i + first < bins:
            y[i + first] = counters[i + first]


@flyc.jit
def histogram(x: fx.Tensor, y: fx.Tensor, bins: fx.Constexpr[int]):
    histogram_kernel(x, y, bins).launch(grid=1, block=THREADS)


@pytest.mark.parametrize("bins", [7, 200])
def test_items_are_counted(bins: int, rng: np.random.Generator) -> None:
    x = rng.integers(0, bins, THREADS * 2).astype(np.uint8)
    y = np.zeros(bins, np.int32)
    histogram(x, y, bins)
    np.testing.assert_array_equal(y, np.bincount(x, minlength=bins) + 2 * np.bincount(x[::2], minlength=bins))


@flyc.kernel
def rank_kernel(
    x: fx.Tensor, y: fx.Tensor, threads: fx.Constexpr[int], bits: fx.Constexpr[int], begin: fx.Constexpr[int]
):
    i = fx.thread_idx.x
    P = fx.coop.BlockRadixRank[x.dtype, threads, 2].with_radix_bits(bits)
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    keys = (x[2 * i], x[2 * i + 1])
    for row in fx.range_constexpr(2):
        ranks = P.rank(keys, storage=storage, begin_bit=begin, descending=row == 1)
        for k in fx.range_constexpr(2):
            y[row, 2 * i + k] = ranks[k]


@flyc.jit
def rank(x: fx.Tensor, y: fx.Tensor, threads: fx.Constexpr[int], bits: fx.Constexpr[int], begin: fx.Constexpr[int]):
    rank_kernel(x, y, threads, bits, begin).launch(grid=1, block=threads)


@pytest.mark.parametrize(("dtype", "threads", "bits", "begin"), [("u4", 128, 5, 3), ("i1", 48, 3, 5), ("u2", 1, 1, 15)])
def test_keys_are_ranked_by_a_digit(dtype: str, threads: int, bits: int, begin: int, rng: np.random.Generator) -> None:
    kind = np.dtype(dtype)
    x = rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, threads * 2, kind, endpoint=True)
    y = np.zeros((2, threads * 2), np.int32)
    rank(x, y, threads, bits, begin)
    ordered = x.astype(np.int64) - np.iinfo(kind).min
    digit = ordered >> begin & (1 << bits) - 1
    for row, sign in zip(y, (1, -1), strict=True):
        expected = np.empty_like(row)
        expected[np.argsort(sign * digit, kind="stable")] = np.arange(threads * 2)
        np.testing.assert_array_equal(row, expected)


@flyc.kernel
def runs_kernel(x: fx.Tensor, lengths: fx.Tensor, y: fx.Tensor, totals: fx.Tensor, threads: fx.Constexpr[int]):
    i = fx.thread_idx.x
    P = fx.coop.BlockRunLengthDecode[fx.Float32, threads, 2, 3]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    decoder = P.init_with_run_lengths((x[2 * i], x[2 * i + 1]), (lengths[2 * i], lengths[2 * i + 1]), storage=storage)
    totals[i] = decoder.total
    for piece in range(fx.ceil_div(decoder.total, threads * 3)):
        items, offsets = decoder.decode(piece * threads * 3, with_offsets=True)
        for k in fx.range_constexpr(3):
            place = (piece * threads + i) * 3 + k
            if place < decoder.total:
                y[place, 0] = items[k]
                y[place, 1] = offsets[k].to(fx.Float32)


@flyc.jit
def runs(x: fx.Tensor, lengths: fx.Tensor, y: fx.Tensor, totals: fx.Tensor, threads: fx.Constexpr[int]):
    runs_kernel(x, lengths, y, totals, threads).launch(grid=1, block=threads)


@pytest.mark.parametrize("threads", [1, 48, 64, 128])
def test_runs_are_decoded(threads: int, rng: np.random.Generator) -> None:
    x = rng.standard_normal(threads * 2).astype(np.float32)
    lengths = rng.integers(0, 9, threads * 2).astype(np.int16)
    lengths[-1] = 0
    decoded = np.repeat(x, lengths)
    offsets = np.concatenate([np.arange(length) for length in lengths])
    y, totals = np.full((decoded.size + 2, 2), -1, np.float32), np.zeros(threads, np.int32)
    runs(x, lengths, y, totals, threads)
    np.testing.assert_array_equal(totals, decoded.size)
    np.testing.assert_array_equal(y[:-2], np.stack([decoded, offsets], 1))
    assert (y[-2:] == -1).all()


@flyc.kernel
def segment_kernel(x: fx.Tensor, flags: fx.Tensor, y: fx.Tensor, width: fx.Constexpr[int]):
    i = fx.thread_idx.x
    R, S = fx.coop.WarpReduce[fx.Int32, width], fx.coop.WarpScan[fx.Int32, width]
    flag = flags[i] != 0
    y[0, i] = R.head_segmented_reduce(x[i], flag, Op.ADD)
    y[1, i] = R.tail_segmented_reduce(x[i], flag, Op.MAX)
    y[2, i] = fx.coop.warp_head_segmented_reduce(x[i], flag, lambda a, b: a, width=width)
    y[3, i] = S.broadcast(x[i], width - 2)
    y[4, i] = R.reduce(x[i], Op.ADD)
    y[5, i] = S.exclusive_scan(x[i], Op.ADD)
    B = fx.coop.WarpReduceBatched[fx.Int32, width, 6]
    batches = [x[i] + k for k in fx.range_constexpr(6)]
    y[6, i] = B.reduce(batches, Op.MAX)
    blocked, striped_ = B.reduce_to_blocked(batches, Op.MAX), B.reduce_to_striped(batches, Op.MAX)
    y[7, i], y[8, i] = blocked[0], striped_[0]


@flyc.jit
def segments(x: fx.Tensor, flags: fx.Tensor, y: fx.Tensor, width: fx.Constexpr[int]):
    segment_kernel(x, flags, y, width).launch(grid=1, block=64)


@pytest.mark.parametrize("width", [8, 32])
def test_segments_are_reduced_in_their_first_lane(width: int, rng: np.random.Generator) -> None:
    x = rng.integers(0, 50, 64).astype(np.int32)
    flags = (rng.random(64) < 0.3).astype(np.int32)
    y = np.zeros((9, 64), np.int32)
    segments(x, flags, y, width)
    for start in range(0, 64, width):
        stop = start + width
        heads = sorted({start, *(i for i in range(start, stop) if flags[i])})
        for first, after in zip(heads, [*heads[1:], stop], strict=True):
            part = x[first:after]
            assert (y[0, first], y[2, first]) == (part.sum(), part[0])
        tails = [start, *(i + 1 for i in range(start, stop - 1) if flags[i])]
        for first, after in zip(tails, [*tails[1:], stop], strict=True):
            assert y[1, first] == x[first:after].max()
        group = x[start:stop]
        np.testing.assert_array_equal(y[3, start:stop], group[width - 2])
        np.testing.assert_array_equal(y[4, start:stop], group.sum())
        np.testing.assert_array_equal(y[5, start:stop], group.cumsum() - group)
        for row in (6, 7, 8):
            np.testing.assert_array_equal(y[row, start : start + 6], group.max() + np.arange(6))
