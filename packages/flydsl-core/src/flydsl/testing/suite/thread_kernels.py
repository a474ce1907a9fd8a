"""Kernels in which the order of a thread's accesses, its branches, and what threads do together decide the results."""

from __future__ import annotations

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCK = 32
WAVES = 128
"""Threads of the block that shuffles."""


@flyc.kernel
def _sort_rows(y: fx.Tensor) -> None:
    row = fx.block_idx.x * BLOCK + fx.thread_idx.x
    for i in fx.range_constexpr(4):
        least = fx.Int32(i)
        for j in fx.range_constexpr(i + 1, 4):
            if y[row, j] < y[row, least]:
                least = fx.Int32(j)
        here = y[row, i]
        y[row, i] = y[row, least]
        y[row, least] = here


@flyc.jit
def sort_rows(y: fx.Tensor) -> None:
    """Each row of four in order: a thread reads what it has just written, at fixed and at computed places."""
    _sort_rows(y).launch(grid=y.shape[0] // BLOCK, block=BLOCK)


@flyc.kernel
def _overwrite(x: fx.Tensor, y: fx.Tensor) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    kept = fx.make_rmem_tensor(4, fx.Int32)
    for place in fx.range_constexpr(4):
        kept[place] = fx.Int32(place)
    kept[x[i] & 3] = x[i]
    kept[2] = kept[2] + 100
    y[i, 0] = fx.Int32(-1)
    y[i, x[i] & 3] = x[i]
    y[i, 1] = y[i, 0] + kept[x[i] & 3]
    for place in fx.range_constexpr(4):
        y[i, 4 + place] = kept[place]


@flyc.jit
def overwrite(x: fx.Tensor, y: fx.Tensor) -> None:
    """The last store to a place counts, in memory (columns 0 to 3) and in registers (4 to 7)."""
    _overwrite(x, y).launch(grid=x.shape[0] // BLOCK, block=BLOCK)


@flyc.kernel
def _loops(x: fx.Tensor, y: fx.Tensor) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    n, steps = x[i], fx.Int32(0)
    while n != 1:
        if n % 2 == 0:
            n, steps = n // 2, steps + 1
        else:
            n, steps = 3 * n + 1, steps + 1
    y[0, i] = steps
    total = fx.Int32(0)
    for k in range(3, x[i], 4):
        total = total * 3 + k
    y[1, i] = total
    for k in range(x[i], 0, -3):
        total = total + k * k
    y[2, i] = total
    pairs = fx.Int32(0)
    for a in range(x[i] % 7):
        for b in range(a, 7):
            if (a * b) % 3 == 1:
                pairs = pairs + 1
    y[3, i] = pairs


@flyc.jit
def loops(x: fx.Tensor, y: fx.Tensor) -> None:
    """Loops whose turns depend on the thread: `while`, steps up and down, nested ones with a branch, and empty ones."""
    _loops(x, y).launch(grid=x.shape[0] // BLOCK, block=BLOCK)


@flyc.kernel
def _vectors(x: fx.Tensor, y: fx.Tensor) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    a, b, c = x[0, i], x[1, i], x[2, i]
    left, right = fx.Vector.from_elements([a, b, c, b]), fx.Vector.from_elements([c, a, b, c])
    product, larger = left * right, (left < right).select(right, left)
    for lane in fx.range_constexpr(4):
        y[lane, i], y[4 + lane, i] = product[lane], larger[lane]
    y[8, i], y[9, i], y[10, i] = left.reduce("add"), left.reduce("max"), left.reduce("min")
    y[11, i] = fx.full((4,), a, y.element_type)[3]


@flyc.jit
def vectors(x: fx.Tensor, y: fx.Tensor) -> None:
    """Products and larger elements of two vectors of four, sums and extremes of one, and one of equal elements."""
    _vectors(x, y).launch(grid=fx.get_scalar(x.shape[1]) // BLOCK, block=BLOCK)


@flyc.kernel
def _exchange(x: fx.Tensor, y: fx.Tensor) -> None:
    t = fx.thread_idx.x
    value = x[t]
    y[0, t], y[1, t] = fx.shuffle_xor(value, 1), fx.shuffle_xor(value, 5, 8)
    y[2, t], y[3, t] = fx.shuffle_up(value, 1), fx.shuffle_up(value, 3, 4)
    y[4, t], y[5, t] = fx.shuffle_down(value, 2), fx.shuffle_down(value, 1, 2)
    y[6, t], y[7, t] = fx.shuffle_idx(value, 3), fx.shuffle_idx(value, t * 3 % 8, 8)
    y[8, t], y[9, t] = fx.num_warp_threads().to(y.element_type), fx.lane_id().to(y.element_type)


@flyc.jit
def exchange(x: fx.Tensor, y: fx.Tensor) -> None:
    """Row by row what another lane of the wave, or of a group of lanes, has of `x`; threads of a wave; the lane."""
    _exchange(x, y).launch(grid=1, block=WAVES)


@flyc.kernel
def _update(
    cells: fx.Tensor,
    unsigned: fx.Tensor,
    reals: fx.Tensor,
    values: fx.Tensor,
    before: fx.Tensor,
    sums: fx.Tensor,
) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    value = values[i]
    before[0, i] = fx.atomic_add(cells, (0,), 1)
    before[1, i] = fx.atomic_xchg(cells, (1,), i + 1)
    before[2, i] = fx.atomic_cas(cells, (2,), 0, i + 1)
    fx.atomic_sub(cells, (3,), value)
    fx.atomic_and(cells, (4,), value | 1)
    fx.atomic_or(cells, (5,), value)
    fx.atomic_xor(cells, (6,), value)
    fx.atomic_min(cells, (7,), value)
    fx.atomic_max(cells, (8,), value)
    fx.atomic_min(unsigned, (0,), fx.Uint32(value))
    fx.atomic_max(unsigned, (1,), fx.Uint32(value))
    fx.atomic_add(unsigned, (2,), fx.Uint32(value))
    sums[i] = fx.atomic_add(reals, (0,), fx.Float32(i))


@flyc.jit
def update(
    cells: fx.Tensor,
    unsigned: fx.Tensor,
    reals: fx.Tensor,
    values: fx.Tensor,
    before: fx.Tensor,
    sums: fx.Tensor,
) -> None:
    """Every thread updates the same cells, in the ways of the numbers that they hold."""
    _update(cells, unsigned, reals, values, before, sums).launch(grid=values.shape[0] // BLOCK, block=BLOCK)
