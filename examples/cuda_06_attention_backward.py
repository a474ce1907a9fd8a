"""Attention backward on Hopper: what queries, keys and values of bf16 have to do with the result's gradient.

With weights P = softmax(S), S = Q K^T / sqrt(d), and dP = dO V^T: dS = P (dP - rowsum(dO O)), dV = P^T dO, dK = dS^T Q
and dQ = dS K. Three kernels, each of which starts while the one before ends:

1. rowsum(dO O) of each query, beside the logarithm that the forward pass has left; and sums for dQ that are 0.
2. A block takes 128 keys of a head and goes over the queries that see them, 64 at a time, of all heads that share the
   keys. Two groups of four warps have 64 keys each, and compute scores as keys by queries: P^T and dS^T stay in
   registers, where the products for dV and dK take them from. Only dS^T goes through shared memory, for dQ, of which
   a group has one half of the columns; the copy engine adds it to the sums. In which order blocks add is not
   determined, so that dQ differs in its last bits from run to run.
3. The sums become dQ of bf16.

The products for scores run one stage of queries ahead: while weights are computed, others are multiplied.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from attention_reference import attention, attention_gradients
from backward_terms import (
    DEPTH,
    HALF,
    HELPERS,
    LOG2_E,
    QUERIES,
    SCALE,
    TILE,
    WIDTH,
    finish_kernel,
    scratch_shapes,
    terms_kernel,
)
from warp_groups import (
    GROUP_THREADS,
    GROUPS,
    LOWEST,
    PIECE,
    ROWS,
    accumulators,
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

KEYS = 128  # of a block
STAGES_Q, STAGES = 3, 2  # of queries, which are needed first and longest; of gradients
THREADS = (1 + GROUPS) * GROUP_THREADS
PRODUCER_REGISTERS, CONSUMER_REGISTERS = 24, 240
ALL_GROUPS, EACH_GROUP = 1, 2  # named barriers


class Shared:
    """A block's shared memory: its keys and values, stages of queries and gradients, and what tells of them."""

    def __init__(self) -> None:
        memory = fx.SharedAllocator()
        self.k, self.v = (memory.allocate(fx.Array[fx.BFloat16, KEYS * DEPTH], 1024) for _ in range(2))
        self.q, self.do = (memory.allocate(fx.Array[fx.BFloat16, n * TILE], 1024) for n in (STAGES_Q, STAGES))
        self.ds = memory.allocate(fx.Array[fx.BFloat16, STAGES * KEYS * QUERIES], 1024)
        self.dq = memory.allocate(fx.Array[fx.Float32, TILE], 1024)
        self.terms = memory.allocate(fx.Array[fx.Float32, STAGES_Q * 2 * QUERIES], 128)
        barriers = memory.allocate(fx.Array[fx.Int64, 2 * (STAGES_Q + STAGES) + 1]).ptr
        self.of_q = fx.nvvm.PipelineTma(barriers, STAGES_Q, 4 * GROUPS)  # warps read what belongs to queries, too
        self.of_do = fx.nvvm.PipelineTma(barriers + 2 * STAGES_Q, STAGES, GROUPS)
        self.keys_are_there = barriers + 2 * (STAGES_Q + STAGES)

    def init(self) -> None:
        """Make the barriers; by one thread."""
        self.of_q.init()
        self.of_do.init()
        fx.nvvm.mbarrier_init(self.keys_are_there, 1)
        fx.nvvm.fence_mbarrier_init()


