"""Loops over `range` with steps of either sign, and near the limits of each integer type, compared with Python's."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

BOUNDS = [(0, 7, 1), (0, 7, 3), (7, 0, -1), (7, -1, -3), (0, 7, -1)]
BOUNDS += [(7, 0, 2), (3, 3, -2), (-5, 9, 4), (9, -6, -5), (4, 9, 0)]
FAR = [(2**31 - 2, 5, -(2**30)), (-(2**31), 2**30 - 9, 2**30), (-(2**31) + 3, -(2**31), -1)]


@flyc.kernel
def counted(bounds: fx.Tensor, sums: fx.Tensor, turns: fx.Tensor, unroll: fx.Constexpr[int]):
    i = fx.thread_idx.x
    count, total, last = 0, fx.Int64(0), 12345
    for k in range(bounds[i, 0], bounds[i, 1], bounds[i, 2], unroll=unroll):
        count += 1
        total = total * 3 + k
        last = k
    turns[i, 0], turns[i, 1], sums[i] = count, last, total


@flyc.kernel
def counted_until(bounds: fx.Tensor, sums: fx.Tensor, turns: fx.Tensor, unroll: fx.Constexpr[int]):
    i = fx.thread_idx.x
    count, total, last = 0, fx.Int64(0), 12345
    for k in range(bounds[i, 0], bounds[i, 1], bounds[i, 2]):
        if count == 1000:
            break
        count += 1
        total = total * 3 + k
        last = k
    turns[i, 0], turns[i, 1], sums[i] = count, last, total


@pytest.mark.parametrize(("kernel", "unroll"), [(counted, 1), (counted, 2), (counted_until, 1)])
def test_a_step_of_run_time_counts_either_way(kernel, unroll):
    cases = BOUNDS + FAR if (kernel, unroll) == (counted, 1) else BOUNDS
    bounds = np.array(cases, np.int32)
    sums, turns = np.zeros(len(cases), np.int64), np.zeros((len(cases), 2), np.int32)

    @flyc.jit
    def run(bounds: fx.Tensor, sums: fx.Tensor, turns: fx.Tensor):
        kernel(bounds, sums, turns, unroll).launch(grid=1, block=len(cases))

    run(bounds, sums, turns)
    for (start, stop, step), total, found in zip(cases, sums, turns, strict=True):
        numbers = list(range(start, stop, step)) if step else []  # on the device a step of 0 makes no turn
        reference = 0
        for k in numbers:
            reference = reference * 3 + k
        assert (total, *found) == (reference, len(numbers), numbers[-1] if numbers else 12345)


@flyc.kernel
def down(y: fx.Tensor):
    place = 0
    for k in range(fx.thread_idx.x, -8, -3):
        y[fx.thread_idx.x, place] = k
        place += 1  # noqa: SIM113 - the loop of a kernel


def test_a_static_step_counts_down_too():
    y = np.full((5, 8), 99, np.int32)

    @flyc.jit
    def run(y: fx.Tensor):
        down(y).launch(grid=1, block=5)

    run(y)
    for i, row in enumerate(y):
        numbers = list(range(i, -8, -3))
        assert list(row) == numbers + [99] * (8 - len(numbers))


NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
WAYS = ("one by one", "unrolled", "ended early")


def near_the_limits(dtype: type[np.integer], step: int) -> list[range]:
    """Ranges at both ends of a type, and over all of it, of few numbers each."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    far = min(5 * abs(step), high)
    ends = [(high - far, high), (low, low + far), (high, high - far), (low + far, low), (low, high), (high, low)]
    ends += [(high - 1, high), (low + 1, low), (high, high), (0, high), (high, 0)]
    return [range(*pair, step) for pair in ends if abs(pair[1] - pair[0]) // abs(step) <= 40]


def folded(numbers: range, way: str) -> list[int]:
    """What the kernel below writes: how many numbers, a sum that depends on their order, and the last."""
    count, total, last = 0, 0, 12345
    for k in itertools.islice(numbers, 3 if way == "ended early" else None):
        count, total, last = count + 1, total * 3 + k, k
    return [(number + (1 << 63)) % (1 << 64) - (1 << 63) for number in (count, total, last)]


@flyc.kernel
def limits_kernel(bounds: fx.Tensor, found: fx.Tensor, steps: fx.Constexpr[tuple[int, ...]]):
    i = fx.thread_idx.x
    for row, known in enumerate((None, *steps)):
        start, stop, step = (bounds[row, i, n] for n in range(3))
        for way, unroll in enumerate((1, 3)):
            count, total, last = fx.Int64(0), fx.Int64(0), fx.Int64(12345)
            for k in range(start, stop, step if known is None else known, unroll=unroll):
                count, total, last = count + 1, total * 3 + fx.Int64(k), fx.Int64(k)
            found[way, row, i, 0], found[way, row, i, 1], found[way, row, i, 2] = count, total, last
        count, total, last = fx.Int64(0), fx.Int64(0), fx.Int64(12345)
        for k in range(start, stop, step if known is None else known):
            if count == 3:
                break
            count, total, last = count + 1, total * 3 + fx.Int64(k), fx.Int64(k)
        found[2, row, i, 0], found[2, row, i, 1], found[2, row, i, 2] = count, total, last


@flyc.jit
def limits(bounds: fx.Tensor, found: fx.Tensor, steps: fx.Constexpr[tuple[int, ...]]):
    limits_kernel(bounds, found, steps).launch(grid=1, block=fx.get_scalar(bounds.shape[1]))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint32, *[np.int16, np.uint64] * NIGHTLY])
