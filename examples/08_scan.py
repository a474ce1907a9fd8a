"""Running sums of every row of a matrix (an inclusive scan), one block a row.

The block walks over its row in pieces of 256 elements. Inside a piece each wave scans its elements by shuffles (the
method of Hillis and Steele: after step k an element holds the sum of the 2**k up to it), the totals of the waves are
scanned in shared memory, and what the pieces before added up to is carried along in a register.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rows import BLOCK
from workbench import choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx


def scan_wave(value: Any, lane: Any, width: int) -> Any:
    """The inclusive sum of `value` over groups of `width` lanes; `lane` counts within the group."""
    offset = 1
    while offset < width:
        below = fx.shuffle_up(value, offset, width)
        value = value + (lane >= offset).select(below, 0)
        offset *= 2
    return value


@flyc.kernel
def scan_rows_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    row, thread, columns = fx.block_idx.x, fx.thread_idx.x, fx.get_scalar(x.shape[1])
    wave = int(fx.num_warp_threads())
    waves = BLOCK // wave
    totals = fx.SharedAllocator().allocate(fx.Array[fx.Int32, waves])
    carry = fx.Int32(0)
    for start in range(0, columns, BLOCK):
        column = start + thread
        value = fx.Int32(0)
        if column < columns:
            value = x[row, column]
        value = scan_wave(value, fx.lane_id(), wave)
        if fx.lane_id() == wave - 1:
            totals[thread // wave] = value
        fx.barrier()
        # Every group of lanes scans the totals again: cheaper than a second barrier to share the result.
        scanned = scan_wave(totals[thread % waves], thread % waves, waves)
        before = fx.shuffle_idx(scanned, fx.max(thread // wave - 1, 0), waves)
        value = value + carry + (thread >= wave).select(before, 0)
        if column < columns:
            y[row, column] = value
        carry = carry + fx.shuffle_idx(scanned, waves - 1, waves)
        fx.barrier()  # nobody may write the next totals while others still read these


@flyc.jit
def scan_rows(x: fx.Tensor, y: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    scan_rows_kernel(x, y).launch(grid=x.shape[0], block=BLOCK, stream=stream)


def check(rng: np.random.Generator, rows: int, columns: int) -> None:
    """One random matrix against NumPy."""
    x = rng.integers(-1000, 1000, (rows, columns), dtype=np.int32)
    y = np.zeros_like(x)
    scan_rows(x, y)
    np.testing.assert_array_equal(y, np.cumsum(x, axis=1, dtype=np.int32))


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(5):
        rows, columns = odd(rng, 60), odd(rng, 4000)
        check(rng, rows, columns)
        print(f"running sums of {rows} rows of {columns}: equal to NumPy's cumsum")


if __name__ == "__main__":
    main()
