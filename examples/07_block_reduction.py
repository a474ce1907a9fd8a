"""Sum and maximum of every row of a matrix, one block a row: registers, then shuffles, then shared memory.

Each thread combines every 256th element of its row. A butterfly of shuffles combines the threads of a wave without
memory; the waves meet in shared memory, behind a barrier, and the first wave combines what they left there.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("FLYDSL_COMPILE_BACKEND", "cpu")

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCK = 256


def add(a: Any, b: Any) -> Any:
    return a + b


def reduce_wave(value: Any, combine: Callable[[Any, Any], Any], width: int) -> Any:
    """`value` combined over groups of `width` lanes; every lane gets the result."""
    offset = width // 2
    while offset:
        value = combine(value, fx.shuffle_xor(value, offset, width))
        offset //= 2
    return value


def reduce_block(value: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """`value` combined over the block; the first threads get the result."""
    wave = int(fx.num_warp_threads())
    waves = BLOCK // wave
    partial = fx.SharedAllocator().allocate(fx.Array[fx.Float32, waves])
    thread = fx.thread_idx.x
    value = reduce_wave(value, combine, wave)
    if fx.lane_id() == 0:
        partial[thread // wave] = value
    fx.barrier()
    return reduce_wave(partial[thread % waves], combine, waves)


@flyc.kernel
def reduce_rows_kernel(x: fx.Tensor, sums: fx.Tensor, maxima: fx.Tensor) -> None:
    row, thread = fx.block_idx.x, fx.thread_idx.x
    total, largest = fx.Float32(0), fx.Float32(-math.inf)
    for column in range(thread, fx.get_scalar(x.shape[1]), BLOCK):
        total = total + x[row, column]
        largest = fx.max(largest, x[row, column])
    total, largest = reduce_block(total, add), reduce_block(largest, fx.max)
    if thread == 0:
        sums[row], maxima[row] = total, largest


@flyc.jit
def reduce_rows(x: fx.Tensor, sums: fx.Tensor, maxima: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    reduce_rows_kernel(x, sums, maxima).launch(grid=x.shape[0], block=BLOCK, stream=stream)


def main() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        rows, columns = int(rng.integers(1, 60)), 2 * int(rng.integers(1, 2000)) + 1
        x = rng.standard_normal((rows, columns), dtype=np.float32)
        sums, maxima = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
        reduce_rows(x, sums, maxima)
        exact = x.astype(np.float64)
        # Rounding grows with the longest chain of additions of a thread, and with the size of what is added.
        bound = (columns / BLOCK + 16) * np.finfo(np.float32).eps * np.abs(exact).sum(axis=1)
        assert (np.abs(sums - exact.sum(axis=1)) <= bound).all()
        np.testing.assert_array_equal(maxima, x.max(axis=1))
        print(f"{rows} rows of {columns}: maxima equal to NumPy's, sums too within rounding")


if __name__ == "__main__":
    main()
