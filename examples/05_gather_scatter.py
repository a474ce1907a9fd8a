"""Rows by index: out = table[index], and the opposite, table[index] = rows, for random odd sizes.

A thread owns a few rows of the output. `fx.gather` reads each from where the index says, `fx.scatter` writes it there.
"""

from __future__ import annotations

import numpy as np
from workbench import choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

THREADS, ROWS = 64, 2


@flyc.kernel
def rows_kernel(
    table: fx.Tensor, index: fx.Tensor, rows: fx.Tensor, width: fx.Constexpr[int], is_gather: fx.Constexpr[bool]
) -> None:
    count = fx.get_scalar(index.shape[0])
    first = (fx.block_idx.x * THREADS + fx.thread_idx.x) * ROWS

    # Where each row of this thread starts in the table, in elements, and whether there is such a row.
    offsets, exists = fx.make_rmem_tensor(ROWS, fx.Int32), fx.make_rmem_tensor(ROWS, fx.Boolean)
    for i in fx.range_constexpr(ROWS):
        exists[i] = first + i < count
        offsets[i] = fx.Int32(0)
        if first + i < count:
            offsets[i] = index[first + i] * width

    mine = fx.make_view(fx.get_iter(rows) + first * width, fx.make_layout((width, ROWS), (1, width)))
    registers = fx.make_fragment_like(mine)
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    if fx.const_expr(is_gather):
        fx.gather(atom, fx.get_iter(table), offsets, registers, pred=exists)
        fx.copy(atom, registers, mine, pred=exists)
    else:
        fx.copy(atom, mine, registers, pred=exists)
        fx.scatter(atom, registers, fx.get_iter(table), offsets, pred=exists)


@flyc.jit
def move_rows(
    table: fx.Tensor, index: fx.Tensor, rows: fx.Tensor, width: fx.Constexpr[int], is_gather: fx.Constexpr[bool]
) -> None:
    blocks = fx.ceil_div(index.shape[0], THREADS * ROWS)
    rows_kernel(table, index, rows, width, is_gather).launch(grid=blocks, block=THREADS)


def check_gather(rng: np.random.Generator, height: int, width: int, count: int) -> None:
    """`count` random rows against NumPy."""
    table = rng.standard_normal((height, width), dtype=np.float32)
    index = rng.integers(0, height, count).astype(np.int32)
    out = np.full((count, width), np.nan, np.float32)
    move_rows(table, index, out, width, True)
    np.testing.assert_array_equal(out, table[index])


def check_scatter(rng: np.random.Generator, height: int, width: int) -> None:
    """All rows in a random order against NumPy."""
    index = rng.permutation(height).astype(np.int32)
    rows = rng.standard_normal((height, width), dtype=np.float32)
    table, expected = np.full_like(rows, np.nan), np.empty_like(rows)
    move_rows(table, index, rows, width, False)
    expected[index] = rows
    np.testing.assert_array_equal(table, expected)


def check(rng: np.random.Generator, height: int, width: int, count: int) -> None:
    """Both directions."""
    check_gather(rng, height, width, count)
    check_scatter(rng, height, width)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for width in (1, 7, 12):
        height, count = odd(rng, 400), odd(rng, 400)
        check_gather(rng, height, width, count)
        print(f"gather {count} rows of {height} x {width}: equal to NumPy's table[index]")
        check_scatter(rng, height, width)
        print(f"scatter {height} rows of {width}: equal to NumPy's table[index] = rows")


if __name__ == "__main__":
    main()