class Products:
    """What a group of warps multiplies, and the registers of a thread for it."""

    def __init__(self, shared: Shared, group: Any) -> None:
        of = fx.nvvm.smem_layout
        keys = of("k", fx.BFloat16, (KEYS, DEPTH))
        self.of_scores, self.of_sums = mma_of(QUERIES), mma_of(DEPTH, a="reg", major_b="mn")
        self.of_dq = mma_of(PIECE, 1, major_a="mn", major_b="mn")
        scores, sums = (mma.get_slice(group * GROUP_THREADS) for mma in (self.of_scores, self.of_sums))
        part = self.of_dq.get_slice(0)
        self.k, self.v = scores.partition_A(shared.k.view(keys)), scores.partition_A(shared.v.view(keys))
        stages = (shared.q, STAGES_Q), (shared.do, STAGES)
        self.q, self.do = (
            scores.partition_B(memory.view(of("k", fx.BFloat16, (QUERIES, DEPTH, n)))) for memory, n in stages
        )
        self.q_across, self.do_across = (
            sums.partition_B(memory.view(of("mn", fx.BFloat16, (DEPTH, QUERIES, n)))) for memory, n in stages
        )
        self.ds = part.partition_A(shared.ds.view(of("mn", fx.BFloat16, (QUERIES, KEYS, STAGES))))
        halves = part.partition_B(shared.k.view(of("mn", fx.BFloat16, (PIECE, KEYS, GROUPS))))
        self.k_across = halves[None, None, None, group]
        self.scores, self.dp, self.dq = accumulators(QUERIES), accumulators(QUERIES), accumulators(PIECE)
        self.dk, self.dv = accumulators(DEPTH), accumulators(DEPTH)
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
    terms: fx.Tensor, add_dq: Any, sums: fx.Tensor, store_dk: Any, dk: fx.Tensor, store_dv: Any, dv: fx.Tensor,
    queries: fx.Int32, keys: fx.Int32, heads_of_keys: fx.Int32, heads: fx.Int32, blocks: fx.Int32, band: fx.Int32,
    causal: fx.Constexpr[bool],
) -> None:  # fmt: skip
    shared, warp = Shared(), fx.nvvm.warp_idx()
    group = warp // 4
    if fx.thread_idx.x == 0:
        shared.init()
    fx.barrier()
    head, block = fx.nvvm.TileScheduler(heads, blocks, band).place(fx.block_idx.x)
    end = fx.Int32(fx.ceil_div(queries, QUERIES))
    start = fx.min(block * (KEYS // QUERIES), end - 1) if fx.const_expr(causal) else fx.Int32(0)
    if group == GROUPS:
        fx.nvvm.setmaxnreg_decrease(PRODUCER_REGISTERS)
        if warp == 4 * GROUPS:  # noqa: SIM102 (all threads of this warp elect one)
            if fx.nvvm.elect_one():
                fx.nvvm.mbarrier_arrive_expect_tx(shared.keys_are_there, 2 * KEYS * DEPTH * 2)
                for load, tensor, memory in ((load_k, k, shared.k), (load_v, v, shared.v)):
                    tile = fx.zipped_divide(tensor, (KEYS, DEPTH))[None, (block, 0, head)]
                    fx.copy(load, tile, memory, mbar=shared.keys_are_there)
                fx.nvvm.griddep_wait()  # what is before this line runs beside the kernel before
                bring(shared, (load_q, q), (load_do, do), terms, head, heads_of_keys, start, end)
    else:
        fx.nvvm.setmaxnreg_increase(CONSUMER_REGISTERS)
        products = Products(shared, group)
        fx.nvvm.mbarrier_wait(shared.keys_are_there, 0)
        tiles, key = fx.zipped_divide(sums, (HALF // WIDTH, WIDTH)), block * KEYS + group * ROWS
        count, number, member = heads_of_keys * (end - start), start, head * heads_of_keys
        state_q, state_do = shared.of_q.state(), shared.of_do.state()
        shared.of_q.wait(state_q)
        products.multiply(products.of_scores, products.scores, products.k, products.q[None, None, None, state_q.stage])
        fx.nvvm.sm90.wgmma_wait(0)
        before = state_q.stage
        for index in range(count):
            target = add_dq, tiles[None, ((member * end + number) * GROUPS + group, 0)]
            following = next_state(state_q, index + 1 < count)
            states = state_q.stage, following, state_do
            release_queries(shared, products, before, state_do, index > 0)
            add_products(shared, products, states, group, target, key, number * QUERIES, keys, causal)
            before, state_q, state_do = state_q.stage, following, state_do.next()
            is_last = number == end - 1
            number, member = fx.arith.select(is_last, start, number + 1), member + fx.Int32(is_last)
        fx.nvvm.sm90.wgmma_wait(0)
        fx.nvvm.named_barrier_sync(ALL_GROUPS, GROUPS * GROUP_THREADS)  # keys have been read
        products.dk.store(products.dk.load() * SCALE)
        for result, memory, store, tensor in (
            (products.dv, shared.v, store_dv, dv),
            (products.dk, shared.k, store_dk, dk),
        ):
            store_keys(result, memory, store, fx.zipped_divide(tensor, (ROWS, PIECE)), block, head, group)


def store_keys(result: fx.Tensor, memory: Any, store: Any, tiles: fx.Tensor, block: Any, head: Any, group: Any) -> None:
    """Store what a group has of dK or dV, from where the block's keys or values were."""

    def buffer_of(number: int) -> Any:
        return memory.ptr + (number * GROUPS + group) * (ROWS * PIECE)

    def tile_of(number: int) -> fx.Tensor:
        return tiles[None, (block * GROUPS + group, number, head)]

    store_rows(result, DEPTH, buffer_of, store, tile_of, group + EACH_GROUP)


def bring(
    shared: Shared, of_q: tuple[Any, ...], of_do: tuple[Any, ...], terms: fx.Tensor, head: Any, heads: Any,
    start: Any, end: Any,
) -> None:  # fmt: skip
    """Have the copy engine bring queries, gradients and what belongs to them, as stages become empty; by one thread."""
    (load_q, q), (load_do, do) = of_q, of_do
    tiles_q, tiles_do = fx.zipped_divide(q, (QUERIES, DEPTH)), fx.zipped_divide(do, (QUERIES, DEPTH))
    state_q, state_do, terms_size = shared.of_q.state(), shared.of_do.state(), 2 * QUERIES
    for member in range(heads):
        for number in range(start, end):
            of_head, stage = head * heads + member, state_q.stage
            full = shared.of_q.acquire(state_q, TILE * 2 + terms_size * 4)
            fx.copy(load_q, tiles_q[None, (number, 0, of_head)], shared.q.ptr + stage * TILE, mbar=full)
            source, target = terms[of_head, number, None, None], shared.terms.ptr + stage * terms_size
            fx.copy(fx.nvvm.BulkCopy(), source, target, mbar=full, elements=terms_size)
            full, stage = shared.of_do.acquire(state_do, TILE * 2), state_do.stage
            fx.copy(load_do, tiles_do[None, (number, 0, of_head)], shared.do.ptr + stage * TILE, mbar=full)
            state_q, state_do = state_q.next(), state_do.next()


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
    if is_there & (fx.thread_idx.x % 32 == 0):
        shared.of_q.release(before)


def add_products(
    shared: Shared, products: Products, states: tuple[Any, ...], group: Any, target: tuple[Any, ...], key: Any,
    query: Any, keys: Any, causal: bool,
) -> None:  # fmt: skip
    """What a stage of queries, the first of which is `query`, adds to dK and dV of a group's keys, and to dQ.

    Its scores are there, and those of the next queries are when this ends: products go on while weights are computed.
    """
    stage, following, state_do = states
    thread, gradients = fx.thread_idx.x % GROUP_THREADS, (None, None, None, state_do.stage)
    weights = weighed(products.scores, terms_of(shared, stage, 0), key, query, keys, causal)
    products.p_t.store(fx.Vector.from_elements(weights).to(fx.BFloat16))
    products.add_to(products.dv, products.p_t, products.do_across[gradients])

    fx.nvvm.sm90.wgmma_wait(1, products.dp)
    dp, less = products.dp.load(), terms_of(shared, stage, 1)
    found = [weight * (dp[place] + less[column_of(place)]) for place, weight in enumerate(weights)]
    products.ds_t.store(fx.Vector.from_elements(found).to(fx.BFloat16))
    share(shared, products, state_do.stage, thread, group)
    shared.of_q.wait(following)
    fx.nvvm.sm90.wgmma_wait(0)  # the weights' registers are free
    products.multiply(products.of_scores, products.scores, products.k, products.q[None, None, None, following.stage])
    fx.nvvm.fence_proxy_async()
    fx.nvvm.named_barrier_sync(ALL_GROUPS, GROUPS * GROUP_THREADS)
    products.multiply(products.of_dq, products.dq, products.ds[gradients], products.k_across)
    products.add_to(products.dk, products.ds_t, products.q_across[None, None, None, stage])

    fx.nvvm.sm90.wgmma_wait(1, products.dq, products.scores)
    if thread == 0:
        shared.of_do.release(state_do.stage)
    add_dq(shared, products, thread, group, target)


def column_of(place: int) -> int:
    """The number of a thread's column, one of 16, of an accumulator of scores."""
    return place // 4 * 2 + place % 2


def terms_of(shared: Shared, stage: Any, number: int) -> list[Any]:
    """The first or the second term of the queries of a thread's columns."""
    terms = shared.terms.view(fx.make_layout((2, 4, QUERIES // 8, 2, STAGES_Q)))
    pairs = [terms[None, fx.thread_idx.x % 4, eight, number, stage].load() for eight in range(QUERIES // 8)]
    return [pair[column] for pair in pairs for column in range(2)]


def weighed(scores: fx.Tensor, terms: list[Any], key: Any, query: Any, keys: Any, causal: bool) -> list[Any]:
    """Weights of a group's keys, the first of which is `key`, for queries from `query` on.

    Keys behind the last one weigh nothing, and if `causal` those behind a query.
    """
    thread, vector = fx.thread_idx.x % GROUP_THREADS, scores.load()
    mine, first = key + thread // 32 * 16 + thread % 32 // 4, query + thread % 4 * 2

    def weigh(is_partial: bool) -> list[Any]:
        found: list[Any] = []
        for place in range(QUERIES // 2):
            value, row = vector[place], mine + place // 2 % 2 * 8
            if is_partial:
                hidden = row >= keys
                if causal:
                    hidden = hidden | (row > first + place // 4 * 8 + place % 2)
                value = fx.arith.select(hidden, fx.Float32(LOWEST), value)
            found.append(exp2(fx.fma(value, SCALE * LOG2_E, terms[column_of(place)])))
        return found

    behind = key + ROWS > keys
    if fx.const_expr(causal):
        behind = behind | (key + ROWS > query + 1)
    return weigh(True) if behind else weigh(False)


def share(shared: Shared, products: Products, stage: Any, thread: Any, group: Any) -> None:
    """Put dS^T where both groups' products for dQ take it from, and wait until the buffer of dQ is free."""
    pairs = fx.make_copy_atom(fx.UniversalCopy32b(), fx.BFloat16)
    stages = shared.ds.view(fx.nvvm.smem_layout("k", fx.BFloat16, (KEYS, QUERIES, STAGES)))
    mine = products.of_scores.get_slice(group * GROUP_THREADS + thread).partition_C(stages)
    fx.copy(pairs, fx.make_view(fx.get_iter(products.ds_t), products.scores.layout), mine[None, None, None, stage])
    if thread == 0:
        fx.nvvm.bulk_wait_group(read=True)


def add_dq(shared: Shared, products: Products, thread: Any, group: Any, target: tuple[Any, ...]) -> None:
    """Have the copy engine add a group's half of dQ to the sums."""
    add, place = target
    buffer, eights = shared.dq.ptr + group * HALF, PIECE // 8
    fours = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    held = fx.make_view(fx.get_iter(products.dq), fx.make_layout((4, eights)))
    view = shared.dq.view(fx.make_layout((4, GROUP_THREADS, eights, GROUPS)))
    fx.copy(fours, held, view[None, thread, None, group])
    fx.nvvm.fence_proxy_async()
    fx.nvvm.named_barrier_sync(group + EACH_GROUP, GROUP_THREADS)
    if thread == 0:
        fx.copy(add, buffer, place)
        fx.nvvm.bulk_commit_group()


@flyc.jit
def attention_backward(
    q: fx.Tensor, k: fx.Tensor, v: fx.Tensor, o: fx.Tensor, do: fx.Tensor, lse: fx.Tensor,
    dq: fx.Tensor, dk: fx.Tensor, dv: fx.Tensor, terms: fx.Tensor, sums: fx.Tensor,
    causal: fx.Constexpr[bool] = False, stream: fx.Stream = fx.Stream(None),
) -> None:  # fmt: skip
    """Gradients of q, k and v, from do, that of o; all are (heads, length, 128), and k and v may have fewer heads.

    o and `lse`, (heads, length), are what the forward pass has made. `terms` and `sums` are scratch memory of f32, see
    `scratch_shapes`.
    """
    of_q, of_k = (fx.nvvm.smem_layout("k", fx.BFloat16, (rows, DEPTH)) for rows in (QUERIES, KEYS))
    piece = fx.nvvm.smem_layout("k", fx.BFloat16, (ROWS, PIECE))
    loads = [
        part
        for x, of in ((q, of_q), (k, of_k), (v, of_k), (do, of_q))
        for part in fx.nvvm.make_tma_load(by_rows(x), of)
    ]
    add_dq, places = fx.nvvm.make_tma_reduce(sums, fx.make_layout((HALF // WIDTH, WIDTH), (WIDTH, 1)), op="add")
    store_dq, tiles_dq, *stores = [part for x in (dq, dk, dv) for part in fx.nvvm.make_tma_store(by_rows(x), piece)]
    heads, queries, _ = q.shape
    heads_of_keys, keys, _ = k.shape
    grid = fx.ceil_div(queries, QUERIES), heads
    terms_kernel(o, do, lse, terms, sums, fx.Int32(queries)).launch(grid=grid, block=HELPERS, stream=stream)
    blocks = fx.get_scalar(fx.ceil_div(keys, KEYS))
    keys_kernel(
        *loads, terms, add_dq, places, *stores, fx.Int32(queries), fx.Int32(keys), fx.Int32(heads // heads_of_keys),
        fx.Int32(heads_of_keys), blocks, band_of(blocks, causal), causal,
    ).launch(grid=blocks * heads_of_keys, block=THREADS, stream=stream, use_pdl=True)  # fmt: skip
    finish_kernel(sums, store_dq, tiles_dq).launch(grid=grid, block=HELPERS, stream=stream, use_pdl=True)


def check(rng: np.random.Generator, heads: int, heads_of_keys: int, queries: int, keys: int, causal: bool) -> None:
    """Random heads, of rows with gaps, against NumPy in float64."""
    bf16, shapes = ml_dtypes.bfloat16, ((heads, queries), (heads_of_keys, keys), (heads_of_keys, keys))
    q, k, v, do = (rng.standard_normal((*shape, DEPTH + 8)).astype(bf16)[..., :DEPTH] for shape in (*shapes, shapes[0]))
    o, lse = attention(q, k, v, causal)
    found = [np.full((*shape, DEPTH + 8), np.nan, bf16)[..., :DEPTH] for shape in shapes]
    scratch = [np.full(shape, np.nan, np.float32) for shape in scratch_shapes(heads, queries)]
    attention_backward(q, k, v, o.astype(bf16), do, lse.astype(np.float32), *found, *scratch, causal)
    for gradient, right in zip(found, attention_gradients(q, k, v, do, causal), strict=True):
        assert_close(gradient.astype(np.float64), right, 2e-2)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng(0)
    for heads, heads_of_keys, causal in ((2, 2, False), (2, 1, True), (6, 2, False)):
        queries, keys = odd(rng, 600), odd(rng, 600)
        check(rng, heads, heads_of_keys, queries, keys, causal)
        print(f"gradients of {queries} queries, {keys} keys, {heads} heads{', causal' * causal}: as by NumPy")


if __name__ == "__main__":
    main()
