"""A tiled copy: B = A^T for random odd sizes, in tiles of 16 x 32 that 128 threads move four elements each.

The transposition is only a layout: the copy writes to B through a view with its modes exchanged.
"""

from __future__ import annotations

import numpy as np
from workbench import choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

TILE = (16, 32)


@flyc.kernel
def transpose_kernel(a: fx.Tensor, b: fx.Tensor, tiled_copy: fx.TiledCopy) -> None:
    # B seen with the coordinates of A, and the coordinates themselves.
    b_t = fx.make_view(fx.get_iter(b), fx.select(b.layout, [1, 0]))
    coordinates = fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(a.shape))
    block = (None, None, fx.block_idx.y, fx.block_idx.x)
    tile_a, tile_b, tile_crd = [fx.flat_divide(t, fx.make_tile(*TILE))[block] for t in (a, b_t, coordinates)]

    # This thread's elements as (values of an atom, rest of the tile along M, along N).
    thread = tiled_copy.get_slice(fx.thread_idx.x)
    source, target = thread.partition_S(tile_a), thread.partition_D(tile_b)
    crd = thread.partition_S(tile_crd)

    # One flag for each of them: which lie inside A?
    registers = fx.make_fragment_like(source)
    inside = fx.make_fragment_like(registers, fx.Boolean)
    for i in fx.range_constexpr(fx.size(inside.shape)):
        inside[i] = fx.elem_less(crd[i], a.shape)
    fx.copy(tiled_copy, source, registers, pred=inside)
    fx.copy(tiled_copy, registers, target, pred=inside)


@flyc.jit
def transpose(a: fx.Tensor, b: fx.Tensor) -> None:
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    threads, values = fx.make_layout((4, 32), (32, 1)), fx.make_layout((4, 1), (1, 1))
    tiled_copy = fx.make_tiled_copy_tv(atom, threads, values)
    blocks = fx.ceil_div(a.shape, TILE)
    transpose_kernel(a, b, tiled_copy).launch(grid=(blocks[1], blocks[0]), block=128)


def check(rng: np.random.Generator, m: int, n: int) -> None:
    """One random matrix against NumPy."""
    a = rng.standard_normal((m, n), dtype=np.float32)
    b = np.full((n, m), np.nan, np.float32)
    transpose(a, b)
    np.testing.assert_array_equal(b, a.T)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(5):
        m, n = odd(rng, 200), odd(rng, 200)
        check(rng, m, n)
        print(f"{m} x {n}: equal to NumPy's A.T")


if __name__ == "__main__":
    main()
