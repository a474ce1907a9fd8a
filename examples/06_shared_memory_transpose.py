"""Transpose a matrix of any size through a swizzled tile of shared memory: Y = X^T.

Both global accesses run along rows, so neighbouring threads touch neighbouring addresses; the turn from rows to columns
happens in shared memory. The swizzle spreads a column of the tile over the memory banks; without it the 32 threads that
read a column would all wait for the same one. Tiles that hang over the border are predicated by coordinate.
"""

from __future__ import annotations

import numpy as np
from workbench import choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

TILE = 32
ROWS = 8  # rows of the tile that a block of 32 x 8 threads moves at a time


@flyc.kernel
def transpose_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    shared = fx.SharedAllocator().allocate(fx.Array[fx.Float32, TILE * TILE])
    # Element (row, column) is at row * 32 + column, with bits 2..4 of that XORed by bits 5..7: the row modulo 8.
    swizzle = fx.static(fx.SwizzleType.get(3, 2, 3))
    tile = shared.view(fx.make_composed_layout(swizzle, fx.make_layout((TILE, TILE), (TILE, 1))))
    thread, row0, column0 = fx.thread_idx, fx.block_idx.y * TILE, fx.block_idx.x * TILE

    for step in fx.range_constexpr(TILE // ROWS):
        row = thread.y + step * ROWS
        if fx.elem_less((row0 + row, column0 + thread.x), x.shape):
            tile[row, thread.x] = x[row0 + row, column0 + thread.x]
    fx.barrier()
    for step in fx.range_constexpr(TILE // ROWS):
        row = thread.y + step * ROWS  # of the transposed tile
        if fx.elem_less((column0 + row, row0 + thread.x), y.shape):
            y[column0 + row, row0 + thread.x] = tile[thread.x, row]


@flyc.jit
def transpose(x: fx.Tensor, y: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    blocks = fx.ceil_div(x.shape, (TILE, TILE))
    transpose_kernel(x, y).launch(grid=(blocks[1], blocks[0]), block=(TILE, ROWS), stream=stream)


def check(rng: np.random.Generator, rows: int, columns: int) -> None:
    """One random matrix against NumPy."""
    x = rng.standard_normal((rows, columns), dtype=np.float32)
    framed = np.full((columns + 2, rows + 2), -1, np.float32)  # nothing outside of y may be written
    transpose(x, framed[1:-1, 1:-1])
    np.testing.assert_array_equal(framed, np.pad(x.T, 1, constant_values=-1))


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(5):
        rows, columns = odd(rng, 400), odd(rng, 400)
        check(rng, rows, columns)
        print(f"transpose of {rows} x {columns}: equal to NumPy's x.T")


if __name__ == "__main__":
    main()
