"""Attention of any length, out = softmax(scale Q K^T) V for each head, without the matrix of scores in memory.

A block takes 16 queries of a head and walks along the keys, 16 at a time: scores = Q K^T, weights = exp(scores -
maximum), out = out + weights V. When a row meets a larger score, its sums so far are scaled down (Dao et al.,
"FlashAttention", 2022). Shared memory carries the scores from the threads that multiply, each with some elements of the
tile, to the four neighbours that share a row; and the weights back. What multiplies is an argument, as in
12_tiled_gemm.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rows import add, reduce_wave
from tiles import inside, tiles_of
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

ROWS, COLUMNS = 16, 16  # a tile of the scores: queries, keys
THREADS = 64
SHARE = THREADS // ROWS  # neighbouring threads that work on one row of scores
PADDING = 1  # a row of scores starts one memory bank after the row before
LOWEST = -3.0e38  # before the first score, and of keys that do not count: finite, so that differences are numbers
Part = Callable[[fx.Tensor], fx.Tensor]


def copy_atom() -> fx.CopyAtom:
    return fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)


def loaded(
    partition: Part, fragment: Part, tensor: fx.Tensor, tile: tuple[int, int], place: tuple[Any, Any]
) -> fx.Tensor:
    """What this thread holds of tile number `place`, in registers, with zeros for what lies outside of the tensor."""
    part, crd = [partition(t[None, None, *place]) for t in tiles_of(tensor, tile)]
    registers = fragment(part)
    registers.fill(0)
    fx.copy(copy_atom(), part, registers, pred=inside(crd, tensor.shape, registers))
    return registers


def multiplied(thread: fx.ThrMma, mma: fx.TiledMma, sums: fx.Tensor, factors: fx.Tensor) -> None:
    """sums = sums * factors, with one factor in shared memory for each row of the tile."""
    part = thread.partition_C(factors)
    registers = mma.make_fragment_C(part)
    fx.copy(copy_atom(), part, registers)
    sums.store(sums.load() * registers.load())


def weighed(
    tile: fx.Tensor, scale: fx.Float32, factor: fx.Storage, largest: fx.Float32, total: fx.Float32, count: fx.Int32
) -> tuple[fx.Float32, fx.Float32]:
    """Make weights of the scores in `tile`; `factor` tells each row how much smaller what came before has become.

    Four threads share a row: `largest` is its largest score, `total` the sum of this thread's own weights. The first
    `count` scores of the row are some.
    """
    row, own = fx.thread_idx.x // SHARE, fx.thread_idx.x % SHARE
    scores: list[fx.Float32] = []
    before = largest
    for i in fx.range_constexpr(COLUMNS // SHARE):
        scores.append((own + SHARE * i < count).select(tile[row, own + SHARE * i] * scale, LOWEST))
        largest = fx.max(largest, scores[i])
    largest = reduce_wave(largest, fx.max, SHARE)
    smaller = fx.exp(before - largest)
    total = total * smaller
    for i in fx.range_constexpr(COLUMNS // SHARE):
        weight = fx.exp(scores[i] - largest)
        tile[row, own + SHARE * i] = weight
        total = total + weight
    if own == 0:
        factor[row] = smaller
    return largest, total


@flyc.kernel
def attention_kernel(
    q: fx.Tensor,
    k: fx.Tensor,
    v: fx.Tensor,
    out: fx.Tensor,
    scale: fx.Float32,
    width: int,
    causal: bool,
    mma: fx.TiledMma,
) -> None:
    # Query, key, value and result of this head are (which, channel); a product wants V as (channel, which).
    q, k, v, out = [tensor[None, None, fx.block_idx.y] for tensor in (q, k, v, out)]
    v = fx.make_view(fx.get_iter(v), fx.select(v.layout, [1, 0]))
    first, memory, thread = fx.block_idx.x, fx.SharedAllocator(), mma.get_slice(fx.thread_idx.x)
    shared = memory.allocate(fx.Array[fx.Float32, ROWS * (COLUMNS + PADDING)])
    tile = shared.view(fx.make_layout((ROWS, COLUMNS), (COLUMNS + PADDING, 1)))
    factor = memory.allocate(fx.Array[fx.Float32, ROWS])
    factors = factor.view(fx.make_layout((ROWS, width), (1, 0)))  # the same for all channels

    queries = loaded(thread.partition_A, mma.make_fragment_A, q, (ROWS, width), (first, 0))
    part_out, crd_out = [thread.partition_C(t[None, None, first, 0]) for t in tiles_of(out, (ROWS, width))]
    sums = mma.make_fragment_C(part_out)
    sums.fill(0)

    largest, total = fx.Float32(LOWEST), fx.Float32(0)
    steps: fx.Numeric = fx.get_scalar(fx.ceil_div(k.shape[0], COLUMNS))
    end: fx.Numeric = fx.get_scalar(k.shape[0])
    if causal:  # what comes after a query does not count for it
        steps, end = fx.min(steps, first + 1), fx.min(end, first * ROWS + fx.thread_idx.x // SHARE + 1)
    for step in range(steps):
        keys = loaded(thread.partition_B, mma.make_fragment_B, k, (COLUMNS, width), (step, 0))
        part_tile = thread.partition_C(tile)
        scores = mma.make_fragment_C(part_tile)
        scores.fill(0)
        fx.gemm(mma, scores, queries, keys, scores)
        fx.copy(copy_atom(), scores, part_tile)
        fx.barrier()

        largest, total = weighed(tile, scale, factor, largest, total, end - step * COLUMNS)
        fx.barrier()

        multiplied(thread, mma, sums, factors)
        part_weights = thread.partition_A(tile)
        weights = mma.make_fragment_A(part_weights)
        fx.copy(copy_atom(), part_weights, weights)
        values_of_keys = loaded(thread.partition_B, mma.make_fragment_B, v, (width, COLUMNS), (0, step))
        fx.gemm(mma, sums, weights, values_of_keys, sums)
        fx.barrier()  # nobody may write the next scores while others still read these weights

    total = reduce_wave(total, add, SHARE)
    if fx.thread_idx.x % SHARE == 0:
        factor[fx.thread_idx.x // SHARE] = 1 / total
    fx.barrier()
    multiplied(thread, mma, sums, factors)
    fx.copy(copy_atom(), sums, part_out, pred=inside(crd_out, out.shape, sums))


@flyc.jit
def attention(
    q: fx.Tensor,
    k: fx.Tensor,
    v: fx.Tensor,
    out: fx.Tensor,
    scale: fx.Float32,
    channels: fx.Constexpr[int],
    causal: fx.Constexpr[bool] = False,
    unit: fx.Constexpr[str] = "fma",
) -> None:
    """All tensors are (which query or key, channel, head)."""
    if unit == "mfma":  # one wave, one instruction for a tile of scores and 4 channels
        atom, atoms = fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 4, fx.Float32)), fx.make_layout((1, 1, 1), (1, 1, 1))
    else:  # 8 x 8 threads, neighbours along a row
        atom, atoms = fx.make_mma_atom(fx.UniversalFMA(fx.Float32)), fx.make_layout((8, 8, 1), (8, 1, 0))
    width = -(-channels // COLUMNS) * COLUMNS
    blocks = (fx.ceil_div(q.shape[0], ROWS), q.shape[2])
    attention_kernel(q, k, v, out, scale, width, causal, fx.make_tiled_mma(atom, atoms)).launch(
        grid=blocks, block=THREADS
    )


def expected(q: Any, k: Any, v: Any, scale: float, causal: bool) -> Any:
    """The same in NumPy and float64, on arrays of (head, which, channel)."""
    scores = scale * (q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1))
    if causal:
        scores = np.where(np.tri(*scores.shape[1:], dtype=np.bool_), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return weights / weights.sum(axis=2, keepdims=True) @ v.astype(np.float64)


def check(rng: np.random.Generator, heads: int, length: int, channels: int, causal: bool = False) -> None:
    """Random heads against NumPy in float64."""
    q, k, v = (rng.standard_normal((heads, length, channels), dtype=np.float32) for _ in range(3))
    out, scale = np.full_like(q, np.nan), channels**-0.5
    as_seen = [array.transpose(1, 2, 0) for array in (q, k, v, out)]
    attention(*as_seen, scale, channels, causal)
    assert_close(out, expected(q, k, v, scale, causal), 1e-5)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for causal in (False, True, False, True):
        heads, length, channels = odd(rng, 6), odd(rng, 200), odd(rng, 70)
        check(rng, heads, length, channels, causal)
        kind = "causal attention" if causal else "attention"
        print(f"{kind} of {heads} heads, {length} x {channels}: equal to NumPy's in float64, within 1e-5")


if __name__ == "__main__":
    main()
