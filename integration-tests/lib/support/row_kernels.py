"""Kernels in the form that others publish counts of: rows in registers, 128-bit accesses, reductions over the block.

Each is a function of NumPy arrays, with the arguments it is compiled for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCK, COLUMNS, EPSILON = 256, 4096, 1e-5
LOG2_E = 1.4426950408889634
Combine = Callable[[Any, Any], Any]


def add(a: Any, b: Any) -> Any:
    return a + b


def reduce_block(value: Any, combine: Combine) -> Any:
    """A Float32 combined over the threads of the block; every thread gets the result."""
    wave, thread = int(fx.num_warp_threads()), fx.thread_idx.x
    parts = fx.SharedAllocator().allocate(fx.Array[fx.Float32, BLOCK // wave])
    offset = wave // 2
    while offset:
        value = combine(value, fx.shuffle_xor(value, offset, wave))
        offset //= 2
    if thread % wave == 0:
        parts[thread // wave] = value
    fx.barrier()
    total = parts[0]
    for index in fx.range_constexpr(1, BLOCK // wave):
        total = combine(total, parts[index])
    return total


def reduce_row(pieces: list[Any], op: Any, combine: Combine) -> Any:
    """The elements of a thread's vectors, then those of all threads."""
    value = pieces[0].reduce(op)
    for piece in pieces[1:]:
        value = combine(value, piece.reduce(op))
    return reduce_block(value, combine)


