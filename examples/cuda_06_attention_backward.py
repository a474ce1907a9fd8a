"""Attention backward on Hopper: what queries, keys and values of bf16 have to do with the result's gradient.

With weights P = softmax(S), S = Q K^T / sqrt(d), and dP = dO V^T: dS = P (dP - rowsum(dO O)), dV = P^T dO, dK = dS^T Q
and dQ = dS K. Three kernels, each of which starts while the one before ends:

1. rowsum(dO O) of each query, beside the logarithm that the forward pass has left; and sums for dQ that are 0.
2. A block takes 128 keys of a head and goes over the queries that see them, 64 at a time, of all heads that share the
   keys. Two groups of four warps have 64 keys each, and compute scores as keys by queries: P^T and dS^T stay in
   registers, where the products for dV and dK take them from. Only dS^T goes through shared memory, for dQ, of which
   a group has one half of the columns; a warp for each has the copy engine add it to the sums. In which order blocks
   add is not determined, so that dQ differs in its last bits from run to run, unless they are told to take turns.
3. The sums become dQ of bf16.

The products for scores run one stage of queries ahead: while weights are computed, others are multiplied.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from attention_reference import attention, attention_gradients
from backward_terms import (
    GROUPS,
    HELPERS,
    QUERIES,
    WIDTH,
    Plan,
    Task,
    add_up,
    finish_kernel,
    plan_of,
    scratch_shapes,
    terms_kernel,
)
from warp_groups import (
    GROUP_THREADS,
    LOG2_E,
    LOWEST,
    ROWS,
    accumulators,
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

KEYS, PIECE = 128, 64  # of a block; columns of dK and dV that are stored at once
STAGES_Q, STAGES = 3, 2  # of queries, which are needed first and longest; of gradients
THREADS = (1 + GROUPS) * GROUP_THREADS
PRODUCER_REGISTERS, CONSUMER_REGISTERS = 24, 240
ALL_GROUPS, EACH_GROUP = 1, 2  # named barriers


class Shared:
    """A block's shared memory: its keys and values, stages of queries and gradients, and what tells of them."""

    def __init__(self, plan: Plan) -> None:
        memory = fx.SharedAllocator()
        self.k, self.v = (memory.allocate(fx.Array[fx.BFloat16, KEYS * plan.depth], 1024) for _ in range(2))
        self.q, self.do = (memory.allocate(fx.Array[fx.BFloat16, n * plan.tile], 1024) for n in (STAGES_Q, STAGES))
        self.ds = memory.allocate(fx.Array[fx.BFloat16, STAGES * KEYS * QUERIES], 1024)
        self.dq = memory.allocate(fx.Array[fx.Float32, plan.tile], 1024)
        self.terms = memory.allocate(fx.Array[fx.Float32, STAGES_Q * 2 * QUERIES], 128)
        # Threads read what belongs to queries, too: each hands it back. Room for what is added to dQ, a stage for each
        # group, is full when it may be written, and empty when the four warps have.
        rings = (1, 1), (STAGES_Q, GROUPS * GROUP_THREADS), (STAGES, GROUPS), (GROUPS, 4)
        self.of_keys, self.of_q, self.of_do, self.of_room = rings_of(memory, *rings)


