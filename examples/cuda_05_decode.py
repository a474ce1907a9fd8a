"""Attention of the newest tokens of sequences over paged keys and values, as text is generated, on Hopper.

The keys and values of a sequence lie in pages, which its row of a table names. A block takes a part of a sequence and
a head of keys and values: one warp has the copy engine bring pages to a ring of stages, four others take 16 tokens of
each 64. Query heads that share a head of keys and values, and tokens if there are several, are the rows of a matrix
product: one instruction takes 16. A part ends as a weighted mean of values and the logarithm of its sum of weights; a
second kernel, which starts while the first one ends, combines the parts of sequences that have several.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
from paged_reference import cache_of, expected
from warp_groups import across_row, add, exp2
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

ROWS, WARPS, STEP, STAGES = 16, 4, 16, 3  # of queries; of a block; tokens of a warp at once; of the ring
TOKENS, WARP, AT_ONCE = WARPS * STEP, 32, 8  # of a stage; threads; parts that are combined at once
THREADS = WARPS * WARP
LONG = 4096  # tokens that nobody has to share
PADDING = 8  # columns behind a row in shared memory, so that rows begin in other banks
LOG2_E = math.log2(math.e)
LOWEST = -(2.0**100)  # a power of two, which times a scale is exact: masked scores are equal to the largest, or weigh 0


class Shared:
    """A block's shared memory: stages of keys and values, and what tells when they are there."""

    def __init__(self, depth: int) -> None:
        memory = fx.SharedAllocator()
        self.keys = memory.allocate(fx.Array[fx.BFloat16, STAGES * TOKENS * depth], 1024)
        self.values = memory.allocate(fx.Array[fx.BFloat16, STAGES * TOKENS * depth], 1024)
        self.states = memory.allocate(fx.Array[fx.Float32, 2 * WARPS * ROWS]).view(fx.make_layout((ROWS, WARPS, 2)))
        self.pipeline = fx.nvvm.PipelineTma(memory.allocate(fx.Array[fx.Int64, 2 * STAGES]).ptr, STAGES, WARPS)
        # Results of the warps are where keys were.
        results = fx.recast_iter(fx.Float32, self.keys.ptr)
        columns = depth + PADDING
        self.results = fx.make_view(results, fx.make_layout((ROWS, depth, WARPS), (columns, 1, ROWS * columns)))


