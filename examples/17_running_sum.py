"""Running sums of a long vector (an inclusive scan) that is read once and written once.

Every block sums a tile of its own and needs the sum of all tiles before it. It looks back (Merrill and Garland,
"Single-pass parallel prefix scan with decoupled look-back", 2016): a block says what its tile adds up to when it knows,
and what all tiles up to its own do when it knows that. The lanes of its first wave ask for one of the tiles before
each, and what they hear is added up to the nearest that said the latter. Number and meaning are one 64-bit word, so no
fence is needed. Blocks take their tiles by a ticket: who waits for a tile knows that somebody works on it.

Tiles are large, so that few blocks ask for the words of the last ones, which are in few lines of the cache.

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
CLEARED = 256  # words that a block clears
ORDER = fx.AtomicOrdering.Monotonic


@dataclass(frozen=True)
class ScanPlan:
    """How a tile is spread: over `threads`, each with so many vectors; those of a wave are side by side."""

    threads: int = 256
    vectors: int = 8

    @property
    def tile(self) -> int:
        """Elements of a tile."""
        return self.threads * VECTOR * self.vectors


PLAN = ScanPlan()


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


def word(kind: int, value: Any) -> Any:
    return (fx.Int64(kind) << 32) | fx.Int64(fx.Uint32(value.bitcast(fx.Int32)))


def said(words: Any, which: Any) -> Any:
    """What the block of a tile has said, once it has; before the first tile the sum is 0."""
    found: Any = fx.Int64(SUM_SO_FAR) << 32
    if which >= 0:
        found = fx.Int64(0)
        while found == 0:
            found = fx.generic_load(words + which, memory_order=ORDER)
    return found


def look_back(words: Any, tile: Any, wave: int, parts: Any, ends: Any) -> Any:
    """The sum of all tiles before `tile`: each lane of the first wave asks for one of them, and all hear what it heard."""
    thread, first, total, nearest, turn = fx.thread_idx.x, tile - 1, fx.Float32(0), fx.Int32(wave), fx.Int32(0)
    while nearest == wave:
        found: Any = fx.Int64(0)
        if thread < wave:
            found = said(words, first - thread)
        end = reduce_lanes((found >> 32 == SUM_SO_FAR).select(thread % wave, wave), fx.min, wave)
        part = reduce_lanes((thread % wave <= end).select(fx.Int32(found).bitcast(fx.Float32), 0.0), add, wave)
        if thread == 0:
            parts[turn] = part
            ends[turn] = end
        fx.barrier()
        total, nearest = total + parts[turn], ends[turn]
        first, turn = first - wave, 1 - turn  # the next ones go elsewhere: some threads still read these
    return total


@flyc.kernel
def clear_kernel(words: fx.Tensor) -> None:
    i = fx.block_idx.x * CLEARED + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(words)):
        words[i] = fx.Int64(0)


@flyc.kernel
def running_sum_kernel(x: fx.Tensor, y: fx.Tensor, words: fx.Tensor, plan: fx.Constexpr[ScanPlan]) -> None:
    wave, thread = int(fx.num_warp_threads()), fx.thread_idx.x
    waves, ticket = plan.threads // wave, fx.get_iter(words)
    shared = fx.SharedAllocator()
    sums = shared.allocate(fx.Array[fx.Float32, waves])
    parts, ends = shared.allocate(fx.Array[fx.Float32, 2]), shared.allocate(fx.Array[fx.Int32, 2])
    place = shared.allocate(fx.Array[fx.Int32, 1])
    if thread == 0:
        place[0] = fx.Int32(fx.atomic_add(ticket, 1))
    fx.barrier()
    tile, count = place[0], fx.get_scalar(fx.size(x)) // VECTOR

    atom = fx.make_copy_atom(fx.UniversalCopy(VECTOR * x.dtype.width), x.dtype)
    all_x, all_y = [fx.zipped_divide(tensor, fx.make_tile(VECTOR)) for tensor in (x, y)]
    vectors = plan.tile // VECTOR
    first = tile * vectors + thread // wave * (wave * plan.vectors) + thread % wave
    is_full = (tile + 1) * vectors <= count
    registers = fx.make_rmem_tensor((VECTOR, plan.vectors), x.dtype)
    if is_full:
        for i in fx.range_constexpr(plan.vectors):
            fx.copy(atom, all_x[None, first + i * wave], registers[None, i])
    else:
        registers.fill(0)
        for i in fx.range_constexpr(plan.vectors):
            if first + i * wave < count:
                fx.copy(atom, all_x[None, first + i * wave], registers[None, i])
    own, total = scan_tile([registers[None, i].load() for i in range(plan.vectors)], wave)

    if thread % wave == 0:
        sums[thread // wave] = total
    fx.barrier()
    of_wave, own_word = sums[thread % waves], ticket + (tile + 1)
    until = scan_lanes(of_wave, waves)
    of_tile, before_wave = fx.shuffle_idx(until, waves - 1, waves), fx.shuffle_idx(until - of_wave, thread // wave, waves)
    if thread == 0:
        fx.generic_store(own_word, word(TILE_SUM, of_tile), memory_order=ORDER)
    so_far = look_back(ticket + 1, tile, wave, parts, ends)
    if thread == 0:
        fx.generic_store(own_word, word(SUM_SO_FAR, so_far + of_tile), memory_order=ORDER)
    before = so_far + before_wave
    for i in fx.range_constexpr(plan.vectors):
        registers[None, i].store(fx.Vector.from_elements([before + item for item in own[i]]))
    if is_full:
        for i in fx.range_constexpr(plan.vectors):
            fx.copy(atom, registers[None, i], all_y[None, first + i * wave])
    else:
        for i in fx.range_constexpr(plan.vectors):
            if first + i * wave < count:
                fx.copy(atom, registers[None, i], all_y[None, first + i * wave])


@flyc.jit
def running_sum(
    x: fx.Tensor,
    y: fx.Tensor,
    words: fx.Tensor,
    plan: fx.Constexpr[ScanPlan] = PLAN,
    stream: fx.Stream = fx.Stream(None),
) -> None:
    clear_kernel(words).launch(grid=fx.ceil_div(words.shape[0], CLEARED), block=CLEARED, stream=stream)
    running_sum_kernel(x, y, words, plan).launch(
        grid=fx.ceil_div(x.shape[0], plan.tile), block=plan.threads, stream=stream
    )


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
