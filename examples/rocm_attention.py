"""One wave's part of attention over pages of keys and values, for up to 16 queries that share a head of these.

A wave needs no LDS. Scores are computed as K q^T, with the tokens of a page in an order by which a lane gets scores of
eight neighbouring tokens for one head: just what the product of V^T and the weights takes from it. A page of keys is
stored as (token, channel), one of values as (channel, token), so that lanes load 16 bytes of either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rocm_gemm import instruction_of
from rocm_rows import LOWEST, Combine, add, largest, reduce_each

import flydsl.expr as fx

__all__ = ["PAGE", "WAVE", "PageWave"]

PAGE, HEADS, WAVE = 32, 16, 64  # tokens of a page; query heads that an instruction takes
RUN = 8  # neighbours along a row in 16 bytes
MakeCopy = Callable[[fx.CopyAtom, fx.TiledMma], fx.TiledCopy]


def over_groups(value: Any, combine: Combine, chip: str) -> Any:
    """A Float32 combined over the four lanes, 16 apart, that hold numbers of one head."""
    if chip == "gfx950":
        for swap in (fx.rocdl.permlane16_swap, fx.rocdl.permlane32_swap):
            bits = value.bitcast(fx.Int32)
            value = combine(*(half.bitcast(fx.Float32) for half in swap(bits, bits)))
        return value
    for offset in (16, 32):
        value = combine(value, fx.shuffle_xor(value, offset, WAVE))
    return value


class PageWave:
    """What one wave holds of a head of keys and values, and of the queries that share it."""

    def __init__(self, chip: str, channels: int) -> None:
        """Registers for a page; the results are empty sums."""
        self.chip, self.channels, self.lane = chip, channels, fx.thread_idx.x
        atom, along_k = instruction_of(chip, fx.Float16)
        self.mma = fx.make_tiled_mma(atom, fx.make_layout((1, 1, 1), (1, 1, 1)), fx.make_tile(None, None, along_k))
        self.query = self.mma.make_fragment_B(numbers(HEADS, channels))
        self.key = self.mma.make_fragment_A(numbers(PAGE, channels))
        self.scores = self.mma.make_fragment_C(numbers(PAGE, HEADS))
        self.value = self.mma.make_fragment_A(numbers(channels, PAGE))
        self.weights = self.mma.make_fragment_B(numbers(HEADS, PAGE))
        self.out = self.mma.make_fragment_C(numbers(channels, HEADS))
        self.out.fill(0)

    def load_query(self, q: fx.Tensor, heads: int) -> None:
        """`heads` rows of queries from `q` on; the others, which the instruction takes too, are 0."""
        layout = fx.make_layout((HEADS, self.channels), (self.channels, 1))
        self.load(fx.make_tiled_copy_B, q, layout, heads * self.channels, self.query)

    def load_page(self, keys: fx.Tensor, values: fx.Tensor) -> None:
        """Start the loads of a page."""
        size = PAGE * self.channels
        # Row 4 g + v of the t-th of two products of 16 tokens is token 8 g + 4 t + v.
        tokens = (4, 4, 2), (self.channels, RUN * self.channels, 4 * self.channels)
        of_keys = fx.make_layout((tokens[0], self.channels), (tokens[1], 1))
        self.load(fx.make_tiled_copy_A, keys, of_keys, size, self.key)
        self.load(fx.make_tiled_copy_A, values, fx.make_layout((self.channels, PAGE), (PAGE, 1)), size, self.value)
        fx.rocdl.sched_barrier(0)  # all loads are on their way before the first product waits for one

    def load(self, make: MakeCopy, matrix: fx.Tensor, layout: fx.Layout, count: int, fragment: fx.Tensor) -> None:
        """Load the elements from `matrix` on, as seen by `layout`; `count` of them exist, the others are 0."""
        atom = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), fx.Float16)
        thread = make(atom, self.mma).get_slice(self.lane)
        view = fx.make_view(fx.rocdl.make_buffer_ptr(fx.get_iter(matrix), 2 * count), layout)
        fx.copy(atom, thread.partition_S(view), thread.retile(fragment))

    def step(self, scale: fx.Numeric, peak: Any, total: Any, count: Any = PAGE) -> tuple[Any, Any]:
        """Add a page of `count` tokens; the largest score so far, and the sum of this lane's weights."""
        self.scores.fill(0)
        fx.gemm(self.mma, self.scores, self.key, self.query, self.scores)
        elements, first = self.scores.load() * scale, self.lane // HEADS * RUN
        scores = [elements[i] for i in range(RUN)]
        if not isinstance(count, int):
            scores = [(first + i < count).select(scores[i], LOWEST) for i in range(RUN)]
            self.clear(first, count)
        highest = reduce_each(fx.Vector.from_elements(scores, fx.Float32), largest)
        before, peak = peak, largest(peak, over_groups(highest, largest, self.chip))
        smaller = fx.rocdl.exp2(before - peak)
        weights = fx.Vector.from_elements([fx.rocdl.exp2(score - peak) for score in scores], fx.Float32)
        self.weights.store(weights.to(fx.Float16))
        self.out.store(self.out.load() * smaller)
        fx.gemm(self.mma, self.out, self.value, self.weights, self.out)
        return peak, total * smaller + reduce_each(weights, add)

    def clear(self, first: fx.Numeric, count: fx.Numeric) -> None:
        """Put zeros for what the page holds behind the sequence, which might be no number: no weight makes it 0."""
        run, atoms = int(fx.size(self.value.shape[0])), int(fx.size(self.value.shape[1]))
        elements = self.value.load()
        chosen: list[fx.Numeric] = []
        for i in fx.range_constexpr(elements.numel):
            exists = first + (i % run + i // (run * atoms) * run) < count
            chosen.append(exists.select(elements[i], fx.Float16(0)))
        self.value.store(fx.Vector.from_elements(chosen, fx.Float16))

    def finish(self, out: fx.Tensor, state: fx.Tensor, heads: int, peak: Any, total: Any) -> None:
        """Write what came of this part from `out` and `state` on: sums of values; largest score and sum of weights."""
        out = fx.make_view(fx.get_iter(out), fx.make_layout((self.channels, HEADS), (1, self.channels)))
        state = fx.make_view(fx.get_iter(state), fx.make_layout((2, HEADS), (1, 2)))
        total, head = over_groups(total, add, self.chip), self.lane % HEADS
        if head < heads:
            target = self.mma.get_slice(self.lane).partition_C(out)
            fx.copy(fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32), self.out, target)
            if self.lane < HEADS:
                state[0, head], state[1, head] = peak, total


def numbers(*shape: int) -> fx.Tensor:
    return fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(shape))
