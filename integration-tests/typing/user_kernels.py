"""A user's module of kernels: what it writes must satisfy type checkers in their strict modes, without a comment."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import numpy.typing as npt

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCK = 128
TILE = 32


@fx.struct
class Scaling:
    """Numbers that travel as one argument."""

    factor: fx.Float32
    bias: fx.Float32 = fx.Float32(0)
    rounds: fx.Int32 = fx.Int32(1)


@fx.struct
class Partial:
    """What the threads of a block share: a number each, and their count."""

    values: fx.Array[fx.Float32, BLOCK]
    count: fx.Int32


def gelu(x: fx.Float32) -> fx.Float32:
    """The tanh approximation, as a helper that has types."""
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + fx.tanh(inner))


def clamped(value: fx.Numeric, low: float, high: float) -> fx.Numeric:
    """A helper for any numeric type."""
    return fx.max(fx.min(value, high), low)


def wave_sum(value: fx.Float32) -> fx.Float32:
    """The sum over the lanes of a wave."""
    offset = int(fx.num_warp_threads()) // 2
    while offset:
        value = value + fx.shuffle_xor(value, offset)
        offset //= 2
    return value


@flyc.kernel
def elementwise_kernel(x: fx.Tensor, y: fx.Tensor, scaling: Scaling, n: fx.Int32) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < n:
        value = gelu(x[i]) * scaling.factor + scaling.bias
        for _ in range(scaling.rounds):
            value = value + 1
        y[i] = clamped(value, -100.0, 100.0)


@flyc.jit
def elementwise(x: fx.Tensor, y: fx.Tensor, scaling: Scaling, stream: fx.Stream = fx.Stream(None)) -> None:
    n = fx.get_scalar(x.shape[0])
    blocks = (n + BLOCK - 1) // BLOCK
    elementwise_kernel(x, y, scaling, n).launch(grid=blocks, block=BLOCK, stream=stream)


@flyc.kernel
def softmax_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    row_x, row_y = x[fx.block_idx.x, None], y[fx.block_idx.x, None]
    columns = fx.get_scalar(fx.size(row_x))
    partial = fx.SharedAllocator().allocate(Partial)
    thread = fx.thread_idx.x

    largest = fx.Float32(-3.0e38)
    for j in range(thread, columns, BLOCK):
        largest = fx.max(largest, row_x[j])
    partial.values[thread] = largest
    if thread == 0:
        partial.count = columns
    fx.barrier()
    for j in fx.range_constexpr(BLOCK):
        largest = fx.max(largest, partial.values[j])
    fx.barrier()

    total = fx.Float32(0)
    for j in range(thread, columns, BLOCK):
        total = total + fx.exp(row_x[j] - largest)
    partial.values[thread] = total
    fx.barrier()
    total = fx.Float32(0)
    for j in fx.range_constexpr(BLOCK):
        total = total + partial.values[j]
    for j in range(thread, partial.count.peek(), BLOCK):
        row_y[j] = fx.exp(row_x[j] - largest) / total


@flyc.jit
def softmax(x: fx.Tensor, y: fx.Tensor) -> None:
    softmax_kernel(x, y).launch(grid=x.shape[0], block=(BLOCK, 1, 1))


@flyc.kernel
def copy_kernel(a: fx.Tensor, b: fx.Tensor, tiled_copy: fx.TiledCopy) -> None:
    block = (None, None, fx.block_idx.y, fx.block_idx.x)
    tile_a, tile_b = [fx.flat_divide(t, fx.make_tile(8, 64))[block] for t in (a, b)]
    thread = tiled_copy.get_slice(fx.thread_idx.x)
    source, target = thread.partition_S(tile_a), thread.partition_D(tile_b)
    registers = fx.make_fragment_like(source)
    fx.copy(tiled_copy, source, registers)
    registers.store(registers.load() * 2 + 1)
    fx.copy(tiled_copy, registers, target)


@flyc.jit
def tiled_copy(a: fx.Tensor, b: fx.Tensor, width: fx.Constexpr[int] = 32) -> None:
    atom = fx.make_copy_atom(fx.UniversalCopy(width), fx.Float32)
    threads, values = fx.make_layout((8, 16), (16, 1)), fx.make_layout((1, 4), (4, 1))
    blocks = fx.ceil_div(a.shape, (8, 64))
    copy_kernel(a, b, fx.make_tiled_copy_tv(atom, threads, values)).launch(grid=(blocks[1], blocks[0]), block=128)


@flyc.kernel(known_block_size=(TILE, TILE // 4, 1))
def gemm_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, alpha: fx.Float32, steps: fx.Int32) -> None:
    memory = fx.SharedAllocator()
    tile_a = memory.allocate(fx.Array[fx.Float32, TILE * TILE]).view(fx.make_layout((TILE, TILE), (TILE, 1)))
    tile_b = memory.allocate(fx.Array[fx.Float32, TILE * TILE]).view(fx.make_layout((TILE, TILE), (TILE, 1)))
    column, first = fx.thread_idx.x, fx.thread_idx.y * 4
    rows, columns = fx.block_idx.y * TILE, fx.block_idx.x * TILE
    sums = fx.make_rmem_tensor(4, fx.Float32)
    sums.fill(0)
    for step in range(steps):
        for r in fx.range_constexpr(4):
            tile_a[first + r, column] = a[rows + first + r, step * TILE + column]
            tile_b[first + r, column] = b[step * TILE + first + r, columns + column]
        fx.barrier()
        for k in range(TILE):
            for r in fx.range_constexpr(4):
                sums[r] = sums[r] + tile_a[first + r, k] * tile_b[k, column]
        fx.barrier()
    scaled: fx.Vector = sums.load() * alpha
    for r in fx.range_constexpr(4):
        inside = fx.elem_less((rows + first + r, columns + column), c.shape)
        if inside & (scaled[r] > -3.0e38):
            c[rows + first + r, columns + column] = scaled[r]


@flyc.jit
def gemm(
    a: fx.Tensor,
    b: fx.Tensor,
    c: fx.Tensor,
    alpha: fx.Float32,
    check: fx.Constexpr[bool] = False,
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """C = alpha A B for sizes that the tile divides."""
    if check:
        fx.printf("{} x {}", c.shape[0], c.shape[1])
    blocks = fx.ceil_div(c.shape, (TILE, TILE))
    steps = fx.get_scalar(fx.ceil_div(a.shape[1], TILE))
    gemm_kernel(a, b, c, alpha, steps).launch(
        grid=(blocks[1], blocks[0]), block=(TILE, TILE // 4), smem=0, stream=stream
    )


@flyc.kernel
def histogram_kernel(x: fx.Tensor, counts: fx.Tensor) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(x)):
        bucket = fx.floor(x[i] * 10).to(fx.Int32)
        fx.atomic_add(fx.get_iter(counts) + bucket, 1)
    ones = fx.Int32(1) if fx.const_expr(x.dtype.is_float) else fx.Int32(0)
    total = wave_sum(ones.to(fx.Float32))
    if fx.lane_id() == 0:
        fx.printf("a wave has {} lanes", total)


@flyc.jit
def histogram(x: fx.Tensor, counts: fx.Tensor) -> None:
    histogram_kernel(x, counts).launch(grid=fx.ceil_div(x.shape[0], BLOCK), block=BLOCK)


def checked(x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]) -> None:
    """The kernel in the interpreter, for one call and for a block of calls."""
    flyc.interpret(elementwise)(x, y, Scaling(2.0))
    with flyc.interpret():
        softmax(x, y)


def tile_of(extents: fx.typing.ShapeLike, index: fx.typing.CoordLike) -> fx.IntTuple:
    """A helper with the language's own names for what it takes."""
    return fx.crd2idx(index, fx.make_layout(extents))


