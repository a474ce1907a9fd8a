"""Attention forward on Hopper: softmax(Q K^T / sqrt(d)) V of bf16, without the scores ever in memory.

Groups of four warps take 64 queries of a head each, and one warp has the copy engine bring these, and keys and values
to two stages each. While the matrix units multiply queries and the next keys, and weights and the last values, a group
works on the scores between: it finds the new maximum of each row, makes weights of the scores, and scales what it has
summed up so far. Weights stay in registers, where the next product takes them from.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from attention_reference import attention as attention_of
from warp_groups import (
    GROUP_THREADS,
    LOG2_E,
    LOWEST,
    ROWS,
    accumulators,
    across_row,
    add,
    band_of,
    by_rows,
    exp2,
    first_row,
    init_rings,
    mma_of,
    operands,
    rings_of,
    store_rows,
)
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

STAGES = 2
REGISTERS = {2: (40, 232), 3: (32, 160)}  # of a thread that brings and of one that multiplies, by groups


class Plan(NamedTuple):
    """How a block takes heads of so many channels: by how many groups of warps, and how many keys at once."""

    depth: int
    groups: int
    keys: int

    @property
    def queries(self) -> int:
        return self.groups * ROWS

    @property
    def piece(self) -> int:
        """Columns of results that the copy engine stores at once: those of a swizzle."""
        return min(self.depth & -self.depth, 64)


PLANS = {plan.depth: plan for plan in (Plan(64, 3, 128), Plan(96, 2, 128), Plan(128, 2, 128), Plan(256, 2, 64))}


def plan_of(depth: int) -> Plan:
    if depth not in PLANS:
        raise ValueError(f"attention is of heads of {', '.join(map(str, PLANS))} channels, found {depth}")
    return PLANS[depth]


def places(line: int, columns: int) -> list[int]:
    """The numbers of the accumulators of the first or the second row."""
    return [4 * eight + 2 * line + column for eight in range(columns // 8) for column in range(2)]


def tree(values: list[Any], combine: Any) -> Any:
    while len(values) > 1:
        values = [combine(*values[i : i + 2]) if i + 1 < len(values) else values[i] for i in range(0, len(values), 2)]
    return values[0]


def scale_rows(result: fx.Tensor, factors: list[Any]) -> None:
    """Multiply each of the two rows of accumulators."""
    vector = result.load()
    scaled = [vector[place] * factors[place // 2 % 2] for place in range(vector.numel)]
    result.store(fx.Vector.from_elements(scaled))


class Shared:
    """A block's shared memory: its queries, stages of keys and values, and what tells when they are there."""

    def __init__(self, plan: Plan) -> None:
        memory, tile = fx.SharedAllocator(), plan.keys * plan.depth
        self.q = memory.allocate(fx.Array[fx.BFloat16, plan.queries * plan.depth], 1024)
        self.k, self.v = (memory.allocate(fx.Array[fx.BFloat16, STAGES * tile], 1024) for _ in range(2))
        rings = (1, plan.groups), (STAGES, plan.groups), (STAGES, plan.groups)
        self.of_q, self.of_k, self.of_v = rings_of(memory, *rings)


class Products:
    """What a group of warps multiplies, and the registers of a thread for it."""

    def __init__(self, shared: Shared, group: Any, plan: Plan) -> None:
        keys, depth, of = plan.keys, plan.depth, fx.nvvm.smem_layout
        self.of_scores = mma_of(keys, plan.groups)
        self.of_result = mma_of(depth, plan.groups, a="reg", major_b="mn")
        threads_s, threads_o = (mma.get_slice(group * GROUP_THREADS) for mma in (self.of_scores, self.of_result))
        self.q = threads_s.partition_A(shared.q.view(of("k", fx.BFloat16, (plan.queries, depth))))
        self.k = threads_s.partition_B(shared.k.view(of("k", fx.BFloat16, (keys, depth, STAGES))))
        self.v = threads_o.partition_B(shared.v.view(of("mn", fx.BFloat16, (depth, keys, STAGES))))
        self.scores, self.result = accumulators(keys), accumulators(depth)
        self.weights = operands(keys)
        self.result.fill(0)

    def multiply_keys(self, stage: Any) -> None:
        """Scores of the keys in a stage; to be waited for."""
        for step in fx.range_constexpr(fx.size(self.q.shape[2])):
            a, b = self.q[None, None, step], self.k[None, None, step, stage]
            fx.gemm(self.of_scores, self.scores, a, b, self.scores, accumulate=int(step > 0))
        fx.nvvm.sm90.wgmma_commit()

    def multiply_values(self, stage: Any) -> None:
        """The result of the weights and the values in a stage, added; to be waited for."""
        fx.gemm(self.of_result, self.result, self.weights, self.v[None, None, None, stage], self.result)
        fx.nvvm.sm90.wgmma_commit()

    def hold(self, weights: list[Any]) -> None:
        self.weights.store(fx.Vector.from_elements(weights).to(fx.BFloat16))


