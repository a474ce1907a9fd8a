"""Shared memory through views, vectors and addresses."""

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import arith, gpu, llvm, memref, vector
from flydsl._mlir.extras import types as T

TILE = 16
THREADS = 64


@fx.struct
class Storage:
    tile: fx.Array[fx.Float32, TILE * TILE, 16]


@flyc.kernel
def transposed_kernel(x: fx.Tensor, y: fx.Tensor):
    """Tiles of 16 x 16, a vector of four elements a thread, through shared memory."""
    storage = fx.SharedAllocator().allocate(Storage).peek()
    tile = storage.tile.view(fx.make_layout((TILE * TILE,), (1,)))
    thread = fx.thread_idx.x
    row, column = thread // 4, thread % 4 * 4
    kind = fx.Vector.make_type(4, fx.Float32)
    values = [x[fx.block_idx.y * TILE + row, fx.block_idx.x * TILE + column + i] for i in range(4)]
    vector.store(vector.from_elements(kind, values), tile, [row * TILE + column], alignment=16)
    gpu.barrier()
    for i in fx.range_constexpr(4):
        y[fx.block_idx.x * TILE + row, fx.block_idx.y * TILE + column + i] = tile[(column + i) * TILE + row]


@flyc.jit
def transposed(x: fx.Tensor, y: fx.Tensor):
    transposed_kernel(x, y).launch(grid=(x.shape[1] // TILE, x.shape[0] // TILE), block=THREADS)


@flyc.kernel
def turned_kernel(x: fx.Tensor, y: fx.Tensor):
    """A block's elements in turned order, by the byte address of shared memory as an integer."""
    words = fx.SharedAllocator().allocate(fx.Array[fx.Int32, THREADS, 16]).view(fx.make_layout(THREADS, 1))
    thread = arith.IndexCastOp(T.i32(), gpu.thread_id(gpu.Dimension.x)).result
    base = arith.index_cast(T.i64(), memref.extract_aligned_pointer_as_index(words))
    space = ir.Type.parse("!llvm.ptr<3>")
    if fx.const_expr(x.dtype is fx.Int32):
        own = llvm.inttoptr(space, base + fx.Int64(thread) * 4)
        llvm.StoreOp(x[fx.block_idx.x * THREADS + thread], own, alignment=4)
    fx.barrier()
    other = llvm.inttoptr(space, base + fx.Int64(THREADS - 1 - thread) * 4)
    y[fx.block_idx.x * THREADS + thread] = llvm.load(T.i32(), other, alignment=4)


@flyc.jit
def turned(x: fx.Tensor, y: fx.Tensor):
    turned_kernel(x, y).launch(grid=x.shape[0] // THREADS, block=THREADS)


@flyc.kernel
def block_sums_kernel(x: fx.Tensor, sums: fx.Tensor):
    """Halving sums in shared memory, loaded and stored through vectors of one element."""
    cells = fx.SharedAllocator().allocate(fx.Array[fx.Float32, THREADS, 16]).view(fx.make_layout(THREADS, 1))
    one = ir.VectorType.get([1], T.f32())
    i = fx.thread_idx.x
    cells[i] = x[fx.block_idx.x, i]
    fx.barrier()
    for step in fx.range_constexpr(6):
        if i < THREADS >> step + 1:
            low = vector.load(one, cells, [i])
            high = vector.load(one, cells, [i + (THREADS >> step + 1)])
            vector.store(arith.AddFOp(low, high).result, cells, [i], alignment=4)
        fx.barrier()
    if i == 0:
        sums[fx.block_idx.x] = memref.load(cells, [0])


@flyc.jit
def block_sums(x: fx.Tensor, sums: fx.Tensor):
    block_sums_kernel(x, sums).launch(grid=x.shape[0], block=THREADS)


@flyc.kernel
def product_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, depth: fx.Constexpr[int]):
    """A tile of a product a block: both operands pass through shared memory, sums are carried by the loop."""
    smem = fx.SharedAllocator()
    left = smem.allocate(fx.Array[fx.Float32, TILE * TILE, 16]).view(fx.make_layout((TILE, TILE), (TILE, 1)))
    right = smem.allocate(fx.Array[fx.Float32, TILE * TILE, 16]).view(fx.make_layout((TILE, TILE), (TILE, 1)))
    i, j = fx.thread_idx.x // TILE, fx.thread_idx.x % TILE
    row, column = fx.block_idx.y * TILE + i, fx.block_idx.x * TILE + j
    for k, state in range(0, depth, TILE, init=[fx.Float32(0.0)]):
        left[i, j] = a[row, k + j]
        right[i, j] = b[k + i, column]
        gpu.barrier()
        total = state[0]
        for step in fx.range_constexpr(TILE):
            total = arith.addf(total, arith.mulf(left[i, step], right[step, j]))
        gpu.barrier()
        result = yield [total]
    c[row, column] = result


@flyc.jit
def product(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, depth: fx.Constexpr[int]):
    grid = (c.shape[1] // TILE, c.shape[0] // TILE)
    product_kernel(a, b, c, depth).launch(grid=grid, block=TILE * TILE)
