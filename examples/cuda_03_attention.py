"""Attention forward on Hopper: softmax(Q K^T / sqrt(d)) V of bf16, without the scores ever in memory.

A block takes 128 queries of a head. One warp has the copy engine bring keys and values to two stages each; two groups
of four warps take 64 queries each. While the matrix units multiply queries and the next keys, and weights and the last
values, a group works on the scores between: it finds the new maximum of each row, makes weights of the scores, and
scales what it has summed up so far. Weights stay in registers, where the next product takes them from.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
from attention_reference import attention as attention_of
from warp_groups import (
    GROUP_THREADS,
    GROUPS,
    LOWEST,
    PIECE,
    ROWS,
    accumulators,
    across_row,
    add,
    band_of,
    by_rows,
    exp2,
    mma_of,
    operands,
    store_rows,
)
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

QUERIES, KEYS, DEPTH = 128, 128, 128  # of a block; what is brought at once; of a head
STAGES = 2
THREADS = (1 + GROUPS) * GROUP_THREADS
PRODUCER_REGISTERS, CONSUMER_REGISTERS = 40, 232
LOG2_E = math.log2(math.e)


def places(line: int, columns: int) -> list[int]:
    """The numbers of the accumulators of the first or the second row."""
    return [4 * eight + 2 * line + column for eight in range(columns // 8) for column in range(2)]


def tree(values: list[Any], combine: Any) -> Any:
    while len(values) > 1:
        values = [combine(*values[i : i + 2]) if i + 1 < len(values) else values[i] for i in range(0, len(values), 2)]
    return values[0]


def weigh(scores: fx.Tensor, hidden: Any, highest: list[Any], sums: list[Any]) -> tuple[Any, ...]:
    """Weights of the scores by the new maximum of each row; what older sums are scaled by; new maxima and sums.

    `hidden` gives for a place the truth of a score that does not count, or is None.
    """
    vector = scores.load()
    values = [vector[place] for place in range(KEYS // 2)]
    if hidden is not None:
        values = [fx.arith.select(hidden(place), fx.Float32(LOWEST), value) for place, value in enumerate(values)]
    weights: list[Any] = [None] * (KEYS // 2)
    factors: list[Any] = []
    tops: list[Any] = []
    totals: list[Any] = []
    scale = LOG2_E / math.sqrt(DEPTH)
    for line in range(2):
        own = places(line, KEYS)
        top = fx.max(highest[line], across_row(tree([values[place] for place in own], fx.max), fx.max))
        shift = -top * scale
        for place in own:
            weights[place] = exp2(fx.fma(values[place], scale, shift))
        factors.append(exp2(fx.fma(highest[line], scale, shift)))
        totals.append(fx.fma(sums[line], factors[line], tree([weights[place] for place in own], add)))
        tops.append(top)
    return weights, factors, tops, totals


def scale_rows(result: fx.Tensor, factors: list[Any]) -> None:
    """Multiply each of the two rows of accumulators."""
    vector = result.load()
    scaled = [vector[place] * factors[place // 2 % 2] for place in range(DEPTH // 2)]
    result.store(fx.Vector.from_elements(scaled))


class Shared:
    """A block's shared memory: its queries, stages of keys and values, and what tells when they are there."""

    def __init__(self) -> None:
        memory = fx.SharedAllocator()
        self.q = memory.allocate(fx.Array[fx.BFloat16, QUERIES * DEPTH], 1024)
        self.k = memory.allocate(fx.Array[fx.BFloat16, STAGES * KEYS * DEPTH], 1024)
        self.v = memory.allocate(fx.Array[fx.BFloat16, STAGES * KEYS * DEPTH], 1024)
        barriers = memory.allocate(fx.Array[fx.Int64, 4 * STAGES + 1]).ptr
        self.pipeline_k = fx.nvvm.PipelineTma(barriers, STAGES, GROUPS)
        self.pipeline_v = fx.nvvm.PipelineTma(barriers + 2 * STAGES, STAGES, GROUPS)
        self.q_is_there = barriers + 4 * STAGES

    def init(self) -> None:
        """Make the barriers; by one thread."""
        self.pipeline_k.init()
        self.pipeline_v.init()
        fx.nvvm.mbarrier_init(self.q_is_there, 1)
        fx.nvvm.fence_mbarrier_init()


