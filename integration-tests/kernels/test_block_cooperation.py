"""Reductions and scans of blocks against NumPy: shapes, items, operators, algorithms, records, parts of blocks."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest
from support.targets import Target

import flydsl.compiler as flyc
import flydsl.expr as fx

Op = fx.ReductionOp
OPERATORS: dict[Op, Callable[[Any, Any], Any]] = {
    Op.ADD: np.add,
    Op.MUL: np.multiply,
    Op.MAX: np.maximum,
    Op.MIN: np.minimum,
}
REDUCTIONS = (fx.coop.BlockReduceAlgorithm.WARP_REDUCTIONS, fx.coop.BlockReduceAlgorithm.RAKING)
SCANS = (fx.coop.BlockScanAlgorithm.WARP_SCANS, fx.coop.BlockScanAlgorithm.RAKING)
DTYPES = [fx.Uint8, fx.Int16, fx.Int32, fx.Int64, fx.Float32, fx.Float64]
TOLERANCE = {fx.Float32: 1e-5, fx.Float64: 1e-12}
SIZES = [1, 2, 8, 32, 64, 192, 1024, (64, 2, 2), (32, 3, 2), (2, 8)]


def numbers(dtype: type[fx.Numeric], count: int, rng: np.random.Generator) -> np.ndarray:
    kind = dtype.numpy_dtype
    if dtype.is_float:
        return rng.uniform(0.999, 1.001, count).astype(kind) * rng.choice([-1, 1], count).astype(kind)
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max, count, kind, endpoint=True)


def combined(x: np.ndarray, op: Op) -> Any:
    kind = np.float64 if x.dtype.kind == "f" else x.dtype
    return OPERATORS[op].reduce(x, dtype=kind)


@flyc.kernel
def reduce_kernel(
    x: fx.Tensor,
    y: fx.Tensor,
    dtype: fx.Constexpr,
    size: fx.Constexpr,
    items: fx.Constexpr[int],
    op: fx.Constexpr,
    algorithm: fx.Constexpr,
    universal: fx.Constexpr[bool],
):
    functions = fx.coop.universal if universal else fx.coop
    P = functions.BlockReduce[dtype, size, algorithm] if algorithm else functions.BlockReduce[dtype, size]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    dx, dy, _ = P.block_size
    i = fx.thread_idx.x + fx.thread_idx.y * dx + fx.thread_idx.z * (dx * dy)
    value = fx.Vector.from_elements([x[i * items + k] for k in fx.range_constexpr(items)], dtype)
    value = value if items > 1 else value[0]
    y[i] = P(value, op, storage=storage)


@flyc.jit
def reduce(
    x: fx.Tensor,
    y: fx.Tensor,
    dtype: fx.Constexpr,
    size: fx.Constexpr,
    items: fx.Constexpr[int],
    op: fx.Constexpr,
    algorithm: fx.Constexpr = None,
    universal: fx.Constexpr[bool] = False,
):
    reduce_kernel(x, y, dtype, size, items, op, algorithm, universal).launch(grid=1, block=size)


def threads(size: Any) -> int:
    return prod(size) if isinstance(size, tuple) else size


def check_reduction(dtype: Any, size: Any, items: int, op: Op, rng: np.random.Generator, **options: Any) -> None:
    count = threads(size)
    x = numbers(dtype, count * items, rng)
    y = np.zeros(count, x.dtype)
    reduce(x, y, dtype, size, items, op, **options)
    expected = combined(x, op)
    if dtype.is_float:
        scale = np.abs(x).sum() if op is Op.ADD else 0
        np.testing.assert_allclose(y, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale)
    else:
        np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("algorithm", REDUCTIONS, ids=str)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_thread_has_what_the_block_reduces_to(
    target: Target, size: Any, algorithm: Any, rng: np.random.Generator
) -> None:
    if threads(size) % target.wave and threads(size) & (threads(size) - 1):
        with pytest.raises(ValueError, match="a block has a multiple of the"):
            check_reduction(fx.Int32, size, 1, Op.ADD, rng, algorithm=algorithm)
        return
    check_reduction(fx.Int32, size, 1, Op.ADD, rng, algorithm=algorithm)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
def test_reductions_of_items(dtype: Any, op: Op, rng: np.random.Generator) -> None:
    check_reduction(dtype, 256, 4, op, rng)
    check_reduction(dtype, (16, 4, 2), 9, op, rng, algorithm=REDUCTIONS[1])
    check_reduction(dtype, 128, 1, op, rng, universal=True)


@flyc.kernel
def scan_kernel(
    x: fx.Tensor,
    y: fx.Tensor,
    totals: fx.Tensor,
    dtype: fx.Constexpr,
    size: fx.Constexpr,
    items: fx.Constexpr[int],
    op: fx.Constexpr,
    algorithm: fx.Constexpr,
    init: fx.Constexpr,
):
    P = fx.coop.BlockScan[dtype, size, algorithm] if algorithm else fx.coop.BlockScan[dtype, size]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    dx, dy, _ = P.block_size
    i = fx.thread_idx.x + fx.thread_idx.y * dx + fx.thread_idx.z * (dx * dy)
    value = fx.Vector.from_elements([x[i * items + k] for k in fx.range_constexpr(items)], dtype)
    value = value if items > 1 else value[0]
    inclusive, totals[0, i] = P.inclusive_with_aggregate(value, op, storage=storage, init=init)
    fx.barrier()
    exclusive, totals[1, i] = P.exclusive_with_aggregate(value, op, storage=storage, init=init)
    fx.barrier()
    plain = P.inclusive(value, op, storage=storage)
    fx.barrier()
    seeded = P.exclusive(value, op, storage=storage, init=init)
    for row, result in enumerate((inclusive, exclusive, plain, seeded)):
        for k in fx.range_constexpr(items):
            y[row, i * items + k] = result if items == 1 else result[k]


@flyc.jit
def scan(
    x: fx.Tensor,
    y: fx.Tensor,
    totals: fx.Tensor,
    dtype: fx.Constexpr,
    size: fx.Constexpr,
    items: fx.Constexpr[int],
    op: fx.Constexpr,
    algorithm: fx.Constexpr,
    init: fx.Constexpr,
):
    scan_kernel(x, y, totals, dtype, size, items, op, algorithm, init).launch(grid=1, block=size)


def check_scan(
    dtype: Any, size: Any, items: int, op: Op, rng: np.random.Generator, algorithm: Any = None, init: int | None = None
) -> None:
    count = threads(size)
    x = numbers(dtype, count * items, rng)
    y, totals = np.zeros((4, count * items), x.dtype), np.zeros((2, count), x.dtype)
    scan(x, y, totals, dtype, size, items, op, algorithm, init)
    limits = np.iinfo(x.dtype)
    identity = {Op.ADD: 0, Op.MUL: 1, Op.MAX: limits.min, Op.MIN: limits.max}[op]
    with np.errstate(over="ignore"):
        plain = OPERATORS[op].accumulate(x, dtype=x.dtype)
        before = np.concatenate([np.array([identity], x.dtype), plain[:-1]])
        seeded = [scan if init is None else OPERATORS[op](x.dtype.type(init), scan) for scan in (plain, before)]
    for row, expected in zip(y, (*seeded, plain, seeded[1]), strict=True):
        np.testing.assert_array_equal(row, expected)
    np.testing.assert_array_equal(totals, np.full_like(totals, plain[-1]))


@pytest.mark.parametrize("algorithm", SCANS, ids=str)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_scans_have_what_is_before_each_thread(
    target: Target, size: Any, algorithm: Any, rng: np.random.Generator
) -> None:
    if threads(size) % target.wave and threads(size) & (threads(size) - 1):
        with pytest.raises(ValueError, match="a block has a multiple of the"):
            check_scan(fx.Int32, size, 1, Op.ADD, rng, algorithm)
        return
    check_scan(fx.Int32, size, 1, Op.ADD, rng, algorithm)
    check_scan(fx.Int32, size, 3, Op.MAX, rng, algorithm, init=7)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", DTYPES[:4], ids=lambda dtype: dtype.__name__)
def test_scans_of_items(dtype: Any, op: Op, rng: np.random.Generator) -> None:
    check_scan(dtype, 256, 3, op, rng)
    check_scan(dtype, (16, 4, 2), 1, op, rng, SCANS[1], init=3)


@fx.struct
class Affine:
    """x -> scale * x + shift: composition is associative and does not commute."""

    scale: fx.Int32
    shift: fx.Int32


def composed(left: Any, right: Any) -> Any:
    """First `left`, then `right`."""
    return Affine(right.scale * left.scale, right.scale * left.shift + right.shift)


@flyc.kernel
def affine_kernel(
    x: fx.Tensor,
    y: fx.Tensor,
    size: fx.Constexpr,
    raking: fx.Constexpr[bool],
    valid: fx.Int32,
    partial: fx.Constexpr[bool],
):
    i = fx.thread_idx.x
    reducing = fx.coop.BlockReduce[Affine, size, REDUCTIONS[raking]]
    scanning = fx.coop.BlockScan[Affine, size, SCANS[raking]]
    storage = fx.SharedAllocator().allocate(scanning.SharedStorage).peek()
    own = Affine(x[0, i], x[1, i])
    options = {"valid_items": valid} if partial else {}
    total = reducing(own, composed, storage=storage, **options)
    fx.barrier()
    scanned, aggregate = scanning.inclusive_with_aggregate(own, composed, storage=storage, **options)
    fx.barrier()
    before = scanning.exclusive(own, composed, storage=storage, init=Affine(1, 5), **options)
    for row, one in enumerate((total, scanned, aggregate, before)):
        y[row, 0, i], y[row, 1, i] = one.scale, one.shift


@flyc.jit
def affine(
    x: fx.Tensor,
    y: fx.Tensor,
    size: fx.Constexpr,
    raking: fx.Constexpr[bool],
    valid: fx.Int32,
    partial: fx.Constexpr[bool],
):
    affine_kernel(x, y, size, raking, valid, partial).launch(grid=1, block=size)


@pytest.mark.parametrize("valid", [1, 65, 255, 256, None])
@pytest.mark.parametrize("raking", [False, True])
def test_functions_combine_records_in_the_order_of_threads(
    raking: bool, valid: int | None, rng: np.random.Generator
) -> None:
    size = 256
    x = rng.integers(-(1 << 31), 1 << 31, (2, size)).astype(np.int32)
    y = np.zeros((4, 2, size), np.int32)
    affine(x, y, size, raking, valid or 0, valid is not None)
    with np.errstate(over="ignore"):
        total, seeded = (np.int32(1), np.int32(0)), (np.int32(1), np.int32(5))
        for i in range(valid or size):
            np.testing.assert_array_equal(y[3, :, i], seeded)
            total, seeded = ((x[0, i] * s, x[0, i] * t + x[1, i]) for s, t in (total, seeded))
            np.testing.assert_array_equal(y[1, :, i], total)
    for row in (0, 2):
        np.testing.assert_array_equal(y[row], np.repeat(np.array(total)[:, None], size, 1))


@flyc.kernel
def tile_kernel(x: fx.Tensor, y: fx.Tensor, offsets: fx.Tensor, size: fx.Constexpr):
    """A running total over two tiles of items, which tuples hold."""
    i = fx.thread_idx.x
    P = fx.coop.BlockScan[fx.Int32, size]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    running = fx.Int32(100)
    for tile in fx.range_constexpr(2):
        first = (tile * size + i) * 2

        def prefix(aggregate, running=running, tile=tile):
            if fx.thread_idx.x == 0:
                offsets[tile] = aggregate
            return running + fx.thread_idx.x  # of lane 0

        pair, aggregate = P.exclusive_with_aggregate(
            (x[first], x[first + 1]), Op.ADD, storage=storage, prefix_callback=prefix
        )
        y[first], y[first + 1] = pair
        running += aggregate
        fx.barrier()


@flyc.jit
def tiles(x: fx.Tensor, y: fx.Tensor, offsets: fx.Tensor, size: fx.Constexpr):
    tile_kernel(x, y, offsets, size).launch(grid=1, block=size)


@pytest.mark.parametrize("size", [16, 256])
def test_the_first_warp_may_give_the_prefix(size: int, rng: np.random.Generator) -> None:
    x = rng.integers(-1000, 1000, 4 * size).astype(np.int32)
    y, offsets = np.zeros_like(x), np.zeros(2, np.int32)
    tiles(x, y, offsets, size)
    np.testing.assert_array_equal(y, 100 + np.cumsum(x) - x)
    np.testing.assert_array_equal(offsets, x.reshape(2, -1).sum(1))


@flyc.kernel
def wrong_kernel(x: fx.Tensor, what: fx.Constexpr[str]):
    i = fx.thread_idx.x
    P = fx.coop.BlockReduce[fx.Float32, 256]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    if what == "storage":
        P(x[i], Op.ADD, storage=x)
    elif what == "other storage":
        other = fx.coop.BlockReduce[fx.Float64, 256]
        P(x[i], Op.ADD, storage=fx.SharedAllocator().allocate(other.SharedStorage).peek())
    elif what == "dtype":
        P(fx.Int32(i), Op.ADD, storage=storage)
    elif what == "call":
        fx.coop.BlockScan[fx.Float32, 256](x[i], Op.ADD, storage=storage)
    elif what == "both":
        scan = fx.coop.BlockScan[fx.Float32, 256]
        scan.inclusive(x[i], Op.ADD, storage=storage, init=0.0, prefix_callback=lambda total: total)
    elif what == "items":
        P(fx.Vector.from_elements([x[i], x[i]], fx.Float32), Op.ADD, storage=storage, valid_items=3)


@flyc.jit
def wrong(x: fx.Tensor, what: fx.Constexpr[str]):
    wrong_kernel(x, what).launch(grid=1, block=256)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("storage", "storage= is shared memory"),
        ("other storage", "storage= has slots of type"),
        ("dtype", "the block algorithm is one of Float32, found"),
        ("call", "is not called: use .inclusive"),
        ("both", "either init or prefix_callback"),
        ("items", "one item each, found 2 items"),
    ],
)
def test_wrong_calls_say_what_is_wrong(what: str, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        wrong(np.zeros(256, np.float32), what)
