"""Atomics of each kind, type and place, against NumPy: what all threads leave, and what each one's own place held."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

EVERYWHERE = os.environ.get("KERNEL_TESTS_EVERYWHERE") == "1"
CHIPS = ("gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250", "gfx90a") if EVERYWHERE else ("gfx942", "gfx1201")
LEVELS = pytest.mark.parametrize("level", [0, 1, 2, 3] if EVERYWHERE else [2])
TYPES = {"u32": np.uint32, "i32": np.int32, "u64": np.uint64, "i64": np.int64, "f32": np.float32, "f64": np.float64}
THREADS = 128
FUNCTIONS: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "min": np.minimum, "max": np.maximum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


def numbers(dtype: Any, count: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return random.integers(-99, 99, count).astype(dtype) / dtype(4)
    return random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, count, dtype=dtype, endpoint=True)


@LEVELS
@pytest.mark.parametrize("name", TYPES)
def test_all_threads_at_few_places_and_each_at_its_own(kernels: Any, level: int, name: str) -> None:
    program = kernels("atomics", level)
    for operation, function in FUNCTIONS.items():
        if f"{operation}_{name}_global" not in program.code.kernels:
            continue
        data, before = numbers(TYPES[name], THREADS, 1), numbers(TYPES[name], THREADS + 4, 2)
        expected = before.copy()
        function.at(expected, np.arange(THREADS) & 3, data)
        expected[4:] = function(before[4:], data)
        for kernel, rest in (("global", []), ("local", []), ("anywhere", [0]), ("anywhere", [1])):
            place, old = before.copy(), np.zeros(THREADS, TYPES[name])
            where = f"{operation}_{name}_{kernel}"
            program.run(where, 1, THREADS, [place, old, data, *rest], order="backward")
            np.testing.assert_array_equal(place, expected, err_msg=where)
            np.testing.assert_array_equal(old, before[4:], err_msg=where)


@LEVELS
@pytest.mark.parametrize("name", ["u32", "u64"])
def test_exchanges_and_loops_of_compared_ones(kernels: Any, level: int, name: str) -> None:
    program, dtype = kernels("atomics", level), TYPES[name]
    data, before = numbers(dtype, THREADS, 3), numbers(dtype, THREADS + 4, 4)
    place, old = before.copy(), np.zeros(THREADS, dtype)
    program.run(f"swap_{name}", 1, THREADS, [place, old, data])
    np.testing.assert_array_equal(place[4:], data)
    np.testing.assert_array_equal(old, before[4:])
    place = before.copy()
    program.run(f"taken_{name}", 1, THREADS, [place, old, data])
    for k in range(4):
        chain = [before[k : k + 1]]
        for _ in range(THREADS // 4):
            chain.append(chain[-1] * dtype(3) + dtype(1))
        assert place[k] == chain[-1][0]
        assert sorted(old[k::4].tolist()) == sorted(int(x[0]) for x in chain[:-1])


@LEVELS
def test_bytes_and_halves(kernels: Any, level: int) -> None:
    octets, halves = np.arange(8, dtype=np.uint8) * np.uint8(31), np.arange(4, dtype=np.uint16) * np.uint16(9999)
    expected = halves.copy()
    np.bitwise_xor.at(expected, np.arange(THREADS) & 3, (np.arange(THREADS) * 257).astype(np.uint16))
    sums = octets + np.uint8(3 * THREADS // 8)
    kernels("atomics", level).run("narrow", 1, THREADS, [octets, halves, np.zeros(THREADS, np.uint32)])
    np.testing.assert_array_equal(octets, sums)
    np.testing.assert_array_equal(halves, expected)


@LEVELS
def test_counters_that_wrap(kernels: Any, level: int) -> None:
    data, before = np.arange(THREADS, dtype=np.uint32) % 5, np.arange(THREADS + 4, dtype=np.uint32) % 7
    place, old = before.copy(), np.zeros((THREADS, 2), np.uint32)
    kernels("atomics", level).run("wrapped", 1, THREADS, [place, old, data])
    up = np.where(before[4:] >= data, 0, before[4:] + 1)
    down = np.where((up == 0) | (up > data // 2), data // 2, up - 1)
    np.testing.assert_array_equal(old, np.stack([before[4:], up], 1))
    np.testing.assert_array_equal(place[4:], down)


@LEVELS
def test_two_halves_at_once(kernels: Any, level: int) -> None:
    program = kernels("atomics", level)
    if "pairs" not in program.code.kernels:
        assert kernels.chip in ("gfx90a", "gfx1100")
        return
    random = np.random.default_rng(5)
    data, before = (random.integers(-8, 9, (n, 2)).astype(np.float16) for n in (THREADS, THREADS + 4))
    more, brains = (random.integers(-4, 5, (n, 2)).astype(np.float32) for n in (THREADS, 4))
    place, old = before.copy(), np.zeros((THREADS, 2), np.float16)
    codes, added = ((x.view(np.uint32) >> 16).astype(np.uint16) for x in (brains, more))
    program.run("pairs", 1, THREADS, [place, codes, data, added, old])
    expected, sums = before.copy(), brains.copy()
    np.add.at(expected, np.arange(THREADS) & 3, data)
    np.add.at(sums, np.arange(THREADS) & 3, more)
    expected[4:] = before[4:] + data
    np.testing.assert_array_equal(place, expected)
    np.testing.assert_array_equal(old, before[4:])
    np.testing.assert_array_equal((codes.astype(np.uint32) << 16).view(np.float32), sums)