class Products:
    """What a group of warps multiplies, and the registers of a thread for it."""

    def __init__(self, shared: Shared, group: Any) -> None:
        self.of_scores, self.of_result = mma_of(KEYS), mma_of(DEPTH, a="reg", major_b="mn")
        threads_s, threads_o = (mma.get_slice(group * GROUP_THREADS) for mma in (self.of_scores, self.of_result))
        self.q = threads_s.partition_A(shared.q.view(fx.nvvm.smem_layout("k", fx.BFloat16, (QUERIES, DEPTH))))
        self.k = threads_s.partition_B(shared.k.view(fx.nvvm.smem_layout("k", fx.BFloat16, (KEYS, DEPTH, STAGES))))
        self.v = threads_o.partition_B(shared.v.view(fx.nvvm.smem_layout("mn", fx.BFloat16, (DEPTH, KEYS, STAGES))))
        self.scores, self.result = accumulators(KEYS), accumulators(DEPTH)
        self.weights = operands(KEYS)
        self.result.fill(0)

    def multiply_keys(self, stage: Any) -> None:
        """Scores of the keys in a stage; to be waited for."""
        for step in fx.range_constexpr(DEPTH // 16):
            a, b = self.q[None, None, step], self.k[None, None, step, stage]
            fx.gemm(self.of_scores, self.scores, a, b, self.scores, accumulate=int(step > 0))
        fx.nvvm.sm90.wgmma_commit()

    def multiply_values(self, stage: Any) -> None:
        """The result of the weights and the values in a stage, added; to be waited for."""
        fx.gemm(self.of_result, self.result, self.weights, self.v[None, None, None, stage], self.result)
        fx.nvvm.sm90.wgmma_commit()

    def hold(self, weights: list[Any]) -> None:
        self.weights.store(fx.Vector.from_elements(weights).to(fx.BFloat16))


@flyc.kernel
def attention_kernel(
    load_q: Any, q: fx.Tensor, load_k: Any, k: fx.Tensor, load_v: Any, v: fx.Tensor, store_o: Any, o: fx.Tensor,
    lse: fx.Tensor | None, keys: fx.Int32, heads_of_keys: fx.Int32, heads: fx.Int32, blocks: fx.Int32, band: fx.Int32,
    causal: fx.Constexpr[bool],
) -> None:  # fmt: skip
    shared = Shared()
    warp = fx.nvvm.warp_idx()
    group = warp // 4
    if fx.thread_idx.x == 0:
        shared.init()
    fx.barrier()

    head, first = fx.nvvm.TileScheduler(heads, blocks, band).place(fx.block_idx.x)
    count = fx.Int32(fx.ceil_div(keys, KEYS))
    if fx.const_expr(causal):
        first = blocks - 1 - first  # blocks with most keys begin first
        count = fx.min(count, fx.Int32(fx.ceil_div((first + 1) * QUERIES, KEYS)))

    if group == GROUPS:
        fx.nvvm.setmaxnreg_decrease(PRODUCER_REGISTERS)
        if warp == 4 * GROUPS:  # noqa: SIM102 (all threads of this warp elect one)
            if fx.nvvm.elect_one():
                tile_q = fx.zipped_divide(q, (QUERIES, DEPTH))[None, (first, 0, head)]
                fx.nvvm.mbarrier_arrive_expect_tx(shared.q_is_there, QUERIES * DEPTH * 2)
                fx.copy(load_q, tile_q, shared.q, mbar=shared.q_is_there)
                bring(shared, load_k, k, load_v, v, head // heads_of_keys, count)
    else:
        fx.nvvm.setmaxnreg_increase(CONSUMER_REGISTERS)
        rows = first * GROUPS + group
        products = Products(shared, group)
        tops, sums = attend(shared, products, rows * ROWS, keys, count, causal)
        if lse is not None:
            store_sums(lse[head, None], rows * ROWS, tops, sums)
        store_result(products.result, shared.q, store_o, fx.zipped_divide(o, (ROWS, PIECE)), rows, head, group)


def bring(shared: Shared, load_k: Any, k: fx.Tensor, load_v: Any, v: fx.Tensor, head: Any, count: Any) -> None:
    """Have the copy engine bring all keys and values, as stages become empty; by one thread."""
    tiles_k, tiles_v = fx.zipped_divide(k, (KEYS, DEPTH)), fx.zipped_divide(v, (KEYS, DEPTH))
    tile = KEYS * DEPTH
    state = shared.pipeline_k.state()
    for number in range(count):
        full = shared.pipeline_k.acquire(state, tile * 2)
        fx.copy(load_k, tiles_k[None, (number, 0, head)], shared.k.ptr + state.stage * tile, mbar=full)
        full = shared.pipeline_v.acquire(state, tile * 2)
        fx.copy(load_v, tiles_v[None, (number, 0, head)], shared.v.ptr + state.stage * tile, mbar=full)
        state = state.next()


def attend(
    shared: Shared, products: Products, row: Any, keys: Any, count: Any, causal: bool
) -> tuple[list[Any], list[Any]]:
    """Sum up weighted values for a group's queries, the first of which is `row`; the result is in registers.

    Returns the largest score of each of the thread's two rows, and the sum of weights.
    """
    thread = fx.thread_idx.x % GROUP_THREADS
    scores, result = products.scores, products.result
    fx.nvvm.mbarrier_wait(shared.q_is_there, 0)
    state = shared.pipeline_k.state()
    shared.pipeline_k.wait(state)
    products.multiply_keys(state.stage)
    fx.nvvm.sm90.wgmma_wait(0, scores)
    if thread == 0:
        shared.pipeline_k.release(state.stage)
    lowest, nothing = [fx.Float32(LOWEST)] * 2, [fx.Float32(0)] * 2
    weights, _, tops, sums = weighed(scores, fx.Int32(0), row, keys, causal, lowest, nothing)
    products.hold(weights)
    previous, state = state, state.next()
    for number in range(1, count):
        shared.pipeline_k.wait(state)
        products.multiply_keys(state.stage)
        shared.pipeline_v.wait(previous)
        products.multiply_values(previous.stage)
        fx.nvvm.sm90.wgmma_wait(1, scores)
        if thread == 0:
            shared.pipeline_k.release(state.stage)
        weights, factors, tops, sums = weighed(scores, fx.Int32(number), row, keys, causal, tops, sums)
        fx.nvvm.sm90.wgmma_wait(0, result)
        if thread == 0:
            shared.pipeline_v.release(previous.stage)
        scale_rows(result, factors)
        products.hold(weights)
        previous, state = state, state.next()
    shared.pipeline_v.wait(previous)
    products.multiply_values(previous.stage)
    fx.nvvm.sm90.wgmma_wait(0, result)
    sums = [across_row(total, add) for total in sums]
    scale_rows(result, [1 / total for total in sums])
    return tops, sums


def weighed(
    scores: fx.Tensor, number: Any, row: Any, keys: Any, causal: bool, highest: list[Any], sums: list[Any]
) -> tuple[Any, ...]:
    """As `weigh`; keys behind the last one, and if `causal` those behind a query, do not count."""
    thread = fx.thread_idx.x % GROUP_THREADS
    mine = row + thread // 32 * 16 + thread % 32 // 4

    def hidden(place: int) -> Any:
        column = number * KEYS + place // 4 * 8 + thread % 4 * 2 + place % 2
        if fx.const_expr(causal):
            return (column >= keys) | (column > mine + place // 2 % 2 * 8)
        return column >= keys

    end = number * KEYS + KEYS
    is_partial = (end > keys) | (end > row + 1) if fx.const_expr(causal) else end > keys
    return weigh(scores, hidden, highest, sums) if is_partial else weigh(scores, None, highest, sums)


def store_result(
    result: fx.Tensor, memory: Any, store: Any, tiles: fx.Tensor, place: Any, head: Any, group: Any
) -> None:
    """Store a group's rows, from where its queries were."""

    def buffer_of(number: int) -> Any:
        return memory.ptr + (number * GROUPS + group) * (ROWS * PIECE)

    store_rows(result, DEPTH, buffer_of, store, lambda number: tiles[None, (place, number, head)], group + 1)


def store_sums(lse: fx.Tensor, row: Any, tops: list[Any], sums: list[Any]) -> None:
    """Store the logarithms of the sums of a group's rows, the first of which is `row`."""
    thread = fx.thread_idx.x % GROUP_THREADS
    for line in range(2):
        mine = row + thread // 32 * 16 + thread % 32 // 4 + line * 8
        if (thread % 4 == 0) & (mine < fx.Int32(lse.shape[0])):
            lse[mine] = tops[line] / math.sqrt(DEPTH) + fx.log2(sums[line]) / LOG2_E


@flyc.jit
def attention(
    q: fx.Tensor, k: fx.Tensor, v: fx.Tensor, o: fx.Tensor, causal: fx.Constexpr[bool] = False,
    lse: fx.Tensor | None = None, stream: fx.Stream = fx.Stream(None),
) -> None:  # fmt: skip
    """o = softmax(q k^T / sqrt(128)) v; all are (heads, length, 128), k and v may have fewer heads, for several of q's.

    With `causal` a query sees the keys up to its own number. `lse`, (heads, length) of f32, becomes the logarithm of
    the sum of the exponentials of each query's scores, which the backward pass takes.
    """
    of_q, of_k = (fx.nvvm.smem_layout("k", fx.BFloat16, (rows, DEPTH)) for rows in (QUERIES, KEYS))
    load_q, tiles_q = fx.nvvm.make_tma_load(by_rows(q), of_q)
    load_k, tiles_k = fx.nvvm.make_tma_load(by_rows(k), of_k)
    load_v, tiles_v = fx.nvvm.make_tma_load(by_rows(v), of_k)
    store_o, tiles_o = fx.nvvm.make_tma_store(by_rows(o), fx.nvvm.smem_layout("k", fx.BFloat16, (ROWS, PIECE)))
    heads, queries, _ = q.shape
    blocks = fx.get_scalar(fx.ceil_div(queries, QUERIES))
    attention_kernel(
        load_q, tiles_q, load_k, tiles_k, load_v, tiles_v, store_o, tiles_o, lse,
        fx.Int32(k.shape[1]), fx.Int32(heads // k.shape[0]), fx.Int32(heads), blocks, band_of(blocks, causal), causal,
    ).launch(grid=blocks * heads, block=THREADS, stream=stream)  # fmt: skip


def check(rng: np.random.Generator, heads: int, heads_of_keys: int, queries: int, keys: int, causal: bool) -> None:
    """Random heads against NumPy in float64."""
    q = rng.standard_normal((heads, queries, DEPTH)).astype(ml_dtypes.bfloat16)
    k, v = (rng.standard_normal((heads_of_keys, keys, DEPTH)).astype(ml_dtypes.bfloat16) for _ in range(2))
    o = np.full((heads, queries, DEPTH), np.nan, ml_dtypes.bfloat16)
    lse = np.full((heads, queries), np.nan, np.float32)
    attention(q, k, v, o, causal, lse)
    result, logarithms = attention_of(q, k, v, causal)
    assert_close(o.astype(np.float64), result, 2e-2)
    assert_close(lse, logarithms, 1e-4)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng(0)
    for heads, heads_of_keys, causal in ((2, 2, False), (2, 1, True), (6, 2, False)):
        queries, keys = odd(rng, 600), odd(rng, 600)
        if causal:
            keys = queries
        check(rng, heads, heads_of_keys, queries, keys, causal)
        print(f"{queries} queries and {keys} keys of {heads} heads{', causal' * causal}: as by NumPy")


if __name__ == "__main__":
    main()
