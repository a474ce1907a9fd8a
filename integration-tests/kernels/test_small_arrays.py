"""Arrays of a few elements, read whole by each thread at indices that are known: loads are made wider for speed."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

THREADS = 3


@flyc.kernel
def gather_kernel(x: fx.Tensor, y: fx.Tensor, count: fx.Constexpr[int]):
    read = [x[element] for element in range(count)]  # before the first store: next to each other
    for element in fx.range_constexpr(count):
        y[fx.thread_idx.x, element] = read[element]


@flyc.jit
def gather(x: fx.Tensor, y: fx.Tensor, count: fx.Constexpr[int]):
    gather_kernel(x, y, count).launch(grid=1, block=THREADS)


@pytest.mark.parametrize("kind", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 7, 9, 15])
def test_no_load_reads_past_the_end(rng: np.random.Generator, kind: str, count: int, target: object) -> None:
    x = np.zeros(count * 8 + 16, np.uint8)
    x = x[-x.ctypes.data % 16 :][: count * np.dtype(kind).itemsize].view(kind)
    x[:] = rng.integers(0, 100, count)
    y = np.zeros((THREADS, count), kind)
    gather(flyc.from_dlpack(x, assumed_align=16), y, count)
    np.testing.assert_array_equal(y, np.broadcast_to(x, y.shape))
