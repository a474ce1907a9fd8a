"""Running sums of a long vector (an inclusive scan) that is read once and written once.

Every block sums a tile of its own and needs the sum of all tiles before it. It looks back (Merrill and Garland,
"Single-pass parallel prefix scan with decoupled look-back", 2016): a block says what its tile adds up to when it knows,
and what all tiles up to its own do when it knows that. Each of its first threads asks for one of the tiles before, and
what they hear is added up to the nearest that said the latter. Number and meaning are one 64-bit word, so no fence is
needed. Blocks take their tiles by a ticket: who waits for a tile knows that somebody works on it.

Who looks back waits for the slowest of those before. So blocks stay, and have three tiles: while two wait in shared
memory for what was before them, the next one is on its way to the registers. A tile has then been waiting for a whole
round when its block looks back, and what was before it is there. Twice as many tiles as there are blocks may have no
sum of all before them yet: a block asks for so many at a time.

The sum of floats depends on which words a block finds, in its last bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from workbench import assert_close, choose_backend, marked, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

VECTOR = 4  # elements of a vector
TILE_SUM, SUM_SO_FAR = 1, 2  # what a word says; 0 is nothing yet
WAITING = 2  # tiles of a block that wait for what was before them
CLEARED = 256  # words that a block clears
ORDER, DEVICE = fx.AtomicOrdering.Monotonic, "agent"


@dataclass(frozen=True)
class ScanPlan:
    """How a tile is spread: over `threads`, each with so many vectors; those of a wave are side by side.

    A block has three tiles, two of them in shared memory. Of the blocks a GPU should run as many as it can at a time.
    """

    threads: int = 256
    vectors: int = 2
    blocks: int = 16

    @property
    def tile(self) -> int:
        """Elements of a tile."""
        return self.threads * VECTOR * self.vectors


PLAN = ScanPlan()
H200 = ScanPlan(512, 6, 264)


def scan_lanes(value: Any, width: int) -> Any:
    """The inclusive sum of `value` over groups of `width` lanes."""
    lane, offset = fx.thread_idx.x % width, 1
    while offset < width:
        below = fx.shuffle_up(value, offset, width)
        value = value + (lane >= offset).select(below, 0)
        offset *= 2
    return value


def add(a: Any, b: Any) -> Any:
    return a + b


def reduce_lanes(value: Any, combine: Any, width: int) -> Any:
    """`value` combined over groups of `width` lanes; every lane gets the result."""
    offset = width // 2
    while offset:
        value, offset = combine(value, fx.shuffle_xor(value, offset, width)), offset // 2
    return value


def scan_tile(own: list[Any], wave: int) -> tuple[list[Any], Any]:
    """The running sums of a wave's vectors, and the sum of all of them."""
    total: Any = None
    sums: list[Any] = []
    for values in own:
        items = [values[0]]
        for i in range(1, VECTOR):
            items.append(items[-1] + values[i])
        until = scan_lanes(items[-1], wave)
        before = until - items[-1] if total is None else until - items[-1] + total
        sums.append([before + item for item in items])
        last = fx.shuffle_idx(until, wave - 1, wave)
        total = last if total is None else total + last
    return sums, total


def say(word: Any, kind: int, value: Any) -> None:
    """Write what a number means, and the number, at once."""
    said = (fx.Int64(kind) << 32) | fx.Int64(fx.Uint32(value.bitcast(fx.Int32)))
    fx.generic_store(word, said, memory_order=ORDER, syncscope=DEVICE)


def said(words: Any, which: Any) -> Any:
    """What the block of a tile has said, once it has; before the first tile the sum is 0."""
    found: Any = fx.Int64(SUM_SO_FAR) << 32
    if which >= 0:
        found = fx.Int64(0)
        while found == 0:
            found = fx.generic_load(words + which, memory_order=ORDER, syncscope=DEVICE)
    return found


