"""Reductions and scans of warps against NumPy: element types, operators, widths, records and functions as operators."""

from __future__ import annotations

from collections.abc import Callable
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
INTEGERS = [fx.Uint8, fx.Int16, fx.Int32, fx.Uint32, fx.Int64]
FLOATS = [fx.Float16, fx.Float32, fx.Float64]
TOLERANCE = {fx.Float16: 2e-2, fx.Float32: 1e-5, fx.Float64: 1e-12}
THREADS = 128


def numbers(dtype: type[fx.Numeric], count: int, rng: np.random.Generator) -> np.ndarray:
    """All of an integer type's values are likely; floats are near 1, so that products stay finite."""
    kind = dtype.numpy_dtype
    if dtype.is_float:
        return rng.uniform(0.9, 1.1, count).astype(kind) * rng.choice([-1, 1], count).astype(kind)
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max, count, kind, endpoint=True)


def accumulated(x: np.ndarray, op: Op) -> np.ndarray:
    """Inclusive scans of rows; integers wrap."""
    wide = x.astype(np.float64) if x.dtype.kind == "f" else x
    return np.stack([OPERATORS[op].accumulate(row, dtype=wide.dtype) for row in wide]).astype(wide.dtype)


@flyc.kernel
def reduce_kernel(x: fx.Tensor, y: fx.Tensor, op: fx.Constexpr, width: fx.Constexpr, universal: fx.Constexpr[bool]):
    i = fx.thread_idx.x
    functions = fx.coop.universal if universal else fx.coop
    y[i] = functions.warp_reduce(x[i], op, width=width)


@flyc.jit
def reduce(x: fx.Tensor, y: fx.Tensor, op: fx.Constexpr, width: fx.Constexpr, universal: fx.Constexpr[bool]):
    reduce_kernel(x, y, op, width, universal).launch(grid=1, block=THREADS)


def check(found: np.ndarray, expected: np.ndarray, dtype: type[fx.Numeric]) -> None:
    if dtype.is_float:
        np.testing.assert_allclose(found.astype(np.float64), expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 8)
    else:
        np.testing.assert_array_equal(found, expected)


def widths(target: Target, dtype: type[fx.Numeric]) -> list[int | None]:
    """All where the instructions differ by width, else two."""
    if dtype not in (fx.Int32, fx.Float32):
        return [None, 4]
    return [None, *(1 << power for power in range(target.wave.bit_length()))]


def forms(target: Target) -> tuple[bool, ...]:
    """Whether by shuffles alone; on the CPU there is nothing else."""
    return (False, True) if target.arch else (False,)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=lambda dtype: dtype.__name__)
def test_every_lane_has_what_its_group_reduces_to(
    target: Target, dtype: type[fx.Numeric], op: Op, rng: np.random.Generator
) -> None:
    for width in widths(target, dtype):
        x = numbers(dtype, THREADS, rng)
        rows = x.reshape(-1, width or target.wave)
        expected = np.repeat(accumulated(rows, op)[:, -1], rows.shape[1])
        for universal in forms(target):
            y = np.zeros_like(x)
            reduce(x, y, op, width, universal)
            check(y, expected, dtype)


@flyc.kernel
def scan_kernel(
    x: fx.Tensor,
    y: fx.Tensor,
    op: fx.Constexpr,
    width: fx.Constexpr,
    init: fx.Constexpr,
    universal: fx.Constexpr[bool],
):
    i = fx.thread_idx.x
    value = x[i]
    functions = fx.coop.universal if universal else fx.coop
    y[0, i] = functions.warp_inclusive_scan(value, op, width=width, init=init)
    y[1, i] = functions.warp_exclusive_scan(value, op, width=width, init=init)
    y[2, i], y[3, i] = functions.warp_scan(value, op, width=width, init=init)
    y[4, i], y[5, i], y[6, i] = functions.warp_scan_with_aggregate(value, op, width=width, init=init)


@flyc.jit
def scan(
    x: fx.Tensor,
    y: fx.Tensor,
    op: fx.Constexpr,
    width: fx.Constexpr,
    init: fx.Constexpr,
    universal: fx.Constexpr[bool],
):
    scan_kernel(x, y, op, width, init, universal).launch(grid=1, block=THREADS)


def identity(dtype: type[fx.Numeric], op: Op) -> Any:
    if op in (Op.ADD, Op.MUL):
        return int(op is Op.MUL)
    if dtype.is_float:
        return -np.inf if op is Op.MAX else np.inf
    limits = np.iinfo(dtype.numpy_dtype)
    return limits.min if op is Op.MAX else limits.max


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [*INTEGERS, fx.Float32], ids=lambda dtype: dtype.__name__)
def test_scans_have_what_is_before_each_lane(
    target: Target, dtype: type[fx.Numeric], op: Op, rng: np.random.Generator
) -> None:
    for width in widths(target, dtype):
        for init in (None, 3):
            x = numbers(dtype, THREADS, rng)
            rows = x.reshape(-1, width or target.wave)
            scanned = accumulated(rows, op)
            first = np.full((len(rows), 1), identity(dtype, op), scanned.dtype)
            before = np.concatenate([first, scanned[:, :-1]], axis=1)
            aggregate = np.repeat(scanned[:, -1], rows.shape[1])
            if init is not None:
                scanned, before = (OPERATORS[op](scanned.dtype.type(init), part) for part in (scanned, before))
            for universal in forms(target):
                y = np.zeros((7, THREADS), x.dtype)
                scan(x, y, op, width, init, universal)
                for row, expected in enumerate((scanned, before) * 3):
                    check(y[row], expected.reshape(-1), dtype)
                check(y[6], aggregate, dtype)


