"""Kernels that several tests of this folder launch."""

from __future__ import annotations

import flydsl.compiler as flyc
import flydsl.expr as fx

TILE_M, TILE_N = 8, 64


@flyc.kernel
def add_tiles(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, tiled_copy: fx.TiledCopy):
    tile = fx.make_tile(TILE_M, TILE_N)
    block = (None, None, fx.block_idx.y, fx.block_idx.x)
    coordinates = fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(c.shape))
    blocks = [fx.flat_divide(t, tile)[block] for t in (a, b, c, coordinates)]
    thread = tiled_copy.get_slice(fx.thread_idx.x)
    thread_a, thread_b = thread.partition_S(blocks[0]), thread.partition_S(blocks[1])
    thread_c, crd = thread.partition_D(blocks[2]), thread.partition_D(blocks[3])
    pred = fx.make_rmem_tensor((1, 1, 1), fx.Boolean)
    pred[0, 0, 0] = fx.elem_less(crd[0, 0, 0], c.shape)
    frag_a, frag_b, frag_c = [fx.make_fragment_like(t) for t in (thread_a, thread_b, thread_c)]
    fx.copy(tiled_copy.atom, thread_a, frag_a, pred=pred)
    fx.copy(tiled_copy.atom, thread_b, frag_b, pred=pred)
    frag_c.store(frag_a.load() + frag_b.load())
    fx.copy(tiled_copy.atom, frag_c, thread_c, pred=pred)


@flyc.jit
def add_by_fours(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    """Four floats a copy: the row length must be a multiple of four."""
    atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    tiled_copy = fx.make_tiled_copy_tv(atom, fx.make_layout((8, 16), (16, 1)), fx.make_layout((1, 4), (4, 1)))
    blocks = fx.ceil_div(c.shape, (TILE_M, TILE_N))
    add_tiles(a, b, c, tiled_copy).launch(grid=(blocks[1], blocks[0]), block=(128, 1, 1), stream=stream)


@flyc.jit
def add_by_ones(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    """One float a copy: any shape and any strides."""
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    tiled_copy = fx.make_tiled_copy_tv(atom, fx.make_layout((8, 64), (64, 1)), fx.make_layout((1, 1), (1, 1)))
    blocks = fx.ceil_div(c.shape, (TILE_M, TILE_N))
    add_tiles(a, b, c, tiled_copy).launch(grid=(blocks[1], blocks[0]), block=512)


@flyc.kernel
def scale_kernel(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32, n: fx.Int32):
    index = fx.block_idx.x * 32 + fx.thread_idx.x
    if index < n:
        y[index] = x[index] * factor


@flyc.jit
def scale(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32, n: fx.Int32):
    scale_kernel(x, y, factor, n).launch(grid=(n + 31) // 32, block=32)