def look_back(words: Any, tile: Any, wave: int, asking: int, parts: Any, ends: Any) -> Any:
    """The sum of all tiles before `tile`: each thread of the first waves, `asking`, asks for one of them."""
    thread, first, turn = fx.thread_idx.x, tile - 1, fx.Int32(0)
    total, is_open = fx.Float32(0), fx.Boolean(True)
    while is_open:
        found: Any = fx.Int64(0)
        if thread < asking * wave:
            found = said(words, first - thread)
        end = reduce_lanes((found >> 32 == SUM_SO_FAR).select(thread % wave, wave), fx.min, wave)
        part = reduce_lanes((thread % wave <= end).select(fx.Int32(found).bitcast(fx.Float32), 0.0), add, wave)
        if (thread % wave == 0) & (thread < asking * wave):
            parts[turn * asking + thread // wave] = part
            ends[turn * asking + thread // wave] = end
        fx.barrier()
        for i in fx.range_constexpr(asking):
            total = total + is_open.select(parts[turn * asking + i], 0.0)
            is_open = is_open & (ends[turn * asking + i] == wave)
        first, turn = first - asking * wave, 1 - turn  # the next ones go elsewhere: some threads still read these
    return total


@flyc.kernel
def clear_kernel(words: fx.Tensor) -> None:
    i = fx.block_idx.x * CLEARED + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(words)):
        words[i] = fx.Int64(0)


class Tiles:
    """The vectors of a tile that this thread has."""

    def __init__(self, tensor: fx.Tensor, plan: ScanPlan, wave: int) -> None:
        self.vectors, self.wave, self.step = plan.vectors, wave, plan.threads * plan.vectors
        self.count = fx.get_scalar(fx.size(tensor)) // VECTOR
        self.atom = fx.make_copy_atom(fx.UniversalCopy(VECTOR * tensor.dtype.width), tensor.dtype)
        self.all = fx.zipped_divide(tensor, fx.make_tile(VECTOR))
        self.own = fx.thread_idx.x // wave * (wave * plan.vectors) + fx.thread_idx.x % wave

    def load(self, tile: Any, registers: fx.Tensor) -> None:
        """Start to load a tile; behind the end are zeros."""
        first = tile * self.step + self.own
        if (tile + 1) * self.step <= self.count:
            for i in fx.range_constexpr(self.vectors):
                fx.copy(self.atom, self.all[None, first + i * self.wave], registers[None, i])
        else:
            registers.fill(0)
            for i in fx.range_constexpr(self.vectors):
                if first + i * self.wave < self.count:
                    fx.copy(self.atom, self.all[None, first + i * self.wave], registers[None, i])

    def store(self, tile: Any, shared: fx.Tensor, before: Any) -> None:
        """Store what is in shared memory, with what was before it; no tile has a negative number."""
        first = tile * self.step + self.own
        for i in fx.range_constexpr(self.vectors):
            registers = fx.make_rmem_tensor(VECTOR, shared.dtype)
            fx.copy(self.atom, shared[None, i], registers)
            registers.store(registers.load() + before)
            if (tile >= 0) & (first + i * self.wave < self.count):
                fx.copy(self.atom, registers, self.all[None, first + i * self.wave])


def put_aside(registers: fx.Tensor, waiting: fx.Tensor, sums: Any, plan: ScanPlan, wave: int) -> Any:
    """Put the running sums of a tile from registers to shared memory; the sum of all of it."""
    thread, waves = fx.thread_idx.x, plan.threads // wave
    own, total = scan_tile([registers[None, i].load() for i in range(plan.vectors)], wave)
    if thread % wave == 0:
        sums[thread // wave] = total
    fx.barrier()
    of_wave = sums[thread % waves]
    until = scan_lanes(of_wave, waves)
    lower = fx.shuffle_idx(until - of_wave, thread // wave, waves)
    atom = fx.make_copy_atom(fx.UniversalCopy(VECTOR * waiting.dtype.width), waiting.dtype)
    for i in fx.range_constexpr(len(own)):
        held = fx.make_rmem_tensor(VECTOR, waiting.dtype)
        held.store(fx.Vector.from_elements([lower + item for item in own[i]]))
        fx.copy(atom, held, waiting[None, i])
    return fx.shuffle_idx(until, waves - 1, waves)


@flyc.kernel
def running_sum_kernel(x: fx.Tensor, y: fx.Tensor, words: fx.Tensor, plan: fx.Constexpr[ScanPlan]) -> None:
    wave, thread = int(fx.num_warp_threads()), fx.thread_idx.x
    waves, ticket, memory = plan.threads // wave, fx.get_iter(words), fx.SharedAllocator()
    tile_memory = memory.allocate(fx.Array[x.dtype, WAITING * plan.tile, 16])
    shape = (VECTOR, plan.threads, plan.vectors, WAITING)
    all_waiting = tile_memory.view(fx.make_layout(shape, (1, VECTOR, VECTOR * plan.threads, plan.tile)))
    sums = memory.allocate(fx.Array[fx.Float32, waves])
    asking = min(waves, -(-WAITING * plan.blocks // wave))  # so many tiles may not have heard of those before them
    parts, ends = (memory.allocate(fx.Array[kind, 2 * asking]) for kind in (fx.Float32, fx.Int32))
    place = memory.allocate(fx.Array[fx.Int32, 1])
    tiles_x, tiles_y = Tiles(x, plan, wave), Tiles(y, plan, wave)
    tiles = fx.get_scalar(fx.ceil_div(fx.size(x), plan.tile))
    registers = fx.make_rmem_tensor((VECTOR, plan.vectors), x.dtype)

    if thread == 0:
        place[0] = fx.Int32(fx.atomic_add(ticket, 1, syncscope=DEVICE))
    fx.barrier()
    tile, second, first, turn = place[0], fx.Int32(-1), fx.Int32(-1), fx.Int32(0)
    of_second, of_first = fx.Float32(0), fx.Float32(0)
    while first < tiles:
        waiting = all_waiting[None, thread, None, turn]
        tiles_x.load(tile, registers)
        coming = fx.Int32(0)
        if thread == 0:
            coming = fx.Int32(fx.atomic_add(ticket, 1, syncscope=DEVICE))
        so_far = look_back(ticket + 1, first, wave, asking, parts, ends)
        if thread == 0:
            place[0] = coming  # which nobody reads before the next barrier
            if first >= 0:
                say(ticket + (first + 1), SUM_SO_FAR, so_far + of_first)
        tiles_y.store(first, waiting, so_far)
        of_tile = put_aside(registers, waiting, sums, plan, wave)
        if (thread == 0) & (tile < tiles):
            say(ticket + (tile + 1), TILE_SUM, of_tile)
        first, of_first, second, of_second, tile, turn = second, of_second, tile, of_tile, place[0], 1 - turn


@flyc.jit
def running_sum(
    x: fx.Tensor,
    y: fx.Tensor,
    words: fx.Tensor,
    plan: fx.Constexpr[ScanPlan] = PLAN,
    stream: fx.Stream = fx.Stream(None),
) -> None:
    clear_kernel(words).launch(grid=fx.ceil_div(words.shape[0], CLEARED), block=CLEARED, stream=stream)
    running_sum_kernel(x, y, words, plan).launch(grid=plan.blocks, block=plan.threads, stream=stream)


def words_for(count: int, plan: ScanPlan = PLAN) -> int:
    """64-bit words that a vector of `count` elements needs: a ticket, and one for each tile."""
    return 1 + -(-count // plan.tile)


def check(rng: np.random.Generator, count: int, plan: ScanPlan = PLAN) -> None:
    """A random vector of `count` times 4 elements against NumPy in float64."""
    x = rng.standard_normal(VECTOR * count, dtype=np.float32)
    framed = np.full(x.size + 2 * VECTOR, -1, np.float32)  # nothing outside of the result may be written
    words = np.full(words_for(x.size, plan), -1, np.int64)
    running_sum(marked(x), marked(framed[VECTOR:-VECTOR]), words, plan)
    assert_close(framed, np.pad(np.cumsum(x, dtype=np.float64), VECTOR, constant_values=-1), 1e-5)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for below in (100, 10_000, 100_000):
        count = odd(rng, below)
        check(rng, count)
        print(f"running sum of {VECTOR * count} elements: equal to NumPy in float64, within 1e-5")


if __name__ == "__main__":
    main()
