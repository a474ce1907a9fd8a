"""Programs of whole workgroups in HIP's C++, in both orders of waves and with all checks, against NumPy."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

EVERYWHERE = os.environ.get("KERNEL_TESTS_EVERYWHERE") == "1"
TARGETS = ("gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250", "gfx90a", "gfx9-4-generic", "gfx11-generic")
LEVELS: tuple[int | str, ...] = (0, 1, 2, 3, "s")
ORDERS = ("forward", "backward", "random:5")
Case = tuple[str, int, int, list[Any], list[tuple[int, np.ndarray, float]]]
"""Kernel, groups, threads, arguments; which of them have what afterwards, and within which relative distance."""


def sort(kernel: str, dtype: Any, random: np.random.Generator) -> Case:
    data = (random.standard_normal((3, 256)) * 1000).astype(dtype)
    return kernel, 3, 256, [data.copy()], [(0, np.sort(data, 1), 0)]


def scan(kernel: str, dtype: Any, random: np.random.Generator) -> Case:
    data = random.integers(0, 1000, (2, 200)).astype(dtype)
    expected = np.cumsum(data, 1) if kernel == "scan_add" else np.maximum.accumulate(data, 1)
    return kernel, 2, 200, [data, np.zeros_like(data)], [(1, expected.astype(dtype), 0)]


def histogram(random: np.random.Generator) -> Case:
    data = random.integers(0, 256, 5000, dtype=np.uint8)
    counts = np.bincount(data & 63, minlength=64).astype(np.uint32)
    return "histogram", 4, 128, [data, np.zeros(64, np.uint32), data.size], [(1, counts, 0)]


def transpose(kernel: str, dtype: Any, random: np.random.Generator) -> Case:
    data = random.standard_normal((37, 53)).astype(dtype)
    return kernel, 12, 256, [data, np.zeros(data.T.shape, dtype), 37, 53], [(1, np.ascontiguousarray(data.T), 0)]


def reduction(random: np.random.Generator) -> Case:
    data = random.integers(-50, 50, 3000).astype(np.float32)
    return "reduce", 3, 256, [data, np.zeros(1, np.float32), data.size], [(1, data.sum(keepdims=True), 0)]


def radix(random: np.random.Generator) -> Case:
    data = random.integers(0, 2**32, 256, dtype=np.uint32)
    expected = data[np.argsort(data >> np.uint32(8) & np.uint32(15), kind="stable")]
    return "radix_pass", 1, 256, [data, np.zeros_like(data), 8], [(1, expected, 0)]


def convolution(random: np.random.Generator) -> Case:
    image, weights = random.integers(-9, 9, (32, 48)).astype(np.float32), random.integers(-3, 4, (5, 5))
    padded = np.pad(image, 2)
    expected = sum(weights[y, x] * padded[y : y + 32, x : x + 48] for y in range(5) for x in range(5))
    arguments = [image, weights.astype(np.float32), np.zeros_like(image), 48, 32]
    return "conv2d", 6, 256, arguments, [(2, np.asarray(expected, np.float32), 0)]


def bodies(random: np.random.Generator) -> Case:
    place = random.standard_normal((100, 4))
    apart = place[None, :, :3] - place[:, None, :3]
    distance = (apart**2).sum(2) + 1e-3
    force = (apart * (place[:, 3] / (distance * np.sqrt(distance)))[..., None]).sum(1)
    return "bodies", 2, 64, [place, np.zeros((100, 3)), 100], [(1, force, 1e-9)]


def heat(random: np.random.Generator) -> Case:
    start = random.integers(-64, 64, 192).astype(np.float32)
    now = np.pad(start.astype(np.float64), 1)
    for _ in range(5):
        now[1:-1] = now[1:-1] + 0.25 * (now[:-2] - 2 * now[1:-1] + now[2:])
    return "heat", 1, 192, [start, np.zeros_like(start), 192, 5], [(1, now[1:-1].astype(np.float32), 1e-5)]


CASES: dict[str, Callable[[np.random.Generator], Case]] = {
    **{name: lambda r, n=name, t=t: sort(n, t, r) for name, t in (("sort_u32", np.uint32), ("sort_f32", np.float32))},
    **{name: lambda r, n=name, t=t: sort(n, t, r) for name, t in (("sort_i64", np.int64), ("sort_f16", np.float16))},
    "scan_add": lambda r: scan("scan_add", np.uint32, r),
    "scan_max": lambda r: scan("scan_max", np.float64, r),
    "histogram": histogram,
    "transpose_f32": lambda r: transpose("transpose_f32", np.float32, r),
    "transpose_f16": lambda r: transpose("transpose_f16", np.float16, r),
    "reduce": reduction,
    "radix_pass": radix,
    "conv2d": convolution,
    "bodies": bodies,
    "heat": heat,
}  # fmt: skip


def chosen() -> list[tuple[str, int | str, str, str]]:
    every = [(c, level, order, check) for c in TARGETS for level in LEVELS for order in ORDERS for check in ("", "all")]
    if EVERYWHERE:
        return every
    return [
        (chip, LEVELS[(k + turn) % len(LEVELS)], ORDERS[(k + turn) % 2], "all" if turn else "")
        for turn in (0, 1)
        for k, chip in enumerate(TARGETS)
    ]


@pytest.mark.parametrize(("chip", "level", "order", "check"), chosen())
def test_workgroups_compute_what_numpy_does(kernels: Any, chip: str, level: int | str, order: str, check: str) -> None:
    program = kernels("groups/groups", level, chip)
    for seed, (name, make) in enumerate(CASES.items()):
        random = np.random.default_rng(seed)
        kernel, groups, threads, arguments, expected = make(random)
        program.run(kernel, groups, threads, arguments, order=order, check=check)
        for place, values, distance in expected:
            np.testing.assert_allclose(arguments[place], values, rtol=distance, atol=distance, err_msg=name)


@pytest.mark.parametrize("order", ORDERS)
def test_workgroups_take_a_lock_in_turn(kernels: Any, order: str) -> None:
    lock, turns, total = np.zeros(2, np.uint32), np.full(6, 9, np.uint32), np.zeros(1, np.uint32)
    kernels("groups/groups", 2, "gfx942").run("tickets", 6, 64, [lock, turns, total], order=order)
    assert (sorted(turns.tolist()), lock.tolist()) == ([0, 1, 2, 3, 4, 5], [6, 6])
    expected = 0
    for k in range(6):
        expected = expected * 3 + k
    assert total[0] == expected
