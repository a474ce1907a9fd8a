"""How many elements of a long vector lie in each of 256 bins, counted in shared memory.

Every wave has counters of its own, so that fewer threads meet at one of them, and blocks walk over the vector in steps
of the grid: each adds its counts to the result once. What lies outside of all bins is not counted; the upper end is in
the last one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from workbench import choose_backend, marked, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

BINS = 256
THREADS = 256
VECTOR = 4  # elements of a vector
VECTORS = 4  # in flight at a time
WAVE = 32  # threads that share counters
COPIES = THREADS // WAVE


def count_one(counters: Any, value: Any, low: Any, scale: Any, high: Any) -> None:
    if (value >= low) & (value <= high):
        which = fx.min(fx.Int32((value - low) * scale), BINS - 1)
        fx.atomic_add(counters + which, 1, syncscope="workgroup")


@flyc.kernel
def clear_kernel(counts: fx.Tensor) -> None:
    counts[fx.thread_idx.x] = fx.Int32(0)


@flyc.kernel
def histogram_kernel(x: fx.Tensor, counts: fx.Tensor, low: fx.Float32, high: fx.Float32) -> None:
    thread = fx.thread_idx.x
    counters = fx.SharedAllocator().allocate(fx.Array[fx.Int32, COPIES * BINS])
    for i in fx.range_constexpr(COPIES * BINS // THREADS):
        counters[i * THREADS + thread] = fx.Int32(0)
    fx.barrier()

    atom = fx.make_copy_atom(fx.UniversalCopy(VECTOR * x.dtype.width), x.dtype)
    vectors, count = fx.zipped_divide(x, fx.make_tile(VECTOR)), fx.get_scalar(fx.size(x)) // VECTOR
    own, scale = counters.ptr + thread // WAVE * BINS, BINS / (high - low)
    step = fx.grid_dim.x * (THREADS * VECTORS)
    registers = fx.make_rmem_tensor((VECTOR, VECTORS), x.dtype)
    for start in range(fx.block_idx.x * (THREADS * VECTORS), count, step):
        for i in fx.range_constexpr(VECTORS):
            registers[None, i].fill(low - 1)
            if start + i * THREADS + thread < count:
                fx.copy(atom, vectors[None, start + i * THREADS + thread], registers[None, i])
        for i in fx.range_constexpr(VECTORS * VECTOR):
            count_one(own, registers[i], low, scale, high)
    fx.barrier()
    for first in fx.range_constexpr(0, BINS, THREADS):
        total = fx.Int32(0)
        for i in fx.range_constexpr(COPIES):
            total = total + counters[i * BINS + first + thread]
        fx.atomic_add(fx.get_iter(counts) + (first + thread), total)


@flyc.jit
def histogram(
    x: fx.Tensor,
    counts: fx.Tensor,
    low: fx.Float32,
    high: fx.Float32,
    blocks: fx.Int32,
    stream: fx.Stream = fx.Stream(None),
) -> None:
    clear_kernel(counts).launch(grid=1, block=BINS, stream=stream)
    histogram_kernel(x, counts, low, high).launch(grid=blocks, block=THREADS, stream=stream)


def check(rng: np.random.Generator, count: int) -> None:
    """Random 512ths between -1 and 3, whose bins are exact, against NumPy."""
    x = (rng.integers(-512, 3 * 512, VECTOR * count) / 512).astype(np.float32)
    counts = np.full(BINS, -1, np.int32)
    histogram(marked(x), counts, 0.0, 2.0, 7)
    np.testing.assert_array_equal(counts, np.histogram(x, BINS, (0, 2))[0])


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for below in (100, 10_000, 50_000):
        count = odd(rng, below)
        check(rng, count)
        print(f"histogram of {VECTOR * count} elements: equal to NumPy's")


if __name__ == "__main__":
    main()