@flyc.kernel
def totals_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    """Sums of blocks, and of the threads before each one."""
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    Sum, Scan = fx.coop.BlockReduce[fx.Float32, BLOCK], fx.coop.BlockScan[fx.Float32, (BLOCK, 1)]
    storage = fx.SharedAllocator().allocate(Sum.SharedStorage).peek()
    total = Sum(x[i], fx.ReductionOp.ADD, storage=storage)
    fx.barrier()
    before = Scan.exclusive(x[i], fx.ReductionOp.ADD, storage=storage)
    y[i] = total + before * 0.0 + fx.coop.warp_reduce(x[i], fx.ReductionOp.MAX, width=8) * 0.0


@flyc.jit
def totals(x: fx.Tensor, y: fx.Tensor) -> None:
    """A block for each BLOCK elements."""
    totals_kernel(x, y).launch(grid=fx.ceil_div(x.shape[0], BLOCK), block=BLOCK)


@flyc.kernel
def walk_kernel(x: fx.Tensor, y: fx.Tensor) -> Generator[list[fx.Float32], fx.Float32, None]:
    """Down the columns, by loops with the keywords of `fx.range`; `yield` makes it a generator to type checkers."""
    column, rows = fx.thread_idx.x, fx.get_scalar(x.shape[0])
    total = fx.Float32(0)
    for row in fx.range(rows, unroll=4):
        total = total + x[row, column]
    largest = fx.Float32(-3.0e38)
    for row, state in fx.range(rows - 1, -1, -1, init=[largest], unroll=1):
        largest = yield [fx.max(state[0], x[row, column])]
    y[0, column] = total
    y[1, column] = largest


@flyc.jit
def walk(x: fx.Tensor, y: fx.Tensor) -> None:
    walk_kernel(x, y).launch(grid=1, block=x.shape[1])


def run(rng: np.random.Generator) -> dict[str, npt.NDArray[np.float32]]:
    """Calls with NumPy arrays and Python numbers; the results by name."""
    x, y = rng.standard_normal(1000, dtype=np.float32), np.zeros(1000, np.float32)
    elementwise(x, y, Scaling(2.0, rounds=3))
    elementwise(x, y, Scaling(factor=np.float32(2), bias=0.5))

    sums = np.zeros(1024, np.float32)
    totals(np.ones(1024, np.float32), sums)
    np.testing.assert_array_equal(sums, BLOCK)

    logits = rng.standard_normal((7, 301), dtype=np.float32)
    weights = np.zeros_like(logits)
    softmax(logits, weights)

    image = rng.integers(-9, 9, (16, 128)).astype(np.float32)
    doubled = np.zeros_like(image)
    tiled_copy(image, doubled)
    tiled_copy(image, doubled, width=32)

    walked = np.zeros((2, 128), np.float32)
    walk(image, walked)

    a, b = rng.standard_normal((64, 96), dtype=np.float32), rng.standard_normal((96, 32), dtype=np.float32)
    c = np.zeros((64, 32), np.float32)
    gemm(a, b, c, 0.5)
    compiled = flyc.compile(gemm, a, b, c, 0.5)
    compiled(a, b, c, 0.5, False, None)
    return {
        **{"x": x, "y": y, "logits": logits, "weights": weights},
        **{"image": image, "doubled": doubled, "walked": walked, "a": a, "b": b, "c": c},
    }