class Task(NamedTuple):
    """What a block does: queries number `block` of a head, and how often it is brought keys."""

    plan: Plan
    keys: Any  # of the head
    causal: bool
    head: Any
    block: Any
    count: Any


@flyc.kernel
def attention_kernel(
    load_q: Any, q: fx.Tensor, load_k: Any, k: fx.Tensor, load_v: Any, v: fx.Tensor, store_o: Any, o: fx.Tensor,
    lse: fx.Tensor | None, keys: fx.Int32, heads_of_keys: fx.Int32, heads: fx.Int32, blocks: fx.Int32, band: fx.Int32,
    causal: fx.Constexpr[bool], plan: fx.Constexpr[Plan],
) -> None:  # fmt: skip
    shared, warp = Shared(plan), fx.nvvm.warp_idx()
    init_rings(shared.of_q, shared.of_k, shared.of_v)
    head, block = fx.nvvm.TileScheduler(heads, blocks, band).place(fx.block_idx.x)
    count = fx.Int32(fx.ceil_div(keys, plan.keys))
    if fx.const_expr(causal):
        block = blocks - 1 - block  # blocks with most keys begin first
        count = fx.min(count, fx.Int32(fx.ceil_div((block + 1) * plan.queries, plan.keys)))
    task, group, (few, many) = Task(plan, keys, causal, head, block, count), warp // 4, REGISTERS[plan.groups]
    if group == plan.groups:
        fx.nvvm.setmaxnreg_decrease(few)
        if warp == 4 * plan.groups:  # noqa: SIM102 (all threads of this warp elect one)
            if fx.nvvm.elect_one():
                bring(shared, task, (load_q, q), (load_k, k), (load_v, v), heads_of_keys)
    else:
        fx.nvvm.setmaxnreg_increase(many)
        rows = block * plan.groups + group
        products = Products(shared, group, plan)
        tops, sums = attend(shared, products, task, rows * ROWS)
        if lse is not None:
            store_sums(lse[head, None], rows * ROWS, tops, sums, plan.depth)
        store_result(products.result, shared.q, store_o, fx.zipped_divide(o, (ROWS, plan.piece)), task, group)


def bring(
    shared: Shared, task: Task, of_q: tuple[Any, ...], of_k: tuple[Any, ...], of_v: tuple[Any, ...], heads: Any
) -> None:
    """Have the copy engine bring the block's queries, and all their keys and values, as stages become empty.

    By one thread; as many heads of queries as `heads` have the same keys.
    """
    plan, ((load_q, q), (load_k, k), (load_v, v)) = task.plan, (of_q, of_k, of_v)
    tiles_k, tiles_v = (fx.zipped_divide(x, (plan.keys, plan.depth)) for x in (k, v))
    state, size = shared.of_k.state(), plan.keys * plan.depth
    full = shared.of_q.acquire(shared.of_q.state(), load_q.tile_bytes)
    tile_q = fx.zipped_divide(q, (plan.queries, plan.depth))[None, (task.block, 0, task.head)]
    fx.copy(load_q, tile_q, shared.q, mbar=full)
    for number in range(task.count):
        place = number, 0, task.head // heads
        full = shared.of_k.acquire(state, load_k.tile_bytes)
        fx.copy(load_k, tiles_k[None, place], shared.k.ptr + state.stage * size, mbar=full)
        full = shared.of_v.acquire(state, load_v.tile_bytes)
        fx.copy(load_v, tiles_v[None, place], shared.v.ptr + state.stage * size, mbar=full)
        state = state.next()


