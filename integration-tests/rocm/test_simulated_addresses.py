"""Addresses of global memory on simulated GPUs: a scalar base and an offset of 32 bits give the elements that 64-bit
arithmetic gives, whatever the signs and sizes of indices, elements and blocks.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from support.sparse import GIB, sparse

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench

CHIPS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]
SCALAR_BASE = re.compile(r"global_(?:load|store)_\w+ (?:v\S+, )+s\[")


@pytest.fixture(params=CHIPS)
def chip(request: pytest.FixtureRequest, hipsim: HipsimBench) -> str:
    hipsim.use(request.param)
    return str(request.param)


def isa(function: Any, chip: str, *arguments: Any) -> str:
    return function.trace(*arguments, arch=chip).lower().compile().disassemble()


@pytest.mark.parametrize("block", [64, 96, 256])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8"])
def test_one_vector_a_thread(chip: str, dtype: str, block: int, rng: np.random.Generator) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        index = fx.block_idx.x * block + fx.thread_idx.x
        atom = fx.make_copy_atom(fx.UniversalCopy(2 * x.dtype.width), x.dtype)
        source, target = (fx.slice(fx.zipped_divide(t, fx.make_tile(2)), (None, index)) for t in (x, y))
        registers = fx.make_rmem_tensor(2, x.dtype)
        fx.copy(atom, source, registers)
        fx.copy(atom, registers, target)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=x.shape[0] // (2 * block), block=block)

    x = rng.integers(-100, 100, 14 * block).astype(dtype)
    y = np.zeros_like(x)
    host(x, y)
    np.testing.assert_array_equal(y, x)
    if dtype != "float64" and chip != "gfx1250":  # 2^30 elements of 8 bytes are more than an offset holds
        assert len(SCALAR_BASE.findall(isa(host, chip, x, y))) == 2


@pytest.mark.parametrize("block", [(32, 8), (48, 2)])
def test_padded_rows_and_neighbours_to_the_left(chip: str, block: tuple[int, int], rng: np.random.Generator) -> None:
    """The element left of the first one has a negative index, counted from the row."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.block_idx.y * block[1] + fx.thread_idx.y
        j = fx.block_idx.x * block[0] + fx.thread_idx.x
        if i < y.shape[0] and j < y.shape[1]:
            row = fx.make_view(fx.get_iter(x) + i * x.shape[1] + 1, fx.make_layout(y.shape[1], 1))
            y[i, j] = row[j] - row[j - 1] * 2

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        grid = (fx.ceil_div(y.shape[1], block[0]), fx.ceil_div(y.shape[0], block[1]))
        kernel(x, y).launch(grid=grid, block=block)

    rows, columns = 13, 77
    x, y = rng.standard_normal((rows, columns + 5)).astype(np.float32), np.zeros((rows, columns), np.float32)
    host(x, y)
    np.testing.assert_array_equal(y, x[:, 1 : columns + 1] - x[:, :columns] * 2)


def test_indices_below_zero_and_loops_that_count_down(chip: str, rng: np.random.Generator) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, origin: fx.Int32):
        lane = fx.thread_idx.x
        middle = fx.get_iter(x) + origin
        total = fx.Float32(0)
        for step in range(0, 3, 1):
            view = fx.make_view(middle, fx.make_layout((64, 8), (1, 64)))
            total = total + view[lane, step] - view[lane, 0 - 1 - step]
        y[fx.block_idx.x * 64 + lane] = total + fx.make_view(middle, fx.make_layout(64, -1))[lane]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, origin: fx.Int32):
        kernel(x, y, origin).launch(grid=2, block=64)

    x = rng.standard_normal(1024).astype(np.float32)
    y = np.zeros(128, np.float32)
    host(x, y, 512)
    lanes = np.arange(64)
    expected = np.zeros(64, np.float32)
    for step in range(3):
        expected = expected + x[512 + lanes + 64 * step] - x[512 + lanes - 64 * (1 + step)]
    np.testing.assert_array_equal(y, np.tile(expected + x[512 - lanes], 2))


