"""The kernels of the conformance suite and the host functions that launch them, free of target names."""

from __future__ import annotations

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCK = 32


@flyc.kernel
def _add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(c)):
        c[i] = a[i] + b[i]


@flyc.jit
def add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, stream: fx.Stream) -> None:
    """c = a + b on vectors of any length and stride."""
    _add(a, b, c).launch(grid=fx.ceil_div(fx.size(c), BLOCK), block=BLOCK, stream=stream)


@flyc.kernel
def _scale(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32, shift: fx.Int32, n: fx.Int64) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if fx.Int64(i) < n:
        y[i] = x[i] * factor + fx.Float32(shift)


@flyc.jit
def scale(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32, shift: fx.Int32, n: fx.Int64) -> None:
    """y[:n] = x[:n] * factor + shift."""
    _scale(x, y, factor, shift, n).launch(grid=fx.ceil_div(fx.size(x), BLOCK), block=BLOCK)


@flyc.kernel
def _square(x: fx.Tensor, y: fx.Tensor) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(y)):
        y[i] = x[i] * x[i]


@flyc.jit
def square(x: fx.Tensor, y: fx.Tensor) -> None:
    """y = x * x in the arithmetic of the element type."""
    _square(x, y).launch(grid=fx.ceil_div(fx.size(y), BLOCK), block=BLOCK)


@flyc.jit
def add_then_square(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    """c = (a + b)^2 by two kernels, of which the second needs the first."""
    _add(a, b, c).launch(grid=fx.ceil_div(fx.size(c), BLOCK), block=BLOCK)
    _square(c, c).launch(grid=fx.ceil_div(fx.size(c), BLOCK), block=BLOCK)


@flyc.kernel
def _copy_tiles(source: fx.Tensor, target: fx.Tensor, tiled_copy: fx.TiledCopy) -> None:
    tile = fx.make_tile(4, 16)
    block = (None, None, fx.block_idx.y, fx.block_idx.x)
    coordinates = fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(target.shape))
    sources, targets, where = [fx.flat_divide(t, tile)[block] for t in (source, target, coordinates)]
    thread = tiled_copy.get_slice(fx.thread_idx.x)
    mine, theirs, place = thread.partition_S(sources), thread.partition_D(targets), thread.partition_D(where)
    predicate = fx.make_rmem_tensor((1, 1, 1), fx.Boolean)
    predicate[0, 0, 0] = fx.elem_less(place[0, 0, 0], target.shape)
    fragment = fx.make_fragment_like(mine)
    fx.copy(tiled_copy.atom, mine, fragment, pred=predicate)
    fx.copy(tiled_copy.atom, fragment, theirs, pred=predicate)


@flyc.jit
def copy_by_ones(source: fx.Tensor, target: fx.Tensor) -> None:
    """A predicated copy of a matrix of any shape and strides, 32 bits at a time, in tiles of 4 x 16."""
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    tiled = fx.make_tiled_copy_tv(atom, fx.make_layout((4, 16), (16, 1)), fx.make_layout((1, 1), (1, 1)))
    blocks = fx.ceil_div(target.shape, (4, 16))
    _copy_tiles(source, target, tiled).launch(grid=(blocks[1], blocks[0]), block=64)


@flyc.jit
def copy_by_fours(source: fx.Tensor, target: fx.Tensor) -> None:
    """The same, 128 bits at a time: the length of a row is a multiple of four."""
    atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    tiled = fx.make_tiled_copy_tv(atom, fx.make_layout((4, 4), (4, 1)), fx.make_layout((1, 4), (4, 1)))
    blocks = fx.ceil_div(target.shape, (4, 16))
    _copy_tiles(source, target, tiled).launch(grid=(blocks[1], blocks[0]), block=16)


@flyc.kernel
def _reverse(x: fx.Tensor) -> None:
    i = fx.block_idx.x * 128 + fx.thread_idx.x
    j = fx.block_idx.x * 128 + 127 - fx.thread_idx.x
    value = x[i]
    fx.barrier()
    x[j] = value


@flyc.jit
def reverse(x: fx.Tensor) -> None:
    """Each 128 elements backwards: every thread writes what another one has read before."""
    _reverse(x).launch(grid=x.shape[0] // 128, block=128)


@flyc.kernel
def _rotate(x: fx.Tensor) -> None:
    t = fx.thread_idx.x
    i = fx.block_idx.x * 64 + t
    shared = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 64])
    shared[t] = x[i]
    fx.barrier()
    x[i] = shared[(t + 1) % 64]


@flyc.jit
def rotate(x: fx.Tensor) -> None:
    """Each 64 elements rotated by one, through the memory that the threads of a block share."""
    _rotate(x).launch(grid=x.shape[0] // 64, block=64)


@flyc.kernel
def _sum_rows(x: fx.Tensor, y: fx.Tensor) -> None:
    row = fx.block_idx.x
    total = fx.Float32(0.0)
    for column in range(fx.thread_idx.x, fx.get_scalar(x.shape[1])):
        total = total + x[row, column]
    if total > 0.0:
        y[row, fx.thread_idx.x] = total
    else:
        y[row, fx.thread_idx.x] = -total


@flyc.jit
def sum_rows(x: fx.Tensor, y: fx.Tensor) -> None:
    """y[row, k] = abs(sum of x[row, k:])."""
    _sum_rows(x, y).launch(grid=y.shape[0], block=4)


@flyc.kernel
def _where(x: fx.Tensor) -> None:
    t, b = fx.thread_idx, fx.block_idx
    x[b.x, b.y, b.z, t.x, t.y, t.z] = b.x + 10 * b.y + 100 * b.z + 1000 * t.x + 10000 * t.y + 100000 * t.z


@flyc.jit
def where(x: fx.Tensor) -> None:
    """Every thread of a grid of 3 x 2 x 4 blocks of 5 x 2 x 3 threads writes its own coordinates."""
    _where(x).launch(grid=(3, 2, 4), block=(5, 2, 3))


@flyc.kernel
def _mark(x: fx.Tensor) -> None:
    x[0] = fx.Float32(1.0)


@flyc.jit
def mark_from_each_element(elements: fx.Tensor, x: fx.Tensor) -> None:
    """x[0] = 1, written by one block for each of the elements."""
    _mark(x).launch(grid=elements.shape[0], block=1)


@flyc.jit
def mark_from_huge_block(x: fx.Tensor, extent: fx.Int32) -> None:
    """With `extent` 1024 more threads in a block than any device has, and only the launch can know it."""
    _mark(x).launch(grid=1, block=(extent, 1024, 64))


@flyc.jit
def mark_from_static_huge_block(x: fx.Tensor) -> None:
    """More threads in a block than any device has, known when the code is made."""
    _mark(x).launch(grid=1, block=(1024, 1024, 64))