def attend(shared: Shared, products: Products, task: Task, row: Any) -> tuple[list[Any], list[Any]]:
    """Sum up weighted values for a group's queries, the first of which is `row`; the result is in registers.

    Returns the largest score of each of the thread's two rows, and the sum of weights.
    """
    thread = fx.thread_idx.x % GROUP_THREADS
    scores, result = products.scores, products.result
    shared.of_q.wait(shared.of_q.state())
    state = shared.of_k.state()
    shared.of_k.wait(state)
    products.multiply_keys(state.stage)
    fx.nvvm.sm90.wgmma_wait(0, scores)
    if thread == 0:
        shared.of_k.release(state.stage)
    lowest, nothing = [fx.Float32(LOWEST)] * 2, [fx.Float32(0)] * 2
    weights, _, tops, sums = weighed(scores, task, fx.Int32(0), row, lowest, nothing)
    products.hold(weights)
    previous, state = state, state.next()
    for number in range(1, task.count):
        shared.of_k.wait(state)
        products.multiply_keys(state.stage)
        shared.of_v.wait(previous)
        products.multiply_values(previous.stage)
        fx.nvvm.sm90.wgmma_wait(1, scores)
        if thread == 0:
            shared.of_k.release(state.stage)
        weights, factors, tops, sums = weighed(scores, task, fx.Int32(number), row, tops, sums)
        fx.nvvm.sm90.wgmma_wait(0, result)
        if thread == 0:
            shared.of_v.release(previous.stage)
        scale_rows(result, factors)
        products.hold(weights)
        previous, state = state, state.next()
    shared.of_v.wait(previous)
    products.multiply_values(previous.stage)
    fx.nvvm.sm90.wgmma_wait(0, result)
    sums = [across_row(total, add) for total in sums]
    scale_rows(result, [1 / total for total in sums])
    return tops, sums


