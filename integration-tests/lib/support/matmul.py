"""A matrix product C = A B^T for any MMA atom: tensors and a tiled MMA in, one kernel text for every target out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flydsl.compiler as flyc
import flydsl.expr as fx

BITS = {8: fx.UniversalCopy8b, 16: fx.UniversalCopy16b, 32: fx.UniversalCopy32b, 64: fx.UniversalCopy64b}


def copy_inside(src: fx.Tensor, dst: fx.Tensor, crd: fx.Tensor, shape: fx.IntTuple, bound: fx.Tensor):
    """Copy element by element what lies inside `shape`; `bound` gives the coordinates' shape, as (V, M, N)."""
    pred = fx.make_fragment_like(bound, fx.Boolean)
    values, ms, ns = [int(fx.size(fx.select(pred.shape, [mode]))) for mode in range(3)]
    for i in fx.range_constexpr(values):
        for j in fx.range_constexpr(ms):
            for k in fx.range_constexpr(ns):
                pred[i, j, k] = fx.elem_less(crd[i, j, k], shape)
    fx.copy(fx.make_copy_atom(BITS[src.dtype.width](), src.dtype), src, dst, pred=pred)


@flyc.kernel
def matmul_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, tiled_mma: fx.TiledMma, repeat: Any, order: Any):
    bm, bn, bk = [extent * times for extent, times in zip(tiled_mma.tile_size_mnk, repeat, strict=True)]
    thread = tiled_mma.get_slice(fx.thread_idx.x)
    tiles = (((bm, bk), a), ((bn, bk), b), ((bm, bn), c))
    block = fx.block_idx
    coords = [fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(t.shape)) for _, t in tiles]
    tile_a, tile_b, tile_c = [fx.flat_divide(t, fx.make_tile(*tile)) for tile, t in tiles]
    crd_a, crd_b, crd_c = [fx.flat_divide(t, fx.make_tile(*tile)) for (tile, _), t in zip(tiles, coords, strict=True)]

    part_c = thread.partition_C(tile_c[None, None, block.x, block.y])
    frag_c = tiled_mma.make_fragment_C(part_c)
    frag_c.fill(0)
    for step in range(fx.get_scalar(fx.ceil_div(a.shape[1], bk))):
        part_a = thread.partition_A(tile_a[None, None, block.x, step])
        part_b = thread.partition_B(tile_b[None, None, block.y, step])
        frag_a, frag_b = tiled_mma.make_fragment_A(part_a), tiled_mma.make_fragment_B(part_b)
        frag_a.fill(0)
        frag_b.fill(0)
        copy_inside(part_a, frag_a, thread.partition_A(crd_a[None, None, block.x, step]), a.shape, frag_a)
        copy_inside(part_b, frag_b, thread.partition_B(crd_b[None, None, block.y, step]), b.shape, frag_b)
        fx.gemm(tiled_mma, frag_c, frag_a, frag_b, frag_c, **{} if order is None else order)
    copy_inside(frag_c, part_c, thread.partition_C(crd_c[None, None, block.x, block.y]), c.shape, frag_c)


def matmul_of(
    mma_op: Callable[[], Any], atom_layout: Any, permutation: Any = None, repeat: Any = (1, 1, 1), order: Any = None
) -> Any:
    """The host function of one arrangement; `mma_op` makes the operation, with or without an installed plugin."""
    return _host_of(matmul_kernel, mma_op, atom_layout, permutation, repeat, order)


def _host_of(kernel: Any, mma_op: Callable[[], Any], atom_layout: Any, permutation: Any, repeat: Any, last: Any) -> Any:
    @flyc.jit
    def matmul(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
        tiled_mma = fx.make_tiled_mma(fx.make_mma_atom(mma_op()), fx.make_layout(*atom_layout), permutation)
        bm, bn, _ = [extent * times for extent, times in zip(tiled_mma.tile_size_mnk, repeat, strict=True)]
        grid = fx.ceil_div(c.shape, (bm, bn))
        threads = int(fx.size(tiled_mma.thr_layout_vmnk))
        kernel(a, b, c, tiled_mma, repeat, last).launch(grid=(grid[0], grid[1]), block=threads)

    return matmul


@flyc.kernel
def copied_matmul_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, tiled_mma: fx.TiledMma, repeat: Any, stages: Any):
    bm, bn, bk = [extent * times for extent, times in zip(tiled_mma.tile_size_mnk, repeat, strict=True)]
    thread, x, y = tiled_mma.get_slice(fx.thread_idx.x), fx.block_idx.x, fx.block_idx.y
    tiles_a = fx.flat_divide(a, fx.make_tile(bm, bk))[None, None, x, None]
    tiles_b = fx.flat_divide(b, fx.make_tile(bn, bk))[None, None, y, None]
    tile_c = fx.flat_divide(c, fx.make_tile(bm, bn))[None, None, x, y]
    atom, atom_c = [fx.make_copy_atom(BITS[t.dtype.width](), t.dtype) for t in (a, c)]
    copy_a = fx.make_tiled_copy_A(atom, tiled_mma).get_slice(fx.thread_idx.x)
    copy_b = fx.make_tiled_copy_B(atom, tiled_mma).get_slice(fx.thread_idx.x)
    copy_c = fx.make_tiled_copy_C(atom_c, tiled_mma).get_slice(fx.thread_idx.x)

    frag_a = tiled_mma.make_fragment_A(tiles_a[None, None, 0], stages=stages)
    frag_b = tiled_mma.make_fragment_B(tiles_b[None, None, 0], stages=stages)
    frag_c = tiled_mma.make_fragment_C(tile_c)
    frag_c.fill(0)
    for step in range(fx.get_scalar(tiles_a.shape[2])):
        if fx.const_expr(stages is None):
            fx.copy(copy_a.tiled_copy, copy_a.partition_S(tiles_a[None, None, step]), copy_a.retile(frag_a))
            fx.copy(copy_b.tiled_copy, copy_b.partition_S(tiles_b[None, None, step]), copy_b.retile(frag_b))
            fx.gemm(tiled_mma, frag_c, frag_a, frag_b, frag_c)
        else:
            part_a, part_b = (
                thread.partition_A(tiles_a[None, None, step]),
                thread.partition_B(tiles_b[None, None, step]),
            )
            for k in fx.range_constexpr(int(fx.size(fx.get_(part_a.shape, 2)))):
                stage = (None, None, k, k % stages)
                fx.copy(atom, part_a[None, None, k], frag_a[stage])
                fx.copy(atom, part_b[None, None, k], frag_b[stage])
                fx.gemm(tiled_mma, frag_c, frag_a[stage], frag_b[stage], frag_c)
    fx.copy(copy_c.tiled_copy, copy_c.retile(frag_c), copy_c.partition_D(tile_c))


def copied_matmul_of(
    mma_op: Callable[[], Any], atom_layout: Any, permutation: Any, repeat: Any, stages: int | None = None
) -> Any:
    """The same for sizes that tiles divide: fragments are filled and emptied by the tiled copies of the operands."""
    return _host_of(copied_matmul_kernel, mma_op, atom_layout, permutation, repeat, stages)
