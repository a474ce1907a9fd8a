"""Running sums of a long vector (an inclusive scan) that is read once and written once.

Every block sums a tile of its own and needs the sum of all tiles before it. It looks back (Merrill and Garland,
"Single-pass parallel prefix scan with decoupled look-back", 2016): a block says what its tile adds up to when it knows,
and what all tiles up to its own do when it knows that. Each of its threads asks for one of the tiles before, and what
they hear is added up to the nearest that said the latter. Number and meaning are one 64-bit word, so no fence is
needed. Blocks take their tiles by a ticket: who waits for a tile knows that somebody works on it.

The sum of floats depends on which words a block finds, in its last bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from workbench import assert_close, choose_backend, marked, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

THREADS = 256
VECTOR = 4  # elements of a vector
VECTORS = 4  # of a thread; those of a wave are side by side
TILE = THREADS * VECTOR * VECTORS
TILE_SUM, SUM_SO_FAR = 1, 2  # what a word says; 0 is nothing yet
CLEARED = 256  # words that a block clears


def scan_lanes(value: Any, width: int) -> Any:
    """The inclusive sum of `value` over groups of `width` lanes."""
    lane, offset = fx.thread_idx.x % width, 1
    while offset < width:
        below = fx.shuffle_up(value, offset, width)
        value = value + (lane >= offset).select(below, 0)
        offset *= 2
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
            found = fx.generic_load(words + which, memory_order=fx.AtomicOrdering.Monotonic)
    return found


def look_back(words: Any, tile: Any, wave: int, parts: Any, ends: Any) -> Any:
    """The sum of all tiles before `tile`: each thread asks for one of them."""
    thread, first, total, is_open = fx.thread_idx.x, tile - 1, fx.Float32(0), fx.Boolean(True)
    while is_open:
        found = said(words, first - thread)
        nearest, offset = (found >> 32 == SUM_SO_FAR).select(thread % wave, wave), wave // 2
        while fx.const_expr(offset > 0):
            nearest, offset = fx.min(nearest, fx.shuffle_xor(nearest, offset, wave)), offset // 2
        part, offset = (thread % wave <= nearest).select(fx.Int32(found).bitcast(fx.Float32), 0.0), wave // 2
        while fx.const_expr(offset > 0):
            part, offset = part + fx.shuffle_xor(part, offset, wave), offset // 2
        if thread % wave == 0:
            parts[thread // wave] = part
            ends[thread // wave] = nearest
        fx.barrier()
        for i in fx.range_constexpr(THREADS // wave):
            total = total + is_open.select(parts[i], 0.0)
            is_open = is_open & (ends[i] == wave)
        fx.barrier()
        first = first - THREADS
    return total


@flyc.kernel
def clear_kernel(words: fx.Tensor) -> None:
    i = fx.block_idx.x * CLEARED + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(words)):
        words[i] = fx.Int64(0)


@flyc.kernel
def running_sum_kernel(x: fx.Tensor, y: fx.Tensor, words: fx.Tensor) -> None:
    wave, thread = int(fx.num_warp_threads()), fx.thread_idx.x
    waves, ticket = THREADS // wave, fx.get_iter(words)
    shared = fx.SharedAllocator()
    sums, parts = (shared.allocate(fx.Array[fx.Float32, waves]) for _ in range(2))
    ends, place = (shared.allocate(fx.Array[fx.Int32, waves]) for _ in range(2))
    if thread == 0:
        place[0] = fx.Int32(fx.atomic_add(ticket, 1))
    fx.barrier()
    tile, count = place[0], fx.get_scalar(fx.size(x)) // VECTOR

    atom = fx.make_copy_atom(fx.UniversalCopy(VECTOR * x.dtype.width), x.dtype)
    all_x, all_y = [fx.zipped_divide(tensor, fx.make_tile(VECTOR)) for tensor in (x, y)]
    first = tile * (TILE // VECTOR) + thread // wave * (wave * VECTORS) + thread % wave
    registers = fx.make_rmem_tensor((VECTOR, VECTORS), x.dtype)
    registers.fill(0)
    for i in fx.range_constexpr(VECTORS):
        if first + i * wave < count:
            fx.copy(atom, all_x[None, first + i * wave], registers[None, i])
    own, total = scan_tile([registers[None, i].load() for i in range(VECTORS)], wave)

    if thread % wave == 0:
        sums[thread // wave] = total
    fx.barrier()
    own_word, order, of_tile = ticket + (tile + 1), fx.AtomicOrdering.Monotonic, fx.Float32(0)
    if thread == 0:
        for i in fx.range_constexpr(waves):
            of_wave, sums[i] = sums[i], of_tile  # of the waves before
            of_tile = of_tile + of_wave
        fx.generic_store(own_word, word(TILE_SUM, of_tile), memory_order=order)
    so_far = look_back(ticket + 1, tile, wave, parts, ends)
    if thread == 0:
        fx.generic_store(own_word, word(SUM_SO_FAR, so_far + of_tile), memory_order=order)
    before = so_far + sums[thread // wave]
    for i in fx.range_constexpr(VECTORS):
        if first + i * wave < count:
            registers[None, i].store(fx.Vector.from_elements([before + item for item in own[i]]))
            fx.copy(atom, registers[None, i], all_y[None, first + i * wave])


@flyc.jit
def running_sum(x: fx.Tensor, y: fx.Tensor, words: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    clear_kernel(words).launch(grid=fx.ceil_div(words.shape[0], CLEARED), block=CLEARED, stream=stream)
    running_sum_kernel(x, y, words).launch(grid=fx.ceil_div(x.shape[0], TILE), block=THREADS, stream=stream)


def words_for(count: int) -> int:
    """64-bit words that a vector of `count` elements needs: a ticket, and one for each tile."""
    return 1 + -(-count // TILE)


def check(rng: np.random.Generator, count: int) -> None:
    """A random vector of `count` times 4 elements against NumPy in float64."""
    x = rng.standard_normal(VECTOR * count, dtype=np.float32)
    framed = np.full(x.size + 2 * VECTOR, -1, np.float32)  # nothing outside of the result may be written
    words = np.full(words_for(x.size), -1, np.int64)
    running_sum(marked(x), marked(framed[VECTOR:-VECTOR]), words)
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