def weighed(
    scores: fx.Tensor, task: Task, number: Any, row: Any, highest: list[Any], sums: list[Any]
) -> tuple[Any, ...]:
    """As `weigh`; keys behind the last one, and if `causal` those behind a query, do not count."""
    mine, first, size = row + first_row(), number * task.plan.keys + fx.thread_idx.x % 4 * 2, task.plan.keys

    def hidden(place: int) -> Any:
        column = first + place // 4 * 8 + place % 2
        if fx.const_expr(task.causal):
            return (column >= task.keys) | (column > mine + place // 2 % 2 * 8)
        return column >= task.keys

    end, scale = number * size + size, LOG2_E / math.sqrt(task.plan.depth)
    is_partial = end > task.keys
    if fx.const_expr(task.causal):
        is_partial = is_partial | (end > row + 1)
    return weigh(scores, hidden, highest, sums, scale) if is_partial else weigh(scores, None, highest, sums, scale)


def weigh(scores: fx.Tensor, hidden: Any, highest: list[Any], sums: list[Any], scale: float) -> tuple[Any, ...]:
    """Weights of the scores by the new maximum of each row; what older sums are scaled by; new maxima and sums.

    `hidden` gives for a place the truth of a score that does not count, or is None.
    """
    vector = scores.load()
    values = [vector[place] for place in range(vector.numel)]
    if hidden is not None:
        values = [fx.arith.select(hidden(place), fx.Float32(LOWEST), value) for place, value in enumerate(values)]
    weights: list[Any] = [None] * len(values)
    factors: list[Any] = []
    tops: list[Any] = []
    totals: list[Any] = []
    for line in range(2):
        own = places(line, len(values) * 2)
        top = fx.max(highest[line], across_row(tree([values[place] for place in own], fx.max), fx.max))
        shift = -top * scale
        for place in own:
            weights[place] = exp2(fx.fma(values[place], scale, shift))
        factors.append(exp2(fx.fma(highest[line], scale, shift)))
        totals.append(fx.fma(sums[line], factors[line], tree([weights[place] for place in own], add)))
        tops.append(top)
    return weights, factors, tops, totals


def store_result(result: fx.Tensor, memory: Any, store: Any, tiles: fx.Tensor, task: Task, group: Any) -> None:
    """Store a group's rows, from where its queries were."""
    plan = task.plan

    def buffer_of(number: int) -> Any:
        return memory.ptr + (number * plan.groups + group) * (ROWS * plan.piece)

    def tile_of(number: int) -> fx.Tensor:
        return tiles[None, (task.block * plan.groups + group, number, task.head)]

    store_rows(result, plan.depth, plan.piece, buffer_of, store, tile_of, group + 1)
    fx.nvvm.bulk_wait_group(read=True)


def store_sums(lse: fx.Tensor, row: Any, tops: list[Any], sums: list[Any], depth: int) -> None:
    """Store the logarithms of the sums of a group's rows, the first of which is `row`."""
    for line in range(2):
        mine = row + first_row() + line * 8
        if (fx.thread_idx.x % 4 == 0) & (mine < fx.Int32(lse.shape[0])):
            lse[mine] = tops[line] / math.sqrt(depth) + fx.log2(sums[line]) / LOG2_E


@flyc.jit
def attention(
    q: fx.Tensor, k: fx.Tensor, v: fx.Tensor, o: fx.Tensor, causal: fx.Constexpr[bool] = False,
    lse: fx.Tensor | None = None, depth: fx.Constexpr[int] = 128, stream: fx.Stream = fx.Stream(None),
) -> None:  # fmt: skip
    """o = softmax(q k^T / sqrt(depth)) v of (heads, length, depth); k and v may have fewer heads.

    With `causal` a query sees the keys up to its own number. `lse`, (heads, length) of f32, becomes the logarithm of
    the sum of the exponentials of each query's scores, which the backward pass takes. Depths are those of `PLANS`.
    """
    plan = plan_of(depth)
    of_q, of_k = (fx.nvvm.smem_layout("k", fx.BFloat16, (rows, depth)) for rows in (plan.queries, plan.keys))
    loads = [part for x, of in ((q, of_q), (k, of_k), (v, of_k)) for part in fx.nvvm.make_tma_load(by_rows(x), of)]
    store_o, tiles_o = fx.nvvm.make_tma_store(by_rows(o), fx.nvvm.smem_layout("k", fx.BFloat16, (ROWS, plan.piece)))
    heads, queries, _ = q.shape
    blocks = fx.get_scalar(fx.ceil_div(queries, plan.queries))
    attention_kernel(
        *loads, store_o, tiles_o, lse, fx.Int32(k.shape[1]), fx.Int32(heads // k.shape[0]), fx.Int32(heads), blocks,
        band_of(blocks, causal), causal, plan,
    ).launch(grid=blocks * heads, block=(1 + plan.groups) * GROUP_THREADS, stream=stream)  # fmt: skip


def check(
    rng: np.random.Generator, heads: int, heads_of_keys: int, queries: int, keys: int, causal: bool, depth: int = 128
) -> None:
    """Random heads against NumPy in float64."""
    q = rng.standard_normal((heads, queries, depth)).astype(ml_dtypes.bfloat16)
    k, v = (rng.standard_normal((heads_of_keys, keys, depth)).astype(ml_dtypes.bfloat16) for _ in range(2))
    o = np.full((heads, queries, depth), np.nan, ml_dtypes.bfloat16)
    lse = np.full((heads, queries), np.nan, np.float32)
    attention(q, k, v, o, causal, lse, depth)
    result, logarithms = attention_of(q, k, v, causal)
    assert_close(o.astype(np.float64), result, 2e-2)
    assert_close(lse, logarithms, 1e-4)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng(0)
    for heads, heads_of_keys, causal, depth in ((2, 2, False, 128), (2, 1, True, 64), (6, 2, False, 256)):
        queries, keys = odd(rng, 600), odd(rng, 600)
        if causal:
            keys = queries
        check(rng, heads, heads_of_keys, queries, keys, causal, depth)
        print(f"{queries} queries, {keys} keys, {heads} heads of {depth}{', causal' * causal}: as by NumPy")


if __name__ == "__main__":
    main()