def test_indices_that_wrap_on_purpose(chip: str, rng: np.random.Generator) -> None:
    """Hashes are arithmetic modulo 2^32: nothing is assumed of them."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.block_idx.x * 64 + fx.thread_idx.x
        mixed = (i * 0x61C88647 + 12345) * 3
        y[i] = x[(mixed & 1023) ^ 5] + x[(mixed * 2) % 511 + 511]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=5, block=64)

    x, y = rng.standard_normal(1024).astype(np.float32), np.zeros(320, np.float32)
    host(x, y)
    with np.errstate(over="ignore"):
        mixed = (np.arange(320, dtype=np.int32) * np.int32(0x61C88647) + np.int32(12345)) * np.int32(3)
        other = np.fmod(mixed * np.int32(2), np.int32(511)) + 511
    np.testing.assert_array_equal(y, x[(mixed & 1023) ^ 5] + x[other])


def test_atomic_operations_and_stores_of_a_reduction_in_a_loop(chip: str, rng: np.random.Generator) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
        thread = fx.thread_idx.x
        row = fx.slice(x, (fx.block_idx.x, None))
        pairs = fx.zipped_divide(row, fx.make_tile(2))
        for start in range(0, n, 64):
            if start + thread < n:
                fx.atomic_add(fx.get_iter(y) + thread, pairs[1, start + thread] - pairs[0, start + thread])

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
        kernel(x, y, n).launch(grid=x.shape[0], block=64)

    x, y = rng.integers(-50, 50, (3, 2 * 150)).astype(np.int32), np.zeros(64, np.int32)
    host(x, y, 150)
    differences = np.zeros((3, 192), np.int32)
    differences[:, :150] = x[:, 1::2] - x[:, ::2]
    np.testing.assert_array_equal(y, differences.reshape(3, 3, 64).sum((0, 1)))


def picking(pick: Any) -> Any:
    @flyc.kernel
    def kernel(x: fx.Tensor, numbers: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = pick(x, numbers[i])

    @flyc.jit
    def host(x: fx.Tensor, numbers: fx.Tensor, y: fx.Tensor):
        kernel(x, numbers, y).launch(grid=1, block=4)

    return host


UNSIGNED = np.array([7, (1 << 31) - 1, (1 << 31) + 12, (1 << 32) - 5], np.uint32)
FAR = {
    "unsigned": (UNSIGNED, 1, lambda x, number: fx.get_iter(x)[fx.Int64(number)]),
    "masked": (UNSIGNED.astype(np.int64), 1, lambda x, number: fx.get_iter(x)[number & 0xFFFFFFFF]),
    "in parts": (UNSIGNED, 1, lambda x, number: fx.get_iter(x)[fx.Int64(number >> 3) * 8 + fx.Int64(number & 7)]),
    "twice": (
        (UNSIGNED >> 1).astype(np.int32),
        2,
        lambda x, number: (fx.get_iter(x) + (number & 0x7FFFFFFF))[number & 0x7FFFFFFF],
    ),
    "behind": ((UNSIGNED >> 1).astype(np.int32), 1, lambda x, number: (fx.get_iter(x) + number)[1 << 31]),
}
"""Numbers, how many elements further each is, and the element that a number stands for."""


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
@pytest.mark.parametrize("way", FAR)
def test_offsets_of_two_gigabytes_and_more(chip: str, way: str, dtype: Any, rng: np.random.Generator) -> None:
    """Beside a scalar base an offset of 32 bits is signed on gfx1250."""
    numbers, factor, pick = FAR[way]
    index = numbers.astype(np.int64) * factor + (1 << 31 if way == "behind" else 0)
    x, y = sparse(4 * GIB * np.dtype(dtype).itemsize).view(dtype), np.zeros(4, dtype)
    x[index] = rng.integers(1, 100, 4)
    picking(pick)(x, numbers, y)
    np.testing.assert_array_equal(y, x[index])