def test_ranges_near_the_limits_of_a_type_end_as_in_python(dtype):
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    known = (20, -3, high // 2, *(1, -1, high, -(high // 3), -high) * NIGHTLY)
    at_run_time = [1, 7, high // 2, high, *(-1, -5, -(high // 2), low) * (low < 0)]
    rows = [[each for step in at_run_time for each in near_the_limits(dtype, step)]]
    rows += [near_the_limits(dtype, step) for step in known]
    bounds = np.zeros((len(rows), max(map(len, rows)), 3), dtype)
    for row, ranges in enumerate(rows):
        for i, each in enumerate(ranges):
            bounds[row, i] = each.start, each.stop, each.step if row == 0 else 0
    found = np.zeros((len(WAYS), *bounds.shape), np.int64)
    limits(bounds, found, known)
    for (way, name), (row, ranges) in itertools.product(enumerate(WAYS), enumerate(rows)):
        for i, each in enumerate(ranges):
            assert list(found[way, row, i]) == folded(each, name), (name, each)


@flyc.kernel
def close_to_the_end_kernel(found: fx.Tensor, stop: fx.Int32):
    """Starts that are known, or known not to be negative: the counter starts below them."""
    i = fx.thread_idx.x
    count, last = 0, 0
    for k in range(2**31 - 20, stop, 4):
        count, last = count + 1, k
    found[i, 0], found[i, 1] = count, last
    count, last = 0, 0
    for k in range(i * 1_000_000, stop, 7 << 24):
        count, last = count + 1, k
    found[i, 2], found[i, 3] = count, last
    count, last = 0, 0
    for k in range(2**31 - 20, 2**31 - 1, 4):
        count, last = count + 1, k
    found[i, 4], found[i, 5] = count, last


@flyc.jit
def close_to_the_end(found: fx.Tensor, stop: fx.Int32):
    close_to_the_end_kernel(found, stop).launch(grid=1, block=4)


@pytest.mark.parametrize("stop", [2**31 - 1, 2**31 - 5, 2**31 - 20, 2**30, -5])
def test_a_step_beyond_the_last_integer_ends_the_loop(stop):
    found = np.zeros((4, 6), np.int32)
    close_to_the_end(found, stop)
    for i, row in enumerate(found):
        ranges = range(2**31 - 20, stop, 4), range(i * 1_000_000, stop, 7 << 24), range(2**31 - 20, 2**31 - 1, 4)
        assert list(row) == [number for each in ranges for number in (len(each), each[-1] if each else 0)]
