"""Kernels as users write them, each with several features of the language at once, against NumPy in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def steps(width: int) -> int:
    """How many halvings of a wave leave one lane; known while tracing."""
    return width.bit_length() - 1


@fx.struct
class Moments:
    """How many numbers were seen, their mean, and the sum of squared distances from it (Welford, 1962)."""

    count: fx.Float32
    mean: fx.Float32
    squares: fx.Float32

    def with_number(self, x):
        count, distance = self.count + 1.0, x - self.mean
        mean = self.mean + distance / count
        return Moments(count, mean, self.squares + distance * (x - mean))

    def joined(self, other):
        if other.count == 0.0:
            return self
        count, distance = self.count + other.count, other.mean - self.mean
        mean = self.mean + distance * other.count / count
        squares = self.squares + other.squares + distance * distance * self.count * other.count / count
        return Moments(count, mean, squares)

    def of_lane(self, offset):
        return Moments(*[fx.shuffle_xor(part, offset) for part in (self.count, self.mean, self.squares)])


@flyc.kernel
def variances_kernel(x: fx.Tensor, y: fx.Tensor):
    row, wave = x[fx.block_idx.x, None], fx.num_warp_threads()
    moments = Moments(0.0, 0.0, 0.0)
    for column in range(fx.thread_idx.x, row.shape[0], wave):
        moments = moments.with_number(row[column])
    for step in fx.range_constexpr(steps(int(wave))):
        moments = moments.joined(moments.of_lane(1 << step))
    if fx.thread_idx.x == 0:
        y[fx.block_idx.x] = moments.squares / moments.count


@flyc.jit
def variances(x: fx.Tensor, y: fx.Tensor):
    variances_kernel(x, y).launch(grid=x.shape[0], block=fx.num_warp_threads())


@pytest.mark.parametrize("columns", [1, 63, 211])
def test_a_record_with_methods_travels_through_loops_and_shuffles(columns: int, rng: np.random.Generator):
    x = (3 + rng.standard_normal((7, columns))).astype(np.float32)
    y = np.full(7, np.nan, np.float32)
    variances(x, y)
    np.testing.assert_allclose(y, x.astype(np.float64).var(axis=1), rtol=1e-5)


@flyc.kernel
def largest_kernel(x: fx.Tensor, y: fx.Tensor):
    row, wave = fx.block_idx.x, fx.num_warp_threads()
    best, where = fx.Float32(-math.inf), fx.Int32(0)
    for column in range(fx.thread_idx.x, x.shape[1], wave):
        if x[row, column] > best:
            best, where = x[row, column], column
    offset = wave // 2
    while offset > 0:
        value, index = fx.shuffle_xor(best, offset), fx.shuffle_xor(where, offset)
        if value > best or (value == best and index < where):
            best, where = value, index
        offset //= 2
    if fx.thread_idx.x == 0:
        y[row] = where


@flyc.jit
def largest(x: fx.Tensor, y: fx.Tensor):
    largest_kernel(x, y).launch(grid=x.shape[0], block=fx.num_warp_threads())


def test_the_first_of_equal_maxima_is_found_by_shuffles(rng: np.random.Generator):
    x = rng.integers(0, 5, (9, 101)).astype(np.float32)[:, ::-1]
    y = np.full(9, -1, np.int32)
    largest(x, y)
    np.testing.assert_array_equal(y, x.argmax(axis=1))


@flyc.kernel
def correlate_kernel(x: fx.Tensor, w: fx.Tensor, y: fx.Tensor):
    down, right = x.stride
    windows = fx.make_view(x.iter, fx.make_layout((y.shape, w.shape), ((down, right), (down, right))))
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    if i < fx.size(y):
        window, total = windows[i, None], fx.Float32(0)
        for k in range(fx.size(w)):
            total += window[k] * w[k]
        y[i] = total


@flyc.jit
def correlate(x: fx.Tensor, w: fx.Tensor, y: fx.Tensor):
    correlate_kernel(x, w, y).launch(grid=fx.ceil_div(fx.size(y), 64), block=64)


@pytest.mark.parametrize("flipped", [False, True])
def test_windows_of_an_image_are_a_layout(flipped: bool, rng: np.random.Generator):
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((23, 31), (3, 5)))
    if flipped:
        x, w = x[::-1, ::-1], w.T.copy().T
    y = np.full((21, 27), np.nan, np.float32)
    correlate(x, w, y)
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), w.shape)
    np.testing.assert_allclose(y, np.einsum("pqrs,rs->pq", windows, w), atol=1e-5)


@flyc.kernel
def dequantise_kernel(packed: fx.Tensor, scales: fx.Tensor, out: fx.Tensor):
    row = fx.block_idx.x
    for column in range(fx.thread_idx.x, packed.shape[1], fx.block_dim.x):
        word = packed[row, column]
        for nibble in fx.range_constexpr(8):
            number = fx.Int32((word >> (4 * nibble)) & 0xF) - 8
            out[row, column * 8 + nibble] = number.to(out.dtype) * scales[row].to(out.dtype)


@flyc.jit
def dequantise(packed: fx.Tensor, scales: fx.Tensor, out: fx.Tensor):
    dequantise_kernel(packed, scales, out).launch(grid=packed.shape[0], block=64)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_packed_nibbles_become_floats_of_any_type(dtype: type, rng: np.random.Generator):
    numbers = rng.integers(0, 16, (5, 71, 8), np.uint64)
    packed = (numbers << np.arange(0, 32, 4, np.uint64)).sum(axis=-1).astype(np.uint32)
    scales, out = np.ldexp(1, rng.integers(-6, 6, 5)).astype(np.float32), np.zeros((5, 568), dtype)
    dequantise(packed, scales, out)
    np.testing.assert_array_equal(out, ((numbers.astype(int) - 8) * scales[:, None, None]).reshape(5, -1))


@flyc.kernel
def search_kernel(table: fx.Tensor, queries: fx.Tensor, places: fx.Tensor):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    if i >= queries.shape[0]:
        return
    low, high = fx.Int32(0), table.shape[0]
    while low < high:
        middle = (low + high) // 2
        if table[middle] < queries[i]:
            low = middle + 1
        else:
            high = middle
    places[i] = low


@flyc.jit
def search(table: fx.Tensor, queries: fx.Tensor, places: fx.Tensor):
    search_kernel(table, queries, places).launch(grid=fx.ceil_div(queries.shape[0], 64), block=64)


@pytest.mark.parametrize("length", [0, 1, 97])
def test_a_binary_search_that_starts_at_an_extent(length: int, rng: np.random.Generator):
    table, queries = np.sort(rng.integers(0, 50, length)).astype(np.int64), rng.integers(-5, 55, 133)
    places = np.full(133, -1, np.int32)
    search(table, queries, places)
    np.testing.assert_array_equal(places, np.searchsorted(table, queries))
