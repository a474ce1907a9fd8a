"""What a thread does in order, and what threads do together, compared with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from flydsl.testing.capabilities import Capability, requires
from flydsl.testing.suite import thread_kernels
from flydsl.testing.suite.numbers import check_numbers
from flydsl.testing.suite.suite import Suite

Array = np.ndarray[Any, Any]
_DEVICE = (Capability.DEVICE, Capability.EXECUTION)
_N = 64


class ThreadSuite(Suite):
    """Order of accesses, control flow, vectors, waves and atomic updates."""

    level = 2

    @requires(*_DEVICE)
    def test_a_thread_reads_what_it_wrote_last(self) -> None:
        rows = np.random.default_rng(5).integers(-99, 99, (_N, 4)).astype(np.int32)
        y = self.bench.array(rows)
        self._launch(thread_kernels.sort_rows, y)
        np.testing.assert_array_equal(y.numpy(), np.sort(rows, axis=1))

    @requires(*_DEVICE)
    def test_the_last_store_to_a_place_counts(self) -> None:
        x = np.arange(_N, dtype=np.int32) * 7 + 3
        y = self.bench.array(np.full((_N, 8), -9, np.int32))
        self._launch(thread_kernels.overwrite, self.bench.array(x), y)
        np.testing.assert_array_equal(y.numpy(), np.array([_overwritten(int(value)) for value in x]))

    @requires(*_DEVICE)
    def test_loops_turn_as_often_as_each_thread_says(self) -> None:
        x = np.arange(1, _N + 1, dtype=np.int32)
        y = self.bench.array(np.zeros((4, _N), np.int32))
        self._launch(thread_kernels.loops, self.bench.array(x), y)
        np.testing.assert_array_equal(y.numpy(), np.array([_looped(int(n)) for n in x]).T)

    @requires(*_DEVICE)
    @pytest.mark.parametrize("element", ["int32", "float32"])
    def test_vectors_are_computed_lane_by_lane(self, element: str) -> None:
        x = np.random.default_rng(6).integers(-50, 50, (3, _N)).astype(element)
        y = self.bench.array(np.zeros((12, _N), element))
        self._launch(thread_kernels.vectors, self.bench.array(x), y)
        a, b, c = x
        left, right = np.stack([a, b, c, b]), np.stack([c, a, b, c])
        extremes = [left.sum(axis=0), left.max(axis=0), left.min(axis=0), a]
        np.testing.assert_array_equal(y.numpy(), np.stack([*(left * right), *np.maximum(left, right), *extremes]))

    @requires(*_DEVICE, Capability.SHUFFLES)
    @pytest.mark.parametrize("element", ["int32", "float32", "int64", "float16"])
    def test_lanes_of_a_wave_exchange_numbers(self, element: str) -> None:
        x = (np.arange(thread_kernels.WAVES) * 3 + 1).astype(element)
        y = self.bench.array(np.zeros((10, len(x)), element))
        self._launch(thread_kernels.exchange, self.bench.array(x), y)
        wave = int(y.numpy()[8, 0])  # that of the code: a device may run code for waves of two sizes
        rows = (
            *(_exchanged(x, wave, lambda lane: lane ^ 1), _exchanged(x, 8, lambda lane: lane ^ 5)),
            *(_exchanged(x, wave, lambda lane: lane - 1), _exchanged(x, 4, lambda lane: lane - 3)),
            *(_exchanged(x, wave, lambda lane: lane + 2), _exchanged(x, 2, lambda lane: lane + 1)),
            *(_exchanged(x, wave, lambda lane: 3), x[[t - t % 8 + t * 3 % 8 for t in range(len(x))]]),
            *(np.full(len(x), wave, element), (np.arange(len(x)) % wave).astype(element)),
        )
        for index, (found, right) in enumerate(zip(y.numpy(), rows, strict=True)):
            check_numbers(f"row {index} of exchange() from lanes", found, right, np.arange(len(x))[None])

    @requires(*_DEVICE, Capability.ATOMICS)
    def test_no_update_of_many_threads_is_lost(self) -> None:
        values = np.random.default_rng(7).integers(-(1 << 30), 1 << 30, 4 * _N).astype(np.int32)
        cells = self.bench.array(np.array([0, -1, 0, 0, -1, 0, 0, 5, -5], np.int32))
        unsigned = self.bench.array(np.array([7, 7, 0], np.uint32))
        reals, before = self.bench.array(np.zeros(1, np.float32)), self.bench.array(np.zeros((3, 4 * _N), np.int32))
        sums = self.bench.array(np.zeros(4 * _N, np.float32))
        self._launch(thread_kernels.update, cells, unsigned, reals, self.bench.array(values), before, sums)
        counts, given, compared = before.numpy()
        last = cells.numpy()
        every = np.arange(1, 4 * _N + 1)
        np.testing.assert_array_equal(np.sort(counts), every - 1)
        np.testing.assert_array_equal(np.sort([*given, last[1]]), np.array([-1, *every]))
        np.testing.assert_array_equal(np.sort(compared), np.sort([0, *[last[2]] * (4 * _N - 1)]))
        assert compared[last[2] - 1] == 0, (
            f"thread {last[2] - 1} replaced the cell, and was told {compared[last[2] - 1]}"
        )
        bits = [np.bitwise_and.reduce(values | 1), np.bitwise_or.reduce(values), np.bitwise_xor.reduce(values)]
        difference = np.subtract.reduce(values, initial=0, dtype=np.int32)
        assert last.tolist() == [
            *(len(every), last[1], last[2], difference, *bits),
            *(min(5, values.min()), max(-5, values.max())),
        ]
        words = values.view(np.uint32)
        assert unsigned.numpy().tolist() == [min(7, words.min()), max(7, words.max()), words.sum(dtype=np.uint32)]
        (total,) = reals.numpy()
        assert total == sum(range(len(every)))
        np.testing.assert_array_equal(np.sort([*(sums.numpy() + every - 1), 0]), np.sort([*sums.numpy(), total]))

    def _launch(self, function: Any, *arguments: Any) -> None:
        self.bench.function(function)(*arguments)
        self.bench.device.sync()


def _overwritten(x: int) -> list[int]:
    kept, row, place = [0, 1, 2, 3], [-9] * 4, x & 3
    kept[place] = x
    kept[2] += 100
    row[0] = -1
    row[place] = x
    row[1] = row[0] + kept[place]
    return row + kept


def _looped(x: int) -> list[int]:
    n, steps, total = x, 0, 0
    while n != 1:
        n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1
    for k in range(3, x, 4):
        total = total * 3 + k
    squares = total + sum(k * k for k in range(x, 0, -3))
    wrapped = [(value + (1 << 31)) % (1 << 32) - (1 << 31) for value in (total, squares)]
    return [steps, *wrapped, sum((a * b) % 3 == 1 for a in range(x % 7) for b in range(a, 7))]


def _exchanged(x: Array, width: int, source: Callable[[int], int]) -> Array:
    """From the lane `source(lane)` of each group of `width`; a lane's own number where there is no such lane."""
    lanes = [(thread, thread % width, source(thread % width)) for thread in range(len(x))]
    return x[[thread - lane + other if 0 <= other < width else thread for thread, lane, other in lanes]]