@fx.struct
class Affine:
    """x -> scale * x + shift: composition is associative and does not commute."""

    scale: fx.Int32
    shift: fx.Int32


def composed(left: Any, right: Any) -> Any:
    """First `left`, then `right`."""
    return Affine(right.scale * left.scale, right.scale * left.shift + right.shift)


@flyc.kernel
def affine_kernel(x: fx.Tensor, y: fx.Tensor, width: fx.Constexpr, valid: fx.Int32, partial: fx.Constexpr):
    i = fx.thread_idx.x
    own = Affine(x[0, i], x[1, i])
    options = {"valid_items": valid} if partial else {}
    total = fx.coop.warp_reduce(own, composed, width=width, **options)
    scanned, before, aggregate = fx.coop.warp_scan_with_aggregate(
        own, composed, width=width, identity=Affine(1, 0), **options
    )
    for row, one in enumerate((total, scanned, before, aggregate)):
        y[row, 0, i], y[row, 1, i] = one.scale, one.shift


@flyc.jit
def affine(x: fx.Tensor, y: fx.Tensor, width: fx.Constexpr, valid: fx.Int32, partial: fx.Constexpr = True):
    affine_kernel(x, y, width, valid, partial).launch(grid=1, block=THREADS)


@pytest.mark.parametrize("valid", [1, 5, 8, None])
def test_functions_combine_records_in_the_order_of_lanes(valid: int | None, rng: np.random.Generator) -> None:
    width = 8
    x = rng.integers(-(1 << 31), 1 << 31, (2, THREADS)).astype(np.int32)
    y = np.zeros((4, 2, THREADS), np.int32)
    affine(x, y, width, valid or 0, partial=valid is not None)
    lanes = valid or width
    with np.errstate(over="ignore"):
        for start in range(0, THREADS, width):
            scale, shift = np.int32(1), np.int32(0)
            for lane in range(start, start + lanes):
                np.testing.assert_array_equal(y[2, :, lane], (scale, shift))
                scale, shift = x[0, lane] * scale, x[0, lane] * shift + x[1, lane]
                np.testing.assert_array_equal(y[1, :, lane], (scale, shift))
            group = slice(start, start + width)
            np.testing.assert_array_equal(y[0, :, group], np.repeat([[scale], [shift]], width, 1))
            np.testing.assert_array_equal(y[3, :, group], np.repeat([[scale], [shift]], width, 1))


@flyc.kernel
def boolean_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    value = x[i] != 0
    for row, op in enumerate((Op.ADD, Op.MAX, Op.MUL, Op.MIN)):
        y[row, i] = fx.Int32(fx.coop.warp_reduce(value, op, width=4))
    y[4, i] = fx.Int32(fx.coop.warp_inclusive_scan(value, Op.ADD, width=4))


@flyc.jit
def booleans(x: fx.Tensor, y: fx.Tensor):
    boolean_kernel(x, y).launch(grid=1, block=THREADS)


def test_sums_of_booleans_count_and_the_others_combine_by_or_and_and(rng: np.random.Generator) -> None:
    x = rng.integers(0, 2, THREADS).astype(np.int32)
    y = np.zeros((5, THREADS), np.int32)
    booleans(x, y)
    rows = x.reshape(-1, 4)
    for row, expected in enumerate([rows.sum(1), rows.any(1), rows.all(1), rows.all(1)]):
        np.testing.assert_array_equal(y[row], np.repeat(expected, 4))
    np.testing.assert_array_equal(y[4], rows.cumsum(1).reshape(-1))


@pytest.mark.parametrize("width", [0, 3, 128, True, 2.0], ids=repr)
def test_a_width_is_a_power_of_two_up_to_the_warp(width: Any) -> None:
    x = np.zeros(THREADS, np.float32)
    with pytest.raises(ValueError, match="width is a power of two known while tracing"):
        reduce(x, x.copy(), Op.ADD, width, False)


@pytest.mark.parametrize("op", ["add", None, int], ids=repr)
def test_an_operator_is_one_of_four_or_a_function(op: Any) -> None:
    x = np.zeros(THREADS, np.float32)
    with pytest.raises(TypeError, match="op is fx.ReductionOp.ADD"):
        reduce(x, x.copy(), op, 4, False)
