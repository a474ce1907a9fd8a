"""Copy and MMA atoms by single calls on values, and fragments in stages."""

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir.dialects import fly
from flydsl._mlir.extras import types as T

TILE = 32


@flyc.kernel
def copied_kernel(x: fx.Tensor, y: fx.Tensor):
    """Four elements a thread by one call of an atom: loaded as a vector, stored from registers."""
    atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    rows = [fx.zipped_divide(t, fx.make_tile(4)) for t in (x, y)]
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    loaded = fly.copy_atom_call_ssa([T.vector(4, T.f32())], atom, fx.slice(rows[0], (None, i)))
    registers = fx.make_rmem_tensor(4, fx.Float32)
    registers.store(fx.Vector(loaded, (4,), fx.Float32) * 3.0)
    fly.copy_atom_call_ssa([], atom, registers, fx.slice(rows[1], (None, i)))


@flyc.jit
def copied(x: fx.Tensor, y: fx.Tensor):
    copied_kernel(x, y).launch(grid=x.shape[0] // 128, block=32)


@flyc.kernel
def bits_kernel(x: fx.Tensor, y: fx.Tensor):
    """Eight halves of memory loaded as four words."""
    atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float16)
    i = fx.thread_idx.x
    words = fly.copy_atom_call_ssa([T.vector(4, T.i32())], atom, fx.slice(fx.zipped_divide(x, 8), (None, i)))
    for k in fx.range_constexpr(4):
        y[i, k] = words[k]


@flyc.jit
def bits(x: fx.Tensor, y: fx.Tensor):
    bits_kernel(x, y).launch(grid=1, block=y.shape[0])


@flyc.kernel
def multiplied_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    """c + a * b element by element, by single calls of the universal atom on values."""
    i = fx.thread_idx.x
    atom = fx.make_mma_atom(fx.UniversalFMA(fx.Float32))
    c[i] = fly.mma_atom_call_ssa([T.f32()], atom, a[i].ir_value(), b[i].ir_value(), c[i].ir_value())


@flyc.jit
def multiplied(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    multiplied_kernel(a, b, c).launch(grid=1, block=a.shape[0])


@flyc.kernel
def staged_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, tiled_mma: fx.TiledMma, steps: fx.Constexpr[int]):
    """A product of one tile whose fragments hold two steps of K: one is loaded while the other multiplies."""
    thread = tiled_mma.get_slice(fx.thread_idx.x)
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    tiles_a = fx.flat_divide(a, fx.make_tile(TILE, 4))[None, None, 0, None]
    tiles_b = fx.flat_divide(b, fx.make_tile(TILE, 4))[None, None, 0, None]
    tile_c = fx.flat_divide(c, fx.make_tile(TILE, TILE))[None, None, 0, 0]
    part_a, part_b, part_c = thread.partition_A(tiles_a), thread.partition_B(tiles_b), thread.partition_C(tile_c)
    stage_a = tiled_mma.make_fragment_A(tiles_a, stages=2)
    stage_b = tiled_mma.make_fragment_B(tiles_b, stages=2)
    sums = tiled_mma.make_fragment_C(tile_c)
    sums.fill(0)

    def load(step):
        for part, stage in ((part_a, stage_a), (part_b, stage_b)):
            fx.copy(atom, part[None, None, None, step], stage[None, None, None, step % 2])

    load(0)
    for step in fx.range_constexpr(steps):
        if fx.const_expr(step + 1 < steps):
            load(step + 1)
        now = step % 2
        fx.gemm(tiled_mma, sums, stage_a[None, None, None, now], stage_b[None, None, None, now], sums)
    fx.copy(atom, sums, part_c)


@flyc.jit
def staged(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, steps: fx.Constexpr[int]):
    atom = fx.make_mma_atom(fx.UniversalFMA(fx.Float32))
    tiled_mma = fx.make_tiled_mma(atom, fx.make_layout((8, 8, 1), (8, 1, 0)))
    staged_kernel(a, b, c, tiled_mma, steps).launch(grid=1, block=64)