def piece(row: Any, index: Any) -> Any:
    """The vector of 128 bits with this number."""
    return fx.slice(fx.zipped_divide(row, fx.make_tile(128 // row.dtype.width)), (None, index))


def load(row: Any) -> list[Any]:
    """What a thread has of a row, as vectors of Float32."""
    count, pieces = 128 // row.dtype.width, []
    for index in fx.range_constexpr(COLUMNS // (count * BLOCK)):
        registers = fx.make_rmem_tensor(count, row.dtype)
        fx.copy(
            fx.make_copy_atom(fx.UniversalCopy(128), row.dtype), piece(row, index * BLOCK + fx.thread_idx.x), registers
        )
        pieces.append(registers.load().to(fx.Float32))
    return pieces


def store(pieces: list[Any], row: Any) -> None:
    """Write what `load` would read; elements may be narrower than those that were read."""
    for index in fx.range_constexpr(len(pieces)):
        count = pieces[index].numel
        registers = fx.make_rmem_tensor(count, row.dtype)
        registers.store(pieces[index].to(row.dtype))
        target = fx.slice(fx.zipped_divide(row, fx.make_tile(count)), (None, index * BLOCK + fx.thread_idx.x))
        fx.copy(fx.make_copy_atom(fx.UniversalCopy(count * row.dtype.width), row.dtype), registers, target)


@flyc.kernel
def float4_add_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    index, atom = fx.block_idx.x * BLOCK + fx.thread_idx.x, fx.make_copy_atom(fx.UniversalCopy(128), fx.Float32)
    x, y, z = (fx.make_rmem_tensor(4, fx.Float32) for _ in range(3))
    fx.copy(atom, piece(a, index), x)
    fx.copy(atom, piece(b, index), y)
    z.store(x.load() + y.load())
    fx.copy(atom, z, piece(c, index))


@flyc.jit
def float4_add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    float4_add_kernel(a, b, c).launch(grid=c.shape[0] // (4 * BLOCK), block=BLOCK)


@flyc.kernel
def softmax_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    pieces = load(x[fx.block_idx.x, None])
    with fx.fastmath("fast"):
        peak = reduce_row(pieces, fx.ReductionOp.MAX, fx.maxnumf) * LOG2_E
        powers = [fx.exp2(piece * LOG2_E - peak) for piece in pieces]
        scale = 1 / reduce_row(powers, fx.ReductionOp.ADD, add)
        store([power * scale for power in powers], y[fx.block_idx.x, None])


@flyc.jit
def softmax(x: fx.Tensor, y: fx.Tensor) -> None:
    softmax_kernel(x, y).launch(grid=x.shape[0], block=BLOCK)


@flyc.kernel
def careful_softmax_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    pieces = load(x[fx.block_idx.x, None])
    peak = reduce_row(pieces, fx.ReductionOp.MAX, fx.max)
    powers = [fx.exp2((piece - peak) * LOG2_E, fastmath="afn") for piece in pieces]
    scale = 1 / reduce_row(powers, fx.ReductionOp.ADD, add)
    store([power * scale for power in powers], y[fx.block_idx.x, None])


@flyc.jit
def careful_softmax(x: fx.Tensor, y: fx.Tensor) -> None:
    """Without flags but for the function itself; the maximum over the block propagates NaN."""
    careful_softmax_kernel(x, y).launch(grid=x.shape[0], block=BLOCK)


def normalised(x: Any, weight: Any) -> list[Any]:
    """x / sqrt(mean(x * x) + epsilon) * weight."""
    pieces = load(x[fx.block_idx.x, None])
    mean = reduce_row([piece * piece for piece in pieces], fx.ReductionOp.ADD, add) / COLUMNS
    scale = fx.rsqrt(mean + EPSILON)
    return [piece * scale * factor for piece, factor in zip(pieces, load(weight), strict=True)]


@flyc.kernel
def rmsnorm_kernel(x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor) -> None:
    store(normalised(x, weight), y[fx.block_idx.x, None])


@flyc.jit
def rmsnorm(x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor) -> None:
    rmsnorm_kernel(x, weight, y).launch(grid=x.shape[0], block=BLOCK)


@flyc.kernel
def quantised_rmsnorm_kernel(x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor, scales: fx.Tensor) -> None:
    pieces = normalised(x, weight)
    largest = reduce_row([fx.absf(piece) for piece in pieces], fx.ReductionOp.MAX, fx.maxnumf)
    if fx.thread_idx.x == 0:
        scales[fx.block_idx.x] = largest / 127
    factor = 127 / largest
    store([fx.roundeven(piece * factor) for piece in pieces], y[fx.block_idx.x, None])


@flyc.jit
def quantised_rmsnorm(x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor, scales: fx.Tensor) -> None:
    quantised_rmsnorm_kernel(x, weight, y, scales).launch(grid=x.shape[0], block=BLOCK)


@flyc.kernel
def experts_sum_kernel(y: fx.Tensor, out: fx.Tensor, experts: int, columns: int) -> None:
    values, row = [], fx.make_layout(columns, 1)
    for expert in fx.range_constexpr(experts):
        registers = fx.make_rmem_tensor(8, y.dtype)
        source = fx.make_view(fx.get_iter(y) + (fx.block_idx.x * experts + expert) * columns, row)
        fx.copy(fx.make_copy_atom(fx.UniversalCopy(128), y.dtype), piece(source, fx.thread_idx.x), registers)
        values.append(registers.load().to(fx.Float32))
    store([reduce(add, values)], fx.make_view(fx.get_iter(out) + fx.block_idx.x * columns, row))


@flyc.jit
def experts_sum(y: fx.Tensor, out: fx.Tensor, experts: fx.Constexpr[int], columns: fx.Constexpr[int]) -> None:
    """The sum of what the experts of a token gave: `y` is (token, expert, column) without gaps."""
    experts_sum_kernel(y, out, experts, columns).launch(grid=out.shape[0], block=BLOCK)


def _rows(*dtypes: str, rows: int = 3) -> list[Any]:
    return [np.zeros((rows, COLUMNS), dtype) for dtype in dtypes]


def _normalisation(dtype: str, result: str) -> list[Any]:
    return [*_rows(dtype), np.zeros(COLUMNS, dtype), *_rows(result)]


KERNELS: dict[str, tuple[Any, Callable[[], list[Any]]]] = {
    "float4_add": (float4_add, lambda: [np.zeros(8 * BLOCK, np.float32) for _ in range(3)]),
    "softmax": (softmax, lambda: _rows("float32", "float32")),
    "careful_softmax": (careful_softmax, lambda: _rows("float32", "float32")),
    "rmsnorm_f32": (rmsnorm, lambda: _normalisation("float32", "float32")),
    "rmsnorm_f16": (rmsnorm, lambda: _normalisation("float16", "float16")),
    "experts_sum": (
        experts_sum,
        lambda: [np.zeros((3, 4, COLUMNS // 2), np.float16), np.zeros((3, COLUMNS // 2), np.float16), 4, COLUMNS // 2],
    ),
    "quantised_rmsnorm": (quantised_rmsnorm, lambda: [*_normalisation("float16", "int8"), np.zeros(3, np.float32)]),
}
"""Function and arguments by name."""
