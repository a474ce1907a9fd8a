"""Attention backward on Hopper: what queries, keys and values of bf16 have to do with the result's gradient.

With weights P = softmax(S), S = Q K^T / sqrt(d), and dP = dO V^T: dS = P (dP - rowsum(dO O)), dV = P^T dO, dK = dS^T Q
and dQ = dS K. Three kernels, each of which starts while the one before ends:

1. rowsum(dO O) of each query, beside the logarithm that the forward pass has left; and sums for dQ that are 0.
2. A block takes 128 keys of a head and goes over the queries that see them, 64 at a time, of all heads that share the
   keys. Two groups of four warps have 64 keys each, and compute scores as keys by queries: P^T and dS^T stay in
   registers, where the products for dV and dK take them from. Only dS^T goes through shared memory, for dQ, of which
   a group has one half of the columns; the copy engine adds it to the sums. In which order blocks add is not
   determined, so that dQ differs in its last bits from run to run.
3. The sums become dQ of bf16. They lie in memory as threads had them, 16 bytes of each thread of a group in a row.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
from attention_reference import attention, attention_gradients
from warp_groups import (
    GROUP_THREADS,
    GROUPS,
    LOWEST,
    PIECE,
    ROWS,
    accumulators,
    by_rows,
    exp2,
    mma_of,
    operands,
    store_rows,
)
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

KEYS, QUERIES, DEPTH, STAGES = 128, 64, 128, 2  # of a block; what is brought at once; of a head
THREADS = (1 + GROUPS) * GROUP_THREADS
PRODUCER_REGISTERS, CONSUMER_REGISTERS = 24, 240
TILE, HALF = QUERIES * DEPTH, QUERIES * DEPTH // GROUPS  # elements of queries, and of what a group adds to dQ
WIDTH = 256  # of the rows in which the copy engine adds these
LOG2_E, SCALE = math.log2(math.e), 1 / math.sqrt(DEPTH)
ALL_GROUPS, EACH_GROUP = 1, 2  # named barriers
HELPERS = 256  # threads of a block of the first and the last kernel
VECTOR = 8  # elements of 16 bytes


class Shared:
    """A block's shared memory: its keys and values, stages of queries and gradients, and what tells of them."""

    def __init__(self) -> None:
        memory = fx.SharedAllocator()
        self.k, self.v = (memory.allocate(fx.Array[fx.BFloat16, KEYS * DEPTH], 1024) for _ in range(2))
        self.q, self.do = (memory.allocate(fx.Array[fx.BFloat16, STAGES * TILE], 1024) for _ in range(2))
        self.ds = memory.allocate(fx.Array[fx.BFloat16, STAGES * KEYS * QUERIES], 1024)
        self.dq = memory.allocate(fx.Array[fx.Float32, TILE], 1024)
        self.terms = memory.allocate(fx.Array[fx.Float32, STAGES * 2 * QUERIES], 128)
        barriers = memory.allocate(fx.Array[fx.Int64, 4 * STAGES + 1]).ptr
        self.of_q = fx.nvvm.PipelineTma(barriers, STAGES, GROUPS)
        self.of_do = fx.nvvm.PipelineTma(barriers + 2 * STAGES, STAGES, GROUPS)
        self.keys_are_there = barriers + 4 * STAGES

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
        keys, queries = of("k", fx.BFloat16, (KEYS, DEPTH)), of("k", fx.BFloat16, (QUERIES, DEPTH, STAGES))
        across = of("mn", fx.BFloat16, (DEPTH, QUERIES, STAGES))
        self.of_scores, self.of_sums = mma_of(QUERIES), mma_of(DEPTH, a="reg", major_b="mn")
        self.of_dq = mma_of(PIECE, 1, major_a="mn", major_b="mn")
        scores, sums = (mma.get_slice(group * GROUP_THREADS) for mma in (self.of_scores, self.of_sums))
        part = self.of_dq.get_slice(0)
        self.k, self.v = scores.partition_A(shared.k.view(keys)), scores.partition_A(shared.v.view(keys))
        self.q, self.do = scores.partition_B(shared.q.view(queries)), scores.partition_B(shared.do.view(queries))
        self.q_across, self.do_across = (sums.partition_B(memory.view(across)) for memory in (shared.q, shared.do))
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
    queries: fx.Int32, keys: fx.Int32, heads_of_keys: fx.Int32, causal: fx.Constexpr[bool],
) -> None:  # fmt: skip
    shared, warp = Shared(), fx.nvvm.warp_idx()
    group = warp // 4
    if fx.thread_idx.x == 0:
        shared.init()
    fx.barrier()
    fx.nvvm.griddep_wait()

    block, head = fx.Int32(fx.block_idx.x), fx.Int32(fx.block_idx.y)
    end = fx.Int32(fx.ceil_div(queries, QUERIES))
    start = fx.min(block * (KEYS // QUERIES), end) if fx.const_expr(causal) else fx.Int32(0)
    if group == GROUPS:
        fx.nvvm.setmaxnreg_decrease(PRODUCER_REGISTERS)
        if warp == 4 * GROUPS:  # noqa: SIM102 (all threads of this warp elect one)
            if fx.nvvm.elect_one():
                fx.nvvm.mbarrier_arrive_expect_tx(shared.keys_are_there, 2 * KEYS * DEPTH * 2)
                for load, tensor, memory in ((load_k, k, shared.k), (load_v, v, shared.v)):
                    tile = fx.zipped_divide(tensor, (KEYS, DEPTH))[None, (block, 0, head)]
                    fx.copy(load, tile, memory, mbar=shared.keys_are_there)
                bring(shared, (load_q, q), (load_do, do), terms, head, heads_of_keys, start, end)
    else:
        fx.nvvm.setmaxnreg_increase(CONSUMER_REGISTERS)
        products = Products(shared, group)
        fx.nvvm.mbarrier_wait(shared.keys_are_there, 0)
        state, key = shared.of_q.state(), block * KEYS + group * ROWS
        for member in range(heads_of_keys):
            for number in range(start, end):
                tile = ((head * heads_of_keys + member) * end + number) * GROUPS + group
                place = fx.zipped_divide(sums, (HALF // WIDTH, WIDTH))[None, (tile, 0)]
                add_products(shared, products, state, group, (add_dq, place), key, number * QUERIES, keys, causal)
                state = state.next()
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
    state, terms_size = shared.of_q.state(), 2 * QUERIES
    for member in range(heads):
        for number in range(start, end):
            of_head = head * heads + member
            full = shared.of_q.acquire(state, TILE * 2 + terms_size * 4)
            fx.copy(load_q, tiles_q[None, (number, 0, of_head)], shared.q.ptr + state.stage * TILE, mbar=full)
            source, target = terms[of_head, number, None, None], shared.terms.ptr + state.stage * terms_size
            fx.copy(fx.nvvm.BulkCopy(), source, target, mbar=full, elements=terms_size)
            full = shared.of_do.acquire(state, TILE * 2)
            fx.copy(load_do, tiles_do[None, (number, 0, of_head)], shared.do.ptr + state.stage * TILE, mbar=full)
            state = state.next()


def add_products(
    shared: Shared, products: Products, state: Any, group: Any, target: tuple[Any, ...], key: Any, query: Any,
    keys: Any, causal: bool,
) -> None:  # fmt: skip
    """What a stage of queries, the first of which is `query`, adds to dK and dV of a group's keys, and to dQ."""
    thread, stage = fx.thread_idx.x % GROUP_THREADS, state.stage
    every_step = None, None, None, stage
    shared.of_q.wait(state)
    products.multiply(products.of_scores, products.scores, products.k, products.q[every_step])
    shared.of_do.wait(state)
    products.multiply(products.of_scores, products.dp, products.v, products.do[every_step])
    fx.nvvm.sm90.wgmma_wait(1, products.scores)
    weights = weighed(products.scores, terms_of(shared, stage, 0), key, query, keys, causal)
    products.p_t.store(fx.Vector.from_elements(weights).to(fx.BFloat16))
    products.add_to(products.dv, products.p_t, products.do_across[every_step])

    fx.nvvm.sm90.wgmma_wait(1, products.dp)
    dp, less = products.dp.load(), terms_of(shared, stage, 1)
    found = [weight * (dp[place] + less[column_of(place)]) for place, weight in enumerate(weights)]
    products.ds_t.store(fx.Vector.from_elements(found).to(fx.BFloat16))
    share(shared, products, stage, thread, group)
    products.multiply(products.of_dq, products.dq, products.ds[every_step], products.k_across)
    products.add_to(products.dk, products.ds_t, products.q_across[every_step])

    fx.nvvm.sm90.wgmma_wait(1, products.dq)
    if thread == 0:
        shared.of_do.release(stage)
    add_dq(shared, products, thread, group, target)
    fx.nvvm.sm90.wgmma_wait(0)
    if thread == 0:
        shared.of_q.release(stage)


def column_of(place: int) -> int:
    """The number of a thread's column, one of 16, of an accumulator of scores."""
    return place // 4 * 2 + place % 2


def terms_of(shared: Shared, stage: Any, number: int) -> list[Any]:
    """The first or the second term of the queries of a thread's columns."""
    terms = shared.terms.view(fx.make_layout((2, 4, QUERIES // 8, 2, STAGES)))
    pairs = [terms[None, fx.thread_idx.x % 4, eight, number, stage].load() for eight in range(QUERIES // 8)]
    return [pair[column] for pair in pairs for column in range(2)]


def weighed(scores: fx.Tensor, terms: list[Any], key: Any, query: Any, keys: Any, causal: bool) -> list[Any]:
    """Weights of a group's keys, the first of which is `key`, for queries from `query` on.

    Keys behind the last one weigh nothing, and if `causal` those behind a query.
    """
    thread, vector = fx.thread_idx.x % GROUP_THREADS, scores.load()
    mine, first = key + thread // 32 * 16 + thread % 32 // 4, query + thread % 4 * 2

    def weigh(is_partial: bool) -> list[Any]:
        found = []
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
    """Put dS^T where both groups' products for dQ take it from; then the buffer of dQ is free, too."""
    pairs = fx.make_copy_atom(fx.UniversalCopy32b(), fx.BFloat16)
    stages = shared.ds.view(fx.nvvm.smem_layout("k", fx.BFloat16, (KEYS, QUERIES, STAGES)))
    mine = products.of_scores.get_slice(group * GROUP_THREADS + thread).partition_C(stages)
    fx.copy(pairs, fx.make_view(fx.get_iter(products.ds_t), products.scores.layout), mine[None, None, None, stage])
    if thread == 0:
        fx.nvvm.bulk_wait_group(read=True)
    fx.nvvm.fence_proxy_async()
    fx.nvvm.named_barrier_sync(ALL_GROUPS, GROUPS * GROUP_THREADS)


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


@flyc.kernel
def terms_kernel(
    o: fx.Tensor, do: fx.Tensor, lse: fx.Tensor, terms: fx.Tensor, sums: fx.Tensor, queries: fx.Int32
) -> None:
    """Of 64 queries: -log2 of the sum of weights, -rowsum(dO O); of those that do not exist, what makes weights 0."""
    block, head, thread = fx.Int32(fx.block_idx.x), fx.Int32(fx.block_idx.y), fx.thread_idx.x
    wide, lanes = fx.make_copy_atom(fx.UniversalCopy128b(), fx.BFloat16), DEPTH // VECTOR
    for step in fx.range_constexpr(QUERIES * lanes // HELPERS):
        inside = step * (HELPERS // lanes) + thread // lanes
        row = block * QUERIES + inside
        exists, row = row < queries, fx.min(row, queries - 1)
        products = []
        for tensor in (o, do):
            held = fx.make_rmem_tensor(VECTOR, fx.BFloat16)
            fx.copy(wide, fx.zipped_divide(tensor[head, row, None], fx.make_tile(VECTOR))[None, thread % lanes], held)
            products.append(held.load().to(fx.Float32))
        total = (products[0] * products[1]).reduce(fx.ReductionOp.ADD)
        for distance in (1, 2, 4, 8):
            total = total + fx.shuffle_xor(total, distance)
        if thread % lanes == 0:
            terms[head, block, 0, inside] = fx.arith.select(exists, -lse[head, row] * LOG2_E, fx.Float32(-math.inf))
            terms[head, block, 1, inside] = fx.arith.select(exists, -total, fx.Float32(0))
    fours, nothing = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32), fx.make_rmem_tensor(4, fx.Float32)
    nothing.fill(0)
    for step in fx.range_constexpr(TILE // (4 * HELPERS)):
        row = (head * fx.Int32(fx.grid_dim.x) + block) * (TILE // WIDTH) + step * (4 * HELPERS // WIDTH)
        tiles = fx.zipped_divide(sums[row + thread // (WIDTH // 4), None], fx.make_tile(4))
        fx.copy(fours, nothing, tiles[None, thread % (WIDTH // 4)])


@flyc.kernel
def finish_kernel(sums: fx.Tensor, store: Any, dq: fx.Tensor) -> None:
    """The sums of 64 queries become dQ."""
    memory = fx.SharedAllocator().allocate(fx.Array[fx.BFloat16, TILE], 1024)
    block, head, group = fx.Int32(fx.block_idx.x), fx.Int32(fx.block_idx.y), fx.nvvm.warp_idx() // 4
    fx.nvvm.griddep_wait()
    row = ((head * fx.Int32(fx.grid_dim.x) + block) * GROUPS + group) * (HALF // WIDTH)
    found, fours = accumulators(PIECE), fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    own = fx.make_view(fx.get_iter(sums[row, None]), fx.make_layout((4, GROUP_THREADS, PIECE // 8)))
    held = fx.make_view(fx.get_iter(found), fx.make_layout((4, PIECE // 8)))
    fx.copy(fours, own[None, fx.thread_idx.x % GROUP_THREADS, None], held)
    found.store(found.load() * SCALE)
    tiles = fx.zipped_divide(dq, (ROWS, PIECE))
    store_rows(
        found, PIECE, lambda _: memory.ptr + group * (ROWS * PIECE), store,
        lambda _: tiles[None, (block, group, head)], group + EACH_GROUP,
    )  # fmt: skip


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
    keys_kernel(
        *loads, terms, add_dq, places, *stores,
        fx.Int32(queries), fx.Int32(keys), fx.Int32(heads // heads_of_keys), causal,
    ).launch(grid=(fx.ceil_div(keys, KEYS), heads_of_keys), block=THREADS, stream=stream, use_pdl=True)  # fmt: skip
    finish_kernel(sums, store_dq, tiles_dq).launch(grid=grid, block=HELPERS, stream=stream, use_pdl=True)


def scratch_shapes(heads: int, queries: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes of `terms` and `sums`."""
    blocks = -(-queries // QUERIES)
    return (heads, blocks, 2, QUERIES), (heads * blocks * TILE // WIDTH, WIDTH)


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