class Warp:
    """What a warp multiplies: its queries, 16 tokens, and the registers of a thread for it."""

    def __init__(self, shared: Shared, warp: Any, depth: int, page: int) -> None:
        self.shared, self.warp, self.lane, self.depth = shared, warp, fx.thread_idx.x % WARP, depth
        self.rows = min(page, TOKENS)  # of a page, or of the part of one, that is brought at once
        atom = fx.make_mma_atom(fx.nvvm.MMA(ROWS, 8, 16, fx.BFloat16))
        self.mma = fx.make_tiled_mma(atom, fx.make_layout((1, 1, 1)), fx.make_tile(ROWS, 16, 16))
        self.query = self.mma.make_fragment_A(numbers(ROWS, depth))
        self.key = self.mma.make_fragment_B(numbers(STEP, depth))
        self.scores = self.mma.make_fragment_C(numbers(ROWS, STEP))
        self.weights = self.mma.make_fragment_A(numbers(ROWS, STEP))
        self.value = self.mma.make_fragment_B(numbers(depth, STEP))
        self.result = self.mma.make_fragment_C(numbers(ROWS, depth))
        self.result.fill(0)

    def load_query(self, q: fx.Tensor, first: Any, heads: int, rows: int) -> None:
        """`heads` heads of each token of q, (token, head, channel), from `first` on; the last row is repeated."""
        pairs = fx.make_copy_atom(fx.UniversalCopy32b(), fx.BFloat16)
        steps = self.depth // 8
        for line in range(2):
            row = fx.min(self.lane // 4 + 8 * line, rows - 1)
            source = fx.get_iter(q[row // heads, first + row % heads, None]) + self.lane % 4 * 2
            own = fx.make_view(fx.get_iter(self.query) + 2 * line, fx.make_layout((2, steps), (1, 4)))
            fx.copy(pairs, fx.make_view(source, fx.make_layout((2, steps), (1, 8))), own)

    def matrix(self, memory: Any, stage: Any) -> tuple[Any, Any]:
        """Where this warp's tokens are in a stage, and the strides of tokens and of channels.

        A stage has the pages one behind the other, and of each one columns of 64 channels.
        """
        token = self.warp * STEP
        first = token // self.rows * (self.rows * self.depth) + token % self.rows * 64
        pointer = memory.ptr + stage * (TOKENS * self.depth) + first
        return pointer, ((64, self.depth // 64), (1, self.rows * 64))

    def load(self, memory: Any, stage: Any, fragment: fx.Tensor, is_value: bool) -> None:
        """Registers for the product: of keys rows are tokens, of values channels."""
        pointer, (shape, stride) = self.matrix(memory, stage)
        plain = fx.make_layout((shape, STEP), (stride, 64)) if is_value else fx.make_layout((STEP, shape), (64, stride))
        view = fx.make_view(pointer, fx.make_composed_layout(fx.static(fx.SwizzleType.get(3, 3, 3)), plain))
        atom = fx.make_copy_atom(fx.nvvm.LdMatrix(4, trans=is_value), fx.BFloat16)
        copy = fx.make_tiled_copy_B(atom, self.mma).get_slice(self.lane)
        fx.copy(atom, copy.partition_S(view), copy.retile(fragment))

    def multiply_keys(self, stage: Any) -> None:
        self.load(self.shared.keys, stage, self.key, is_value=False)
        self.scores.fill(0)
        fx.gemm(self.mma, self.scores, self.query, self.key, self.scores)

    def weigh(self, hidden: Any, tops: list[Any], sums: list[Any]) -> tuple[list[Any], list[Any]]:
        """Weights of the scores by the new largest score of each row, by which the result is scaled too."""
        scores, result = self.scores.load(), self.result.load()
        values = [scores[place] for place in range(8)]
        if hidden is not None:
            values = [fx.arith.select(hidden(place), fx.Float32(LOWEST), value) for place, value in enumerate(values)]
        scale = LOG2_E / math.sqrt(self.depth)
        factors: list[Any] = []
        new_tops: list[Any] = []
        new_sums: list[Any] = []
        for line in range(2):
            own = [2 * line + place for place in (0, 1, 4, 5)]
            top = fx.max(fx.max(values[own[0]], values[own[1]]), fx.max(values[own[2]], values[own[3]]))
            top = fx.max(tops[line], across_row(top, fx.max))
            for place in own:
                values[place] = exp2(fx.fma(values[place], scale, -top * scale))
            factor = exp2(fx.fma(tops[line], scale, -top * scale))
            total = (values[own[0]] + values[own[1]]) + (values[own[2]] + values[own[3]])
            factors.append(factor)
            new_tops.append(top)
            new_sums.append(fx.fma(sums[line], factor, total))
        self.weights.store(fx.Vector.from_elements(values).to(fx.BFloat16))
        scaled = [result[place] * factors[place // 2 % 2] for place in range(self.depth // 2)]
        self.result.store(fx.Vector.from_elements(scaled))
        return new_tops, new_sums

    def multiply_values(self) -> None:
        fx.gemm(self.mma, self.result, self.weights, self.value, self.result)

    def clear_values(self, count: Any) -> None:
        """Zeros for tokens from number `count` on: they might be no numbers, which no weight makes 0."""
        elements = self.value.load()
        tokens = [self.lane % 4 * 2 + place % 2 + place // 2 % 2 * 8 for place in range(4)]
        exists = [token < count for token in tokens]
        chosen = [
            fx.arith.select(exists[place % 4], elements[place], fx.BFloat16(0)) for place in range(elements.numel)
        ]
        self.value.store(fx.Vector.from_elements(chosen))

    def finish(self, tops: list[Any], sums: list[Any]) -> None:
        """Put what came of this warp's tokens into shared memory, where all warps have read their last keys."""
        fx.nvvm.named_barrier_sync(1, THREADS)
        result, scale = self.result.load(), LOG2_E / math.sqrt(self.depth)
        for line in range(2):
            row, total = self.lane // 4 + 8 * line, across_row(sums[line], add)
            for place in range(self.depth // 8):
                for column in range(2):
                    number = place * 8 + self.lane % 4 * 2 + column
                    self.shared.results[row, number, self.warp] = result[place * 4 + 2 * line + column]
            self.shared.states[row, self.warp, 0] = tops[line] * scale
            self.shared.states[row, self.warp, 1] = total
        fx.nvvm.named_barrier_sync(1, THREADS)


def numbers(*shape: int) -> fx.Tensor:
    return fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(shape))


@flyc.kernel
def parts_kernel(
    q: fx.Tensor, load_k: Any, keys: fx.Tensor, load_v: Any, values: fx.Tensor, table: fx.Tensor, lengths: fx.Tensor,
    parts: fx.Tensor, states: fx.Tensor, out: fx.Tensor, part_tokens: fx.Int32, group: fx.Int32,
    depth: fx.Constexpr[int], page: fx.Constexpr[int],
) -> None:  # fmt: skip
    part, head, sequence = fx.Int32(fx.block_idx.x), fx.Int32(fx.block_idx.y), fx.Int32(fx.block_idx.z)
    length, rows = lengths[sequence], fx.Int32(q.shape[1]) * group
    if (length == 0) & (part == 0):
        for index in range(fx.thread_idx.x, rows * depth, THREADS + WARP):
            row = index // depth
            out[sequence, row // group, head * group + row % group, index % depth] = fx.BFloat16(0)
    start = part * part_tokens
    end = fx.min(length, start + part_tokens)
    if start < end:
        shared, warp = Shared(depth), fx.nvvm.warp_idx()
        if fx.thread_idx.x == 0:
            shared.pipeline.init()
            fx.nvvm.fence_mbarrier_init()
        fx.barrier()
        steps = fx.Int32(fx.ceil_div(end - start, TOKENS))
        if warp == WARPS:
            if fx.nvvm.elect_one():
                sides = (load_k, keys, shared.keys), (load_v, values, shared.values)
                bring(shared.pipeline, sides, table[sequence, None], head, (start, steps, length), depth, page)
        else:
            own, first = Warp(shared, warp, depth, page), head * group
            attend(own, q[sequence, None, None, None], first, group, start, steps, length)
            if length <= part_tokens:
                store_rows(shared, out[sequence, None, None, None], None, first, group, rows, depth)
            else:
                tensors = parts[sequence, None, None, part, None], states[sequence, None, None, part]
                store_rows(shared, *tensors, first, group, rows, depth)


def bring(
    pipeline: Any, sides: tuple[Any, ...], table: fx.Tensor, head: Any, place: tuple[Any, ...], depth: int, page: int
) -> None:
    """Have the copy engine bring the pages of a part, as stages become empty; by one thread."""
    start, steps, length = place
    rows, last = min(page, TOKENS), (length - 1) // page
    state = pipeline.state()
    for step in range(steps):
        tokens = [start + step * TOKENS + row for row in range(0, TOKENS, rows)]
        pages: list[Any] = [table[fx.min(token // page, last)] for token in tokens]  # there are none behind the last
        full = pipeline.acquire(state, 2 * TOKENS * depth * 2)
        for load, tensor, memory in sides:
            tiles = fx.zipped_divide(tensor, (rows, depth))
            for number, token in enumerate(tokens):
                target = memory.ptr + state.stage * (TOKENS * depth) + number * (rows * depth)
                tile = tiles[None, (token % page // rows, 0, head, pages[number])]
                fx.copy(load, tile, target, mbar=full, cache="evict_first")
        state = state.next()


def attend(own: Warp, q: fx.Tensor, first: Any, group: Any, start: Any, steps: Any, length: Any) -> None:
    """Add up what the tokens of a part weigh, and leave it in shared memory."""
    tokens, pipeline = fx.Int32(q.shape[0]), own.shared.pipeline
    own.load_query(q, first, group, tokens * group)
    visible = [length - tokens + (own.lane // 4 + 8 * line) // group for line in range(2)]  # the last of a row
    state = pipeline.state()
    tops, sums = [fx.Float32(LOWEST)] * 2, [fx.Float32(0)] * 2
    for step in range(steps):
        pipeline.wait(state)
        own.multiply_keys(state.stage)
        first_token = start + step * TOKENS + own.warp * STEP
        tops, sums = weighed(own, first_token, visible, first_token + STEP > length - tokens + 1, tops, sums)
        own.load(own.shared.values, state.stage, own.value, is_value=True)
        if first_token + STEP > length:
            own.clear_values(length - first_token)
        own.multiply_values()
        fx.nvvm.warp_sync()  # all threads have read the stage
        if own.lane == 0:
            pipeline.release(state.stage)
        state = state.next()
    own.finish(tops, sums)


def weighed(
    own: Warp, first: Any, visible: list[Any], is_partial: Any, tops: list[Any], sums: list[Any]
) -> tuple[list[Any], list[Any]]:
    """As `Warp.weigh`; of those that are partial, tokens behind a row's last one do not count."""

    def hidden(place: int) -> Any:
        return first + place // 4 * 8 + own.lane % 4 * 2 + place % 2 > visible[place // 2 % 2]

    return own.weigh(hidden, tops, sums) if is_partial else own.weigh(None, tops, sums)


def store_rows(
    shared: Shared, target: fx.Tensor, states: fx.Tensor | None, first: Any, group: Any, rows: Any, depth: int
) -> None:
    """Combine the warps' results, and store them for (token, head, channel)."""
    for index in range(fx.thread_idx.x, rows * depth, THREADS):
        row, column = index // depth, index % depth
        tops = [shared.states[row, warp, 0] for warp in range(WARPS)]
        top = fx.max(fx.max(tops[0], tops[1]), fx.max(tops[2], tops[3]))
        total, value = fx.Float32(0), fx.Float32(0)
        for warp in fx.range_constexpr(WARPS):
            factor = exp2(tops[warp] - top)
            total = fx.fma(factor, shared.states[row, warp, 1], total)
            value = fx.fma(factor, shared.results[row, column, warp], value)
        token, head = row // group, first + row % group
        target[token, head, column] = (value / total).to(target.dtype)
        if states is not None and column == 0:
            states[token, head] = top + fx.log2(total)


@flyc.kernel
def combine_kernel(
    parts: fx.Tensor, states: fx.Tensor, lengths: fx.Tensor, out: fx.Tensor, part_tokens: fx.Int32,
    depth: fx.Constexpr[int],
) -> None:  # fmt: skip
    """A block for a row, of which a warp takes every fourth part, and a thread some neighbouring channels."""
    head, token, sequence = fx.block_idx.x, fx.block_idx.y, fx.block_idx.z
    warp, lane, width = fx.thread_idx.x // WARP, fx.thread_idx.x % WARP, depth // WARP
    memory = fx.SharedAllocator()
    held = memory.allocate(fx.Array[fx.Float32, WARPS * depth]).view(fx.make_layout((width, WARP, WARPS)))
    sums = memory.allocate(fx.Array[fx.Float32, 2 * WARPS]).view(fx.make_layout((2, WARPS)))
    count = fx.Int32(fx.ceil_div(lengths[sequence], part_tokens))
    fx.nvvm.griddep_wait()  # launched with use_pdl: what is before this line runs beside the kernel before
    if count > 1:
        means, logs = parts[sequence, token, head, None, None], states[sequence, token, head, None]
        top, total, value = fx.Float32(LOWEST), fx.Float32(0), fx.full(width, 0.0, fx.Float32)
        for first in range(warp, count, WARPS * AT_ONCE):
            exists = [first + number * WARPS < count for number in range(AT_ONCE)]
            places = [fx.arith.select(there, first + n * WARPS, first) for n, there in enumerate(exists)]
            own = [fx.zipped_divide(means[place, None], fx.make_tile(width))[None, lane].load() for place in places]
            log = [
                fx.arith.select(there, logs[place], fx.Float32(LOWEST))
                for there, place in zip(exists, places, strict=True)
            ]
            before = top
            for one in log:
                top = fx.max(top, one)
            factor = exp2(before - top)
            total, value = total * factor, value * factor
            for one, mean, there in zip(log, own, exists, strict=True):
                weight = fx.arith.select(there, exp2(one - top), fx.Float32(0))
                total, value = total + weight, value + mean * weight
        held[None, lane, warp].store(value)
        sums[0, warp], sums[1, warp] = top, total
        fx.barrier()
        tops = [sums[0, one] for one in range(WARPS)]
        top = fx.max(fx.max(tops[0], tops[1]), fx.max(tops[2], tops[3]))
        weights = [exp2(one - top) for one in tops]
        if fx.thread_idx.x < depth:
            found, total = fx.Float32(0), fx.Float32(0)
            for one, weight in enumerate(weights):
                found = fx.fma(weight, held[fx.thread_idx.x % width, fx.thread_idx.x // width, one], found)
                total = fx.fma(weight, sums[1, one], total)
            out[sequence, token, head, fx.thread_idx.x] = fx.BFloat16(found / total)


def by_pages(tensor: fx.Tensor) -> fx.Tensor:
    """(page, token, head, channel) as (token, channel, head, page), which tiles of a page are cut of."""
    return fx.make_view(fx.get_iter(tensor), fx.select(tensor.layout, [1, 3, 2, 0]))


@flyc.jit
def paged_decode(
    q: fx.Tensor, keys: fx.Tensor, values: fx.Tensor, table: fx.Tensor, lengths: fx.Tensor,
    parts: fx.Tensor, states: fx.Tensor, out: fx.Tensor, part_tokens: fx.Int32,
    depth: fx.Constexpr[int] = 128, page: fx.Constexpr[int] = 64, stream: fx.Stream = fx.Stream(None),
) -> None:  # fmt: skip
    """out = softmax(q k^T / sqrt(depth)) v, where a sequence's q are of its last tokens and see those before them.

    q and out are (sequence, token, head, channel), keys and values (page, token, head, channel) with fewer heads, of
    which tokens times query heads a head are at most 16. Depths are 64 and 128, pages have 16, 32, 64, 128, ... tokens.
    `table` is (sequence, page), `lengths` has the tokens of each sequence, the last ones among them. `part_tokens`, a
    multiple of 64, is what a block takes; parts (sequence, token, head, part, channel) and states are scratch memory.
    """
    layout = fx.nvvm.smem_layout("k", fx.BFloat16, (min(page, TOKENS), depth))
    load_k, tiles_k = fx.nvvm.make_tma_load(by_pages(keys), layout)
    load_v, tiles_v = fx.nvvm.make_tma_load(by_pages(values), layout)
    sequences, tokens, heads, _ = q.shape
    of_keys, count = keys.shape[2], parts.shape[3]
    parts_kernel(
        q, load_k, tiles_k, load_v, tiles_v, table, lengths, parts, states, out, part_tokens,
        fx.Int32(heads // of_keys), depth, page,
    ).launch(grid=(count, of_keys, sequences), block=THREADS + WARP, stream=stream)  # fmt: skip
    if count > 1:
        combine_kernel(parts, states, lengths, out, part_tokens, depth).launch(
            grid=(heads, tokens, sequences), block=THREADS, stream=stream, use_pdl=True
        )


def part_tokens_for(sequences: int, heads_of_keys: int, longest: int, rows: int = 4, blocks: int = 132) -> int:
    """Tokens of a part: so few that there is work for all multiprocessors, so many that `rows` results are little.

    Where there are sequences enough, and none so long that others wait for it, there are no parts.
    """
    if sequences * heads_of_keys >= 3 * blocks and longest <= LONG:
        return -(-longest // TOKENS) * TOKENS
    fair = sequences * heads_of_keys * longest / (8 * blocks)
    return min(max(-(-int(fair) // TOKENS), 4), max(16, 2 * rows)) * TOKENS


def check(
    rng: np.random.Generator, lengths: tuple[int, ...], heads: tuple[int, int], tokens: int = 1, depth: int = 128,
    page: int = 64, part_tokens: int = 128,
) -> None:  # fmt: skip
    """Random sequences against NumPy in float64."""
    of_queries, of_keys = heads
    all_lengths = np.array(lengths, np.int32)
    keys, values, table, dense = cache_of(rng, all_lengths, of_keys, depth, page)
    q = rng.standard_normal((len(lengths), tokens, of_queries, depth)).astype(ml_dtypes.bfloat16)
    out = np.full_like(q, np.nan)
    rows = *q.shape[:3], -(-max(lengths) // part_tokens)
    parts, states = np.full((*rows, depth), np.nan, np.float32), np.full(rows, np.nan, np.float32)
    paged_decode(q, keys, values, table, all_lengths, parts, states, out, part_tokens, depth, page)
    assert_close(out.astype(np.float64), expected(q, dense), 2e-2)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for heads, tokens, depth, page in (((8, 2), 1, 128, 64), ((6, 2), 3, 128, 16), ((16, 1), 1, 64, 256)):
        lengths = tuple(odd(rng, 1000) + tokens for _ in range(3))
        check(rng, lengths, heads, tokens, depth, page)
        print(f"{tokens} tokens of {heads[0]} heads on {heads[1]} behind {lengths}, pages of {page}: as by NumPy")


if __name__ == "__main__":
    main()
