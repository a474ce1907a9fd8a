"""Attention forward on Hopper: softmax(Q K^T / sqrt(d)) V of bf16, without the scores ever in memory.

Groups of four warps take 64 queries of a head each, and one warp has the copy engine bring these, and keys and values
to two stages each. While the matrix units multiply queries and the next keys, and weights and the last values, a group
works on the scores between: it finds the new maximum of each row, makes weights of the scores, and scales what it has
summed up so far. Weights stay in registers, where the next product takes them from.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
from attention_reference import attention as attention_of
from attention_tiles import Parts, Plan, States, Task, cut, each_task, plan_of
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
STORES, TURNS = 1, 4  # the first of the groups' named barriers
OF_AN_H200 = fx.Int32(132)  # multiprocessors


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

    def __init__(self, plan: Plan, groups: Any) -> None:
        memory, tile = fx.SharedAllocator(), plan.keys * plan.depth
        self.q = memory.allocate(fx.Array[fx.BFloat16, plan.queries * plan.depth], 1024)
        self.k, self.v = (memory.allocate(fx.Array[fx.BFloat16, STAGES * tile], 1024) for _ in range(2))
        self.o = memory.allocate(fx.Array[fx.BFloat16, plan.queries * plan.depth], 1024) if plan.stays else self.q
        rings = (1, groups), (STAGES, groups), (STAGES, groups)
        self.of_q, self.of_k, self.of_v = rings_of(memory, *rings)

    def states(self) -> States:
        return States(self.of_q.state(), self.of_k.state())


class Products:
    """What a group of warps multiplies, and the registers of a thread for it."""

    def __init__(self, shared: Shared, group: Any, plan: Plan) -> None:
        self.group, keys, depth, of = group, plan.keys, plan.depth, fx.nvvm.smem_layout
        self.of_scores = mma_of(keys, 1)
        self.of_result = mma_of(depth, 1, a="reg", major_b="mn")
        threads_s, threads_o = (mma.get_slice(0) for mma in (self.of_scores, self.of_result))
        queries = threads_s.partition_A(shared.q.view(of("k", fx.BFloat16, (ROWS, depth, plan.groups))))
        self.q = queries[None, None, None, group]
        self.k = threads_s.partition_B(shared.k.view(of("k", fx.BFloat16, (keys, depth, STAGES))))
        self.v = threads_o.partition_B(shared.v.view(of("mn", fx.BFloat16, (depth, keys, STAGES))))
        self.scores, self.result = accumulators(keys), accumulators(depth)
        self.weights = operands(keys)

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


@flyc.kernel
def attention_kernel(
    load_q: Any, q: fx.Tensor, load_k: Any, k: fx.Tensor, load_v: Any, v: fx.Tensor, store_o: Any, o: fx.Tensor,
    lse: fx.Tensor | None, keys: fx.Int32, heads_of_keys: fx.Int32, heads: fx.Int32, whole: fx.Int32, blocks: fx.Int32,
    band: fx.Int32, causal: fx.Constexpr[bool], plan: fx.Constexpr[Plan],
) -> None:  # fmt: skip
    parts = Parts(plan, causal, keys, whole, fx.nvvm.TileScheduler(heads, blocks, band))
    task, warp = parts.task(fx.block_idx.x), fx.nvvm.warp_idx()
    shared = Shared(plan, task.groups)
    init_rings(shared.of_q, shared.of_k, shared.of_v)
    group, (few, many) = warp // 4, REGISTERS[plan.groups]
    if group == plan.groups:
        fx.nvvm.setmaxnreg_decrease(few)
        if warp == 4 * plan.groups:  # noqa: SIM102 (all threads of this warp elect one)
            if fx.nvvm.elect_one():
                loads = (load_q, q), (load_k, k), (load_v, v)

                def start(task: Task, states: States) -> States:
                    return bring(shared, task, loads, heads_of_keys, states)

                each_task(parts, shared.states(), start)
    else:
        fx.nvvm.setmaxnreg_increase(many)
        if task.is_for(group):
            products, tiles_o = Products(shared, group, plan), fx.zipped_divide(o, (ROWS, plan.piece))

            def finish(task: Task, states: States) -> States:
                tops, sums, states = attend(shared, products, task, states)
                if lse is not None:
                    store_sums(lse[task.head, None], (task.first + group) * ROWS, tops, sums, plan.depth)
                store_result(products, shared, store_o, tiles_o, task)
                return states

            first_turn(products.group, plan)
            each_task(parts, shared.states(), finish)
            last_turn(products.group, plan)
            fx.nvvm.bulk_wait_group(read=True)


def bring(shared: Shared, task: Task, loads: tuple[Any, ...], heads: Any, states: States) -> States:
    """Have the copy engine bring a task's queries, and all their keys and values, as stages become empty.

    By one thread; as many heads of queries as `heads` have the same keys.
    """
    plan, ((load_q, q), (load_k, k), (load_v, v)) = task.plan, loads
    tiles_k, tiles_v = (fx.zipped_divide(x, (plan.keys, plan.depth)) for x in (k, v))
    tiles_q, state, size = fx.zipped_divide(q, (ROWS, plan.depth)), states.k, plan.keys * plan.depth
    full = shared.of_q.acquire(states.q, load_q.tile_bytes * task.groups)
    for group in fx.range_constexpr(plan.groups):
        if task.is_for(group):
            place = task.first + group, 0, task.head
            fx.copy(load_q, tiles_q[None, place], shared.q.ptr + group * (ROWS * plan.depth), mbar=full)
    for number in range(task.count):
        place = number, 0, task.head // heads
        full = shared.of_k.acquire(state, load_k.tile_bytes)
        fx.copy(load_k, tiles_k[None, place], shared.k.ptr + state.stage * size, mbar=full)
        full = shared.of_v.acquire(state, load_v.tile_bytes)
        fx.copy(load_v, tiles_v[None, place], shared.v.ptr + state.stage * size, mbar=full)
        state = state.next()
    return States(states.q.next(), state)


def attend(shared: Shared, products: Products, task: Task, states: States) -> tuple[list[Any], list[Any], States]:
    """Sum up weighted values for a group's queries; the result is in registers.

    Returns the largest score of each of the thread's two rows, the sum of weights, and what comes next.
    """
    thread, row = fx.thread_idx.x % GROUP_THREADS, (task.first + products.group) * ROWS
    scores, result, state = products.scores, products.result, states.k
    result.fill(0)
    shared.of_q.wait(states.q)
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
        wait_turn(products.group, task.plan)
        products.multiply_keys(state.stage)
        shared.of_v.wait(previous)
        products.multiply_values(previous.stage)
        end_turn(products.group, task.plan)
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
    if thread == 0:
        shared.of_q.release(states.q.stage)
    shared.of_v.wait(previous)
    products.multiply_values(previous.stage)
    fx.nvvm.sm90.wgmma_wait(0, result)
    if thread == 0:
        shared.of_v.release(previous.stage)
    sums = [across_row(total, add) for total in sums]
    scale_rows(result, [1 / total for total in sums])
    return tops, sums, States(states.q.next(), state)


def first_turn(group: Any, plan: Plan) -> None:
    """The first group is next.

    Where blocks stay, groups take turns to hand products to the matrix units: while those of one are computed, the
    other makes weights. Without it they do the same at the same time.
    """
    if fx.const_expr(plan.stays):  # noqa: SIM102 (one is known while tracing)
        if group == plan.groups - 1:
            end_turn(group, plan)


def wait_turn(group: Any, plan: Plan) -> None:
    if fx.const_expr(plan.stays):
        fx.nvvm.named_barrier_sync(TURNS + group, 2 * GROUP_THREADS)


def end_turn(group: Any, plan: Plan) -> None:
    """The group behind this one is next."""
    if fx.const_expr(plan.stays):
        fx.nvvm.named_barrier_arrive(TURNS + (group + 1) % plan.groups, 2 * GROUP_THREADS)


def last_turn(group: Any, plan: Plan) -> None:
    """Take the turn that the last group left."""
    if fx.const_expr(plan.stays):  # noqa: SIM102 (one is known while tracing)
        if group == 0:
            wait_turn(group, plan)


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


def store_result(products: Products, shared: Shared, store: Any, tiles: fx.Tensor, task: Task) -> None:
    """Store a group's rows, from where its queries were or, if the block stays, where the rows before have been."""
    plan, group = task.plan, products.group

    def buffer_of(number: int) -> Any:
        return shared.o.ptr + (group * (plan.depth // plan.piece) + number) * (ROWS * plan.piece)

    def tile_of(number: int) -> fx.Tensor:
        return tiles[None, (task.first + group, number, task.head)]

    if fx.const_expr(plan.stays):
        if fx.thread_idx.x % GROUP_THREADS == 0:
            fx.nvvm.bulk_wait_group(read=True)
        fx.nvvm.named_barrier_sync(STORES + group, GROUP_THREADS)
    store_rows(products.result, plan.depth, plan.piece, buffer_of, store, tile_of, STORES + group)


def store_sums(lse: fx.Tensor, row: Any, tops: list[Any], sums: list[Any], depth: int) -> None:
    """Store the logarithms of the sums of a group's rows, the first of which is `row`."""
    for line in range(2):
        mine = row + first_row() + line * 8
        if (fx.thread_idx.x % 4 == 0) & (mine < fx.Int32(lse.shape[0])):
            lse[mine] = tops[line] / math.sqrt(depth) + fx.log2(sums[line]) / LOG2_E


@flyc.jit
def attention(
    q: fx.Tensor, k: fx.Tensor, v: fx.Tensor, o: fx.Tensor, causal: fx.Constexpr[bool] = False,
    lse: fx.Tensor | None = None, depth: fx.Constexpr[int] = 128, multiprocessors: fx.Int32 = OF_AN_H200,
    stream: fx.Stream = fx.Stream(None),
) -> None:  # fmt: skip
    """o = softmax(q k^T / sqrt(depth)) v of (heads, length, depth); k and v may have fewer heads.

    The heads of q are a multiple of those of k and v, which have a key at least.
    With `causal` a query sees the keys up to its own number. `lse`, (heads, length) of f32, becomes the logarithm of
    the sum of the exponentials of each query's scores, which the backward pass takes. Depths are those of `PLANS`.
    How many `multiprocessors` the GPU has matters for speed alone.
    """
    plan = plan_of(depth, causal)
    of_q, of_k = (fx.nvvm.smem_layout("k", fx.BFloat16, (rows, depth)) for rows in (ROWS, plan.keys))
    loads = [part for x, of in ((q, of_q), (k, of_k), (v, of_k)) for part in fx.nvvm.make_tma_load(by_rows(x), of)]
    store_o, tiles_o = fx.nvvm.make_tma_store(by_rows(o), fx.nvvm.smem_layout("k", fx.BFloat16, (ROWS, plan.piece)))
    heads, queries, _ = q.shape
    whole, blocks = cut(plan, heads, queries, multiprocessors)
    attention_kernel(
        *loads, store_o, tiles_o, lse, fx.Int32(k.shape[1]), fx.Int32(heads // k.shape[0]), fx.Int32(heads), whole,
        blocks, band_of(blocks, causal), causal, plan,
    ).launch(
        grid=fx.max(multiprocessors, 1) if plan.stays else blocks * heads,
        block=(1 + plan.groups) * GROUP_THREADS,
        stream=stream,
    )  # fmt: skip


def check(
    rng: np.random.Generator, heads: int, heads_of_keys: int, queries: int, keys: int, causal: bool, depth: int = 128,
    multiprocessors: int = 132,
) -> None:  # fmt: skip
    """Random heads against NumPy in float64."""
    q = rng.standard_normal((heads, queries, depth)).astype(ml_dtypes.bfloat16)
    k, v = (rng.standard_normal((heads_of_keys, keys, depth)).astype(ml_dtypes.bfloat16) for _ in range(2))
    o = np.full((heads, queries, depth), np.nan, ml_dtypes.bfloat16)
    lse = np.full((heads, queries), np.nan, np.float32)
    attention(q, k, v, o, causal, lse, depth, multiprocessors)
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
