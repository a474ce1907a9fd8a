"""The short kernels of attention backward: what the long one takes of each query, and what becomes of its sums.

Sums for dQ of 64 queries lie in memory as the long kernel's threads have them: a group of warps has half of the columns
of dQ, and 16 bytes of each of its threads are neighbours.
"""

from __future__ import annotations

import math
from typing import Any

from warp_groups import GROUP_THREADS, GROUPS, PIECE, ROWS, accumulators, store_rows

import flydsl.compiler as flyc
import flydsl.expr as fx

__all__ = [
    "DEPTH", "HALF", "HELPERS", "LOG2_E", "QUERIES", "SCALE", "TILE", "WIDTH",
    "finish_kernel", "scratch_shapes", "terms_kernel",
]  # fmt: skip

QUERIES, DEPTH = 64, 128  # that are brought at once; of a head
TILE, HALF = QUERIES * DEPTH, QUERIES * DEPTH // GROUPS  # elements of queries, and of what a group adds to dQ
WIDTH = 256  # of the rows in which the copy engine adds these
LOG2_E, SCALE = math.log2(math.e), 1 / math.sqrt(DEPTH)
HELPERS = 256  # threads of a block
VECTOR = 8  # elements of 16 bytes


@flyc.kernel
def terms_kernel(
    o: fx.Tensor, do: fx.Tensor, lse: fx.Tensor, terms: fx.Tensor, sums: fx.Tensor, queries: fx.Int32
) -> None:
    """Of 64 queries: -log2 of the sum of weights, -rowsum(dO O); of those that do not exist, what makes weights 0."""
    fx.nvvm.griddep_launch()
    block, head, thread = fx.Int32(fx.block_idx.x), fx.Int32(fx.block_idx.y), fx.thread_idx.x
    wide, lanes = fx.make_copy_atom(fx.UniversalCopy128b(), fx.BFloat16), DEPTH // VECTOR
    for step in fx.range_constexpr(QUERIES * lanes // HELPERS):
        inside = step * (HELPERS // lanes) + thread // lanes
        row = block * QUERIES + inside
        exists, row = row < queries, fx.min(row, queries - 1)
        products: list[fx.Vector] = []
        for tensor in (o, do):
            held = fx.make_rmem_tensor(VECTOR, fx.BFloat16)
            fx.copy(wide, fx.zipped_divide(tensor[head, row, None], fx.make_tile(VECTOR))[None, thread % lanes], held)
            products.append(held.load().to(fx.Float32))
        total: Any = (products[0] * products[1]).reduce(fx.ReductionOp.ADD)
        for distance in (1, 2, 4, 8):
            total = total + fx.shuffle_xor(total, distance)
        if thread % lanes == 0:
            terms[head, block, 0, inside] = fx.arith.select(exists, -lse[head, row] * LOG2_E, fx.Float32(-math.inf))
            terms[head, block, 1, inside] = fx.arith.select(exists, -total, fx.Float32(0))
    fours, nothing = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32), fx.make_rmem_tensor(4, fx.Float32)
    nothing.fill(0)
    for step in fx.range_constexpr(TILE // (4 * HELPERS)):
        row = (head * fx.Int32(fx.grid_dim.x) + block) * (TILE // WIDTH) + step * (4 * HELPERS // WIDTH)
        tiles = fx.zipped_divide(sums[row + thread // (WIDTH // 4), None], fx.make_tile(4))
        fx.copy(fours, nothing, tiles[None, thread % (WIDTH // 4)])


@flyc.kernel
def finish_kernel(sums: fx.Tensor, store: Any, dq: fx.Tensor) -> None:
    """The sums of 64 queries become dQ."""
    memory = fx.SharedAllocator().allocate(fx.Array[fx.BFloat16, TILE], 1024)
    block, head, group = fx.Int32(fx.block_idx.x), fx.Int32(fx.block_idx.y), fx.nvvm.warp_idx() // 4
    fx.nvvm.griddep_wait()
    row = ((head * fx.Int32(fx.grid_dim.x) + block) * GROUPS + group) * (HALF // WIDTH)
    found, fours = accumulators(PIECE), fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    own = fx.make_view(fx.get_iter(sums[row, None]), fx.make_layout((4, GROUP_THREADS, PIECE // 8)))
    held = fx.make_view(fx.get_iter(found), fx.make_layout((4, PIECE // 8)))
    fx.copy(fours, own[None, fx.thread_idx.x % GROUP_THREADS, None], held)
    found.store(found.load() * SCALE)
    tiles = fx.zipped_divide(dq, (ROWS, PIECE))
    store_rows(
        found, PIECE, lambda _: memory.ptr + group * (ROWS * PIECE), store,
        lambda _: tiles[None, (block, group, head)], group + 1,
    )  # fmt: skip


def scratch_shapes(heads: int, queries: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes of `terms` and `sums`."""
    blocks = -(-queries // QUERIES)
    return (heads, blocks, 2, QUERIES), (heads * blocks * TILE // WIDTH, WIDTH)
