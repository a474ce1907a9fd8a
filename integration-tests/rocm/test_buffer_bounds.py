"""Bounds of buffer tensors on every simulated chip: what lies behind them reads 0 and is not written."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
N = 512


@flyc.kernel
def bounded_kernel(x: fx.Tensor, y: fx.Tensor, at: fx.Int32, elements: fx.Constexpr[int]):
    """Each thread an element, by a copy; one that all threads share, by a scalar load; stores behind the bound."""
    i = fx.thread_idx.x
    size = elements * x.element_type.width // 8
    source = fx.rocdl.make_buffer_tensor(x, num_records_bytes=size)
    y[0, i] = source[i]
    y[1, i] = source[at]
    target = fx.rocdl.make_buffer_tensor(fx.slice(y, (2, None)), num_records_bytes=size)
    target[i] = x[i]


@flyc.jit
def bounded(x: fx.Tensor, y: fx.Tensor, at: fx.Int32, elements: fx.Constexpr[int]):
    bounded_kernel(x, y, at, elements).launch(grid=1, block=N)


@flyc.kernel
def whole_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    y[i] = fx.rocdl.make_buffer_tensor(x, max_size=False)[i]


@flyc.jit
def whole(x: fx.Tensor, y: fx.Tensor):
    whole_kernel(x, y).launch(grid=1, block=N)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
@pytest.mark.parametrize("elements", [1, 127, 128, 301, N])
def test_what_is_behind_the_bound_is_zero_and_stays(hipsim: HipsimBench, chip: str, dtype, elements: int, rng):
    hipsim.use(chip)
    x, y = rng.integers(1, 100, N).astype(dtype), np.full((3, N), -1, dtype)
    within = np.arange(N) < elements
    for at in (elements - 1, elements % N):
        bounded(x, y, at, elements)
        np.testing.assert_array_equal(y[0], np.where(within, x, 0))
        np.testing.assert_array_equal(y[1], x[at] if at < elements else 0)
        np.testing.assert_array_equal(y[2], np.where(within, x, -1))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("count", [300, N])
def test_a_tensor_of_its_own_size_is_read_to_its_end(hipsim: HipsimBench, chip: str, count: int, rng):
    hipsim.use(chip)
    x, y = rng.standard_normal(count).astype(np.float32), np.full(N, -1, np.float32)
    whole(x, y)
    np.testing.assert_array_equal(y, np.concatenate([x, np.zeros(N - count, np.float32)]))