class Products:
    """What a group of warps multiplies, and the registers of a thread for it."""

    def __init__(self, shared: Shared, group: Any, plan: Plan) -> None:
        self.group, of, depth = group, fx.nvvm.smem_layout, plan.depth
        keys = of("k", fx.BFloat16, (KEYS, depth))
        self.of_scores, self.of_sums = mma_of(QUERIES, GROUPS), mma_of(depth, GROUPS, a="reg", major_b="mn")
        self.of_dq = mma_of(plan.columns, 1, major_a="mn", major_b="mn")
        scores, sums = (mma.get_slice(group * GROUP_THREADS) for mma in (self.of_scores, self.of_sums))
        part = self.of_dq.get_slice(0)
        self.k, self.v = scores.partition_A(shared.k.view(keys)), scores.partition_A(shared.v.view(keys))
        stages = (shared.q, STAGES_Q), (shared.do, STAGES)
        self.q, self.do = (
            scores.partition_B(memory.view(of("k", fx.BFloat16, (QUERIES, depth, n)))) for memory, n in stages
        )
        self.q_across, self.do_across = (
            sums.partition_B(memory.view(of("mn", fx.BFloat16, (depth, QUERIES, n)))) for memory, n in stages
        )
        self.ds = part.partition_A(shared.ds.view(of("mn", fx.BFloat16, (QUERIES, KEYS, STAGES))))
        halves = fx.zipped_divide(shared.k.view(of("mn", fx.BFloat16, (depth, KEYS))), (plan.columns, KEYS))
        self.k_across = part.partition_B(halves[None, (group, 0)])
        self.scores, self.dp, self.dq = accumulators(QUERIES), accumulators(QUERIES), accumulators(plan.columns)
        self.dk, self.dv = accumulators(depth), accumulators(depth)
        self.p_t, self.ds_t = operands(QUERIES), operands(QUERIES)
        self.dk.fill(0)
        self.dv.fill(0)

    def multiply(self, mma: Any, result: fx.Tensor, a: fx.Tensor, b: fx.Tensor) -> None:
        """A new result, to be waited for."""
        for step in fx.range_constexpr(fx.size(a.shape[2])):
            fx.gemm(mma, result, a[None, None, step], b[None, None, step], result, accumulate=int(step > 0))
        fx.nvvm.sm90.wgmma_commit()

    def add_to(self, result: fx.Tensor, a: fx.Tensor, b: fx.Tensor) -> None:
        """More for a sum of the block's keys, to be waited for."""
        fx.gemm(self.of_sums, result, a, b, result)
        fx.nvvm.sm90.wgmma_commit()


