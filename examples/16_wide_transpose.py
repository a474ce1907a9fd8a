"""Transpose a matrix of 32-bit elements by accesses of 16 bytes: Y = X^T.

A thread reads 4 rows of 4 elements, turns them in its registers, and writes 4 columns to the tile in shared memory,
where whole rows of Y are read from. The vectors of a row are in an order of their own: every access is as wide as there
is, in global and in shared memory, and no two threads that access together meet in a memory bank.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from workbench import choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

TILE = 64
VECTOR = 4  # elements of a vector, and of a side of the square that a thread turns
SIDE = TILE // VECTOR  # squares along a side of the tile
THREADS = SIDE * SIDE


@flyc.kernel
def transpose_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    tile = fx.SharedAllocator().allocate(fx.Array[x.dtype, TILE * TILE, 16])
    # Y's tile as (element of a vector, vector of a row, row of a square, square). A row has its vectors in an order
    # of its own: the number of its square, XORed with theirs.
    layout = fx.make_layout((VECTOR, SIDE, VECTOR, SIDE), (1, VECTOR, TILE, VECTOR * TILE))
    vectors = tile.view(layout)
    atom = fx.make_copy_atom(fx.UniversalCopy(VECTOR * x.dtype.width), x.dtype)
    across, down = fx.thread_idx.x % SIDE, fx.thread_idx.x // SIDE
    row0, column0 = fx.block_idx.y * TILE, fx.block_idx.x * TILE

    square = fx.make_rmem_tensor((VECTOR, VECTOR), x.dtype)
    turned = fx.make_rmem_tensor((VECTOR, VECTOR), x.dtype)
    rows, columns = [fx.get_scalar(x.shape[i]) for i in range(2)]
    row, column = row0 + down * VECTOR, column0 + across * VECTOR
    if (row < rows) & (column < columns):
        for i in fx.range_constexpr(VECTOR):
            fx.copy(
                atom, fx.zipped_divide(x[row + i, None], fx.make_tile(VECTOR))[None, column // VECTOR], square[None, i]
            )
    for i in fx.range_constexpr(VECTOR):
        for j in fx.range_constexpr(VECTOR):
            turned[i, j] = square[j, i]
    for j in fx.range_constexpr(VECTOR):
        fx.copy(atom, turned[None, j], vectors[None, down ^ across, j, across])
    fx.barrier()
    for step in fx.range_constexpr(VECTOR):
        inside = step * SIDE + down  # row of Y's tile
        fx.copy(atom, vectors[None, across ^ inside // VECTOR, inside % VECTOR, inside // VECTOR], square[None, step])
        row, column = column0 + inside, row0 + across * VECTOR  # of Y
        if (row < columns) & (column < rows):
            target = fx.zipped_divide(y[row, None], fx.make_tile(VECTOR))[None, column // VECTOR]
            fx.copy(atom, square[None, step], target)


@flyc.jit
def transpose(x: fx.Tensor, y: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    blocks = fx.ceil_div(x.shape, (TILE, TILE))
    transpose_kernel(x, y).launch(grid=(blocks[1], blocks[0]), block=THREADS, stream=stream)


def marked(array: Any) -> Any:
    """A matrix as an argument: whole vectors in its rows, which begin at multiples of 16 bytes."""
    argument = flyc.from_dlpack(array, assumed_align=4 * VECTOR)
    return argument.mark_layout_dynamic(leading_dim=1, divisibility=VECTOR)


def check(rng: np.random.Generator, rows: int, columns: int) -> None:
    """A random matrix of squares of 4 x 4 against NumPy."""
    x = rng.standard_normal((VECTOR * rows, VECTOR * columns), dtype=np.float32)
    framed = np.full((x.shape[1] + 2, x.shape[0] + 2 * VECTOR), -1, np.float32)  # nothing outside may be written
    y = framed[1:-1, VECTOR:-VECTOR]
    transpose(marked(x), marked(y))
    np.testing.assert_array_equal(framed, np.pad(x.T, ((1, 1), (VECTOR, VECTOR)), constant_values=-1))


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(5):
        rows, columns = odd(rng, 100), odd(rng, 100)
        check(rng, rows, columns)
        print(f"transpose of {VECTOR * rows} x {VECTOR * columns}: equal to NumPy's x.T")


if __name__ == "__main__":
    main()