@flyc.kernel
def keys_kernel(
    load_q: Any, q: fx.Tensor, load_k: Any, k: fx.Tensor, load_v: Any, v: fx.Tensor, load_do: Any, do: fx.Tensor,
    terms: fx.Tensor, add_dq: Any, sums: fx.Tensor, turns: fx.Tensor | None,
    store_dk: Any, dk: fx.Tensor, store_dv: Any, dv: fx.Tensor,
    queries: fx.Int32, keys: fx.Int32, members: fx.Int32, heads: fx.Int32, blocks: fx.Int32, band: fx.Int32,
    causal: fx.Constexpr[bool], plan: fx.Constexpr[Plan],
) -> None:  # fmt: skip
    shared, warp = Shared(plan), fx.nvvm.warp_idx()
    init_rings(shared.of_keys, shared.of_q, shared.of_do, shared.of_room)
    head, block = fx.nvvm.TileScheduler(heads, blocks, band).tile_coord(fx.block_idx.x)
    end = fx.Int32(fx.ceil_div(queries, QUERIES))
    start = fx.min(block * (KEYS // QUERIES), end - 1) if fx.const_expr(causal) else fx.Int32(0)
    task, group = Task(plan, keys, causal, head, block, members, start, end), warp // 4
    if group == GROUPS:
        fx.nvvm.setmaxnreg_decrease(PRODUCER_REGISTERS)
        helper = warp - 4 * GROUPS
        if fx.nvvm.elect_one():
            if helper == 0:
                full = shared.of_keys.acquire(shared.of_keys.state(), load_k.tile_bytes + load_v.tile_bytes)
                for load, tensor, memory in ((load_k, k, shared.k), (load_v, v, shared.v)):
                    tile = fx.zipped_divide(tensor, (KEYS, plan.depth))[None, (block, 0, head)]
                    fx.copy(load, tile, memory, mbar=full)
                fx.nvvm.griddep_wait()  # what is before this line runs beside the kernel before
                bring(shared, task, (load_q, q), (load_do, do), terms)
            elif helper <= GROUPS:
                add_up(task, (add_dq, sums), turns, (shared.of_room, shared.dq.ptr), helper - 1)
    else:
        fx.nvvm.setmaxnreg_increase(CONSUMER_REGISTERS)
        products = Products(shared, group, plan)
        go_over(shared, products, task)
        fx.nvvm.named_barrier_sync(ALL_GROUPS, GROUPS * GROUP_THREADS)  # keys have been read
        products.dk.store(products.dk.load() * plan.scale)
        for result, memory, store, tensor in (
            (products.dv, shared.v, store_dv, dv),
            (products.dk, shared.k, store_dk, dk),
        ):
            store_keys(result, memory, store, fx.zipped_divide(tensor, (ROWS, PIECE)), task, group)
        fx.nvvm.bulk_wait_group(read=True)


def store_keys(result: fx.Tensor, memory: Any, store: Any, tiles: fx.Tensor, task: Task, group: Any) -> None:
    """Store what a group has of dK or dV, from where the block's keys or values were."""

    def buffer_of(number: int) -> Any:
        return memory.ptr + (number * GROUPS + group) * (ROWS * PIECE)

    def tile_of(number: int) -> fx.Tensor:
        return tiles[None, (task.block * GROUPS + group, number, task.head)]

    store_rows(result, task.plan.depth, PIECE, buffer_of, store, tile_of, group + EACH_GROUP)


def bring(shared: Shared, task: Task, of_q: tuple[Any, ...], of_do: tuple[Any, ...], terms: fx.Tensor) -> None:
    """Have the copy engine bring queries, gradients and what belongs to them, as stages become empty; by one thread."""
    (load_q, q), (load_do, do), size = of_q, of_do, task.plan.tile
    tiles_q, tiles_do = (fx.zipped_divide(x, (QUERIES, task.plan.depth)) for x in (q, do))
    state_q, state_do, terms_size = shared.of_q.state(), shared.of_do.state(), 2 * QUERIES
    for member in range(task.members):
        for step in range(task.start, task.end):
            head, number, stage = task.head * task.members + member, task.tile(step), state_q.stage
            full = shared.of_q.acquire(state_q, load_q.tile_bytes + terms_size * 4)
            fx.copy(load_q, tiles_q[None, (number, 0, head)], shared.q.ptr + stage * size, mbar=full)
            source, target = terms[head, number, None, None], shared.terms.ptr + stage * terms_size
            fx.copy(fx.nvvm.BulkCopy(), source, target, mbar=full, elements=terms_size)
            full, stage = shared.of_do.acquire(state_do, load_do.tile_bytes), state_do.stage
            fx.copy(load_do, tiles_do[None, (number, 0, head)], shared.do.ptr + stage * size, mbar=full)
            state_q, state_do = state_q.next(), state_do.next()


def go_over(shared: Shared, products: Products, task: Task) -> None:
    """Add up dK and dV of a group's keys over all stages of queries, and what these keys add to dQ."""
    start, key, count = task.start, task.block * KEYS + products.group * ROWS, task.members * (task.end - task.start)
    shared.of_keys.wait(shared.of_keys.state())
    state_q, state_do = shared.of_q.state(), shared.of_do.state()
    shared.of_q.wait(state_q)
    products.multiply(products.of_scores, products.scores, products.k, products.q[None, None, None, state_q.stage])
    fx.nvvm.sm90.wgmma_wait(0)
    step, before = start, state_q.stage
    for index in range(count):
        following = next_state(state_q, index + 1 < count)
        states = state_q.stage, following, state_do
        release_queries(shared, products, before, state_do, index > 0)
        add_products(shared, products, task, states, key, task.tile(step) * QUERIES)
        hand_over(shared, products, index)
        before, state_q, state_do = state_q.stage, following, state_do.next()
        step = fx.arith.select(step == task.end - 1, start, step + 1)
    fx.nvvm.sm90.wgmma_wait(0)


def next_state(state: Any, is_there: Any) -> Any:
    """That of the stage behind this one; behind the last one the same again, whose product nobody takes."""
    found = state.next()
    stage, phase = (
        fx.arith.select(is_there, found.stage, state.stage),
        fx.arith.select(is_there, found.phase, state.phase),
    )
    return fx.nvvm.PipelineState(state.stages, stage, phase)


def release_queries(shared: Shared, products: Products, before: Any, state_do: Any, is_there: Any) -> None:
    """Begin with dP of this stage's queries; then those before them are not needed any more."""
    shared.of_do.wait(state_do)
    products.multiply(products.of_scores, products.dp, products.v, products.do[None, None, None, state_do.stage])
    fx.nvvm.sm90.wgmma_wait(1)
    if is_there:
        shared.of_q.release(before)


def add_products(shared: Shared, products: Products, task: Task, states: tuple[Any, ...], key: Any, query: Any) -> None:
    """What a stage of queries, the first of which is `query`, adds to dK and dV of a group's keys, and its dQ.

    Its scores are there, and those of the next queries are when this ends: products go on while weights are computed.
    """
    stage, following, state_do = states
    gradients = None, None, None, state_do.stage
    weights = weighed(products.scores, terms_of(shared, stage, 0), task, key, query)
    products.p_t.store(fx.Vector.from_elements(weights).to(fx.BFloat16))
    products.add_to(products.dv, products.p_t, products.do_across[gradients])

    fx.nvvm.sm90.wgmma_wait(1, products.dp)
    dp, less = products.dp.load(), terms_of(shared, stage, 1)
    found = [weight * (dp[place] + less[column_of(place)]) for place, weight in enumerate(weights)]
    products.ds_t.store(fx.Vector.from_elements(found).to(fx.BFloat16))
    share(shared, products, state_do.stage)
    shared.of_q.wait(following)
    fx.nvvm.sm90.wgmma_wait(0)  # the weights' registers are free
    products.multiply(products.of_scores, products.scores, products.k, products.q[None, None, None, following.stage])
    fx.nvvm.fence_proxy_async()
    fx.nvvm.named_barrier_sync(ALL_GROUPS, GROUPS * GROUP_THREADS)
    products.multiply(products.of_dq, products.dq, products.ds[gradients], products.k_across)
    products.add_to(products.dk, products.ds_t, products.q_across[None, None, None, stage])

    fx.nvvm.sm90.wgmma_wait(1, products.dq, products.scores)
    if fx.thread_idx.x % GROUP_THREADS == 0:
        shared.of_do.release(state_do.stage)


def column_of(place: int) -> int:
    """The number of a thread's column, one of 16, of an accumulator of scores."""
    return place // 4 * 2 + place % 2


def terms_of(shared: Shared, stage: Any, number: int) -> list[Any]:
    """The first or the second term of the queries of a thread's columns."""
    terms = shared.terms.view(fx.make_layout((2, 4, QUERIES // 8, 2, STAGES_Q)))
    pairs = [terms[None, fx.thread_idx.x % 4, eight, number, stage].load() for eight in range(QUERIES // 8)]
    return [pair[column] for pair in pairs for column in range(2)]


def weighed(scores: fx.Tensor, terms: list[Any], task: Task, key: Any, query: Any) -> list[Any]:
    """Weights of a group's keys, the first of which is `key`, for queries from `query` on.

    Keys behind the last one weigh nothing, and if `causal` those behind a query.
    """
    mine, first, vector = key + first_row(), query + fx.thread_idx.x % 4 * 2, scores.load()

    def weigh(is_partial: bool) -> list[Any]:
        found: list[Any] = []
        for place in range(QUERIES // 2):
            value, row = vector[place], mine + place // 2 % 2 * 8
            if is_partial:
                hidden = row >= task.keys
                if task.causal:
                    hidden = hidden | (row > first + place // 4 * 8 + place % 2)
                value = fx.arith.select(hidden, fx.Float32(LOWEST), value)
            found.append(exp2(fx.fma(value, task.plan.scale * LOG2_E, terms[column_of(place)])))
        return found

    behind = key + ROWS > task.keys
    if fx.const_expr(task.causal):
        behind = behind | (key + ROWS > query + 1)
    return weigh(True) if behind else weigh(False)


def share(shared: Shared, products: Products, stage: Any) -> None:
    """Put dS^T where both groups' products for dQ take it from."""
    pairs = fx.make_copy_atom(fx.UniversalCopy32b(), fx.BFloat16)
    stages = shared.ds.view(fx.nvvm.smem_layout("k", fx.BFloat16, (KEYS, QUERIES, STAGES)))
    mine = products.of_scores.get_slice(fx.thread_idx.x).partition_C(stages)
    fx.copy(pairs, fx.make_view(fx.get_iter(products.ds_t), products.scores.layout), mine[None, None, None, stage])


def hand_over(shared: Shared, products: Products, index: Any) -> None:
    """Put a group's half of dQ where it is added from, once the one before has been read."""
    fours, eights = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32), products.dq.layout.shape[0][2]
    held = fx.make_view(fx.get_iter(products.dq), fx.make_layout((4, eights)))
    view = shared.dq.view(fx.make_layout((4, GROUP_THREADS, eights, GROUPS)))
    fx.nvvm.mbarrier_wait(shared.of_room.full(products.group), index % 2 ^ 1)
    fx.copy(fours, held, view[None, fx.thread_idx.x % GROUP_THREADS, None, products.group])
    fx.nvvm.fence_proxy_async()
    fx.nvvm.warp_sync()
    if fx.thread_idx.x % 32 == 0:
        shared.of_room.release(products.group)


@flyc.jit
def attention_backward(
    q: fx.Tensor, k: fx.Tensor, v: fx.Tensor, o: fx.Tensor, do: fx.Tensor, lse: fx.Tensor,
    dq: fx.Tensor, dk: fx.Tensor, dv: fx.Tensor, terms: fx.Tensor, sums: fx.Tensor, turns: fx.Tensor | None = None,
    causal: fx.Constexpr[bool] = False, depth: fx.Constexpr[int] = 128, stream: fx.Stream = fx.Stream(None),
) -> None:  # fmt: skip
    """Gradients of q, k and v, from do, that of o; all are (heads, length, depth), and k and v may have fewer heads.

    o and `lse`, (heads, length), are what the forward pass has made. `terms`, `sums` and `turns` are scratch memory of
    f32 and, the last, i32, see `scratch_shapes`; without `turns` sums for dQ are added in no fixed order.
    """
    plan = plan_of(depth, in_order=turns is not None)
    of_q, of_k = (fx.nvvm.smem_layout("k", fx.BFloat16, (rows, depth)) for rows in (QUERIES, KEYS))
    loads = [
        part
        for x, of in ((q, of_q), (k, of_k), (v, of_k), (do, of_q))
        for part in fx.nvvm.make_tma_load(by_rows(x), of)
    ]
    rows = fx.make_layout((plan.half // WIDTH, WIDTH), (WIDTH, 1))
    add_dq, places = fx.nvvm.make_tma_reduce(sums, rows, op="add")
    store_dq, tiles_dq, *stores = [
        part
        for x, columns in ((dq, plan.columns), (dk, PIECE), (dv, PIECE))
        for part in fx.nvvm.make_tma_store(by_rows(x), fx.nvvm.smem_layout("k", fx.BFloat16, (ROWS, columns)))
    ]
    heads, queries, _ = q.shape
    heads_of_keys, keys, _ = k.shape
    grid = fx.ceil_div(queries, QUERIES), heads
    terms_kernel(o, do, lse, terms, sums, turns, fx.Int32(queries), plan).launch(
        grid=grid, block=HELPERS, stream=stream
    )
    blocks = fx.get_scalar(fx.ceil_div(keys, KEYS))
    keys_kernel(
        *loads, terms, add_dq, places, turns, *stores, fx.Int32(queries), fx.Int32(keys),
        fx.Int32(heads // heads_of_keys), fx.Int32(heads_of_keys), blocks, band_of(blocks, causal or plan.in_order),
        causal, plan,
    ).launch(grid=blocks * heads_of_keys, block=THREADS, stream=stream, use_pdl=True)  # fmt: skip
    finish_kernel(sums, store_dq, tiles_dq, plan).launch(grid=grid, block=HELPERS, stream=stream, use_pdl=True)


def check(
    rng: np.random.Generator, heads: int, heads_of_keys: int, queries: int, keys: int, causal: bool, depth: int = 128,
    in_order: bool = False,
) -> None:  # fmt: skip
    """Random heads, of rows with gaps, against NumPy in float64."""
    bf16, shapes = ml_dtypes.bfloat16, ((heads, queries), (heads_of_keys, keys), (heads_of_keys, keys))
    q, k, v, do = (rng.standard_normal((*shape, depth + 8)).astype(bf16)[..., :depth] for shape in (*shapes, shapes[0]))
    o, lse = attention(q, k, v, causal)
    found = [np.full((*shape, depth + 8), np.nan, bf16)[..., :depth] for shape in shapes]
    *of_sums, of_turns = scratch_shapes(heads, queries, depth)
    scratch = [np.full(shape, np.nan, np.float32) for shape in of_sums]
    turns = np.full(of_turns, -1, np.int32) if in_order else None
    attention_backward(q, k, v, o.astype(bf16), do, lse.astype(np.float32), *found, *scratch, turns, causal, depth)
    for gradient, right in zip(found, attention_gradients(q, k, v, do, causal), strict=True):
        assert_close(gradient.astype(np.float64), right, 2e-2)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng(0)
    for heads, heads_of_keys, causal, depth in ((2, 2, False, 128), (2, 1, True, 64), (6, 2, False, 128)):
        queries, keys = odd(rng, 600), odd(rng, 600)
        check(rng, heads, heads_of_keys, queries, keys, causal, depth, in_order=causal)
        words = f"{heads} heads of {depth}{', causal, in order' * causal}"
        print(f"gradients of {queries} queries, {keys} keys, {words}: as by NumPy")


if __name__ == "__main__":
    main()
