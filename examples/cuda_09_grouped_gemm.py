"""Products of many groups of rows with a matrix each in one launch, as a mixture of experts needs them, on Hopper.

C[r] = A[r] B[g]^T for the rows r of group g, which end in front of row ends[g]: what torch._grouped_mm computes. How
many rows a group has is known on the device only. Blocks stay, and walk over the tiles of all groups: the grid is for
the most tiles that there can be, and a block counts tiles group by group until it meets its own. A tile may overhang
its group: the copy engine stores the pieces of 64 rows that are whole, and threads the rows of those that are not.
Where all but a few blocks would have nothing to do for the last tiles, these are cut, a part of the columns for each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from cuda_epilogues import plain
from cuda_gemm import (
    CONSUMER_REGISTERS,
    GROUP_ROWS,
    GROUP_THREADS,
    PIECE,
    PRODUCER_REGISTERS,
    Epilogue,
    Group,
    Plan,
    Ring,
    check_columns,
    maps_of_operands,
)
from workbench import choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

WIDE_BITS = 128  # that are stored at once
WARP_THREADS = 32
FEW_GROUPS = 32  # whose ends all warps read before their first tile, to know the last ones


class GroupedTiles:
    """The tiles of all groups, one behind the other, and where a walk over them is: loops carry it."""

    def __init__(self, ends: fx.Tensor, plan: Plan, columns: Any) -> None:
        self.ends, self.plan, self.columns = ends, plan, columns
        self.groups = fx.Int32(ends.shape[0])

    def start(self) -> tuple[Any, Any, Any]:
        """In front of the first group: its number, its first row, and the tiles before it."""
        return fx.Int32(0), fx.Int32(0), fx.Int32(0)

    def rows(self, first: Any, end: Any) -> Any:
        """Rows of tiles of a group."""
        return (end - first + self.plan.m - 1) // self.plan.m

    def find(self, tile: Any, at: tuple[Any, Any, Any]) -> tuple[Any, Any, Any, Any]:
        """The group that a tile is of, as `start`, and the group's end; behind the last group there is none."""
        group, first, before = at
        end = self.end(group)
        after = before + self.rows(first, end) * self.columns
        while (tile >= after) & (group < self.groups):
            group, first, before = group + 1, end, after
            end = self.end(group)
            after = before + self.rows(first, end) * self.columns
        return group, first, before, end

    def end(self, group: Any) -> Any:
        """The first row that is behind a group."""
        existing: fx.Int32 = fx.min(group, self.groups - 1)
        return fx.Int32(self.ends[existing])

    def count(self) -> Any:
        """The tiles of all groups; by all threads of a warp, in steps that the compiler knows to be the warp's."""
        rows = fx.Int32(0)
        for start in range(0, self.groups, WARP_THREADS):
            group = start + fx.lane_id()
            first = fx.arith.select(group == 0, fx.Int32(0), self.end(fx.max(group - 1, 0)))
            rows = rows + self.rows(first, self.end(group))  # none behind the last group: it ends where that ends
        total = fx.coop.warp_reduce(rows, fx.ReductionOp.ADD)
        return fx.shuffle_idx(total, 0) * self.columns

    def place(self, tile: Any, first: Any, before: Any, end: Any) -> tuple[Any, Any]:
        """The row and the column of a tile within its group."""
        found: tuple[Any, Any] = fx.nvvm.TileScheduler(self.rows(first, end), self.columns).tile_coord(tile - before)
        return found


class Part(NamedTuple):
    """A tile of all groups, or a part of its columns."""

    tile: Any
    width: int
    number: Any = 0


def moved(coordinates: fx.Tensor, rows: Any) -> fx.Tensor:
    """The coordinates of a matrix from a row on."""
    return fx.make_view(fx.add_offset(fx.get_iter(coordinates), (rows, 0)), coordinates.layout)


@flyc.kernel
def grouped_gemm_kernel(
    operands: Any,
    target: Any,
    c: fx.Tensor,
    ends: fx.Tensor,
    load_part: Any,
    steps: fx.Int32,
    most: fx.Int32,
    plan: fx.Constexpr[Plan],
    epilogue: fx.Constexpr[Epilogue],
    cut: fx.Constexpr[int],
) -> None:
    memory = fx.SharedAllocator()
    ring = Ring(memory, plan)
    results = memory.allocate(fx.Array[plan.result, plan.results], 1024)
    warp = fx.nvvm.warp_idx()
    group = warp // 4
    if fx.thread_idx.x == 0:
        ring.init((*operands, target))
    fx.barrier()

    tiles = GroupedTiles(ends, plan, fx.ceil_div(c.shape[1], plan.n))
    at, state = tiles.start(), ring.state()
    fx.nvvm.griddep_launch()
    fx.nvvm.griddep_wait()  # all threads read where groups end
    number, parts = fx.block_idx.x, fx.Int32(0)
    if fx.const_expr(cut > 1):
        count = tiles.count()
        left = count % fx.grid_dim.x
        parts = fx.arith.select(left * cut <= fx.grid_dim.x, left * cut, fx.Int32(0))
        most = fx.arith.select(parts > 0, count - left, count)
    last = Part(most + number // cut, plan.n // cut, number % cut)
    if group == plan.groups:
        fx.nvvm.setmaxnreg_decrease(PRODUCER_REGISTERS)
        if warp == 4 * plan.groups:  # noqa: SIM102 (all threads of this warp elect one)
            if fx.nvvm.elect_one():
                side_a, (load_b, b) = operands
                for tile in range(number, most, fx.grid_dim.x):
                    at, state = bring(ring, tiles, (side_a, (load_b, b)), Part(tile, plan.n), at, state, steps)
                if number < parts:
                    bring(ring, tiles, (side_a, (load_part, b)), last, at, state, steps)
    else:
        fx.nvvm.setmaxnreg_increase(CONSUMER_REGISTERS)
        mine = Group(ring, results, group)
        for tile in range(number, most, fx.grid_dim.x):
            at, state = finish(mine, tiles, (target, c), Part(tile, plan.n), at, state, steps, epilogue)
        if number < parts:
            narrow = Group(ring, results, group, last.width)
            finish(narrow, tiles, (target, c), last, at, state, steps, epilogue)
        if mine.thread == 0:
            fx.nvvm.bulk_wait_group(read=True)  # the kernel's end waits for the rest


def bring(ring: Ring, tiles: GroupedTiles, sides: Any, part: Part, at: Any, state: Any, steps: Any) -> tuple[Any, Any]:
    """Have the copy engine bring what a tile or a part of it needs, if there is one."""
    (load_a, a), (load_b, b) = sides
    plan = ring.plan
    number, first, before, end = tiles.find(part.tile, at)
    if number < tiles.groups:
        row, column = tiles.place(part.tile, first, before, end)
        tiles_a, tiles_b = (
            fx.zipped_divide(moved(a, first), (plan.m, plan.k)),
            fx.zipped_divide(b, (part.width, plan.k)),
        )
        place = (row,), (column * (plan.n // part.width) + part.number, number)
        state = ring.bring(state, ((load_a, tiles_a), (load_b, tiles_b)), place, (0, steps))
    return (number, first, before), state


def finish(
    mine: Group, tiles: GroupedTiles, result: Any, part: Part, at: Any, state: Any, steps: Any, epilogue: Epilogue
) -> tuple[Any, Any]:
    """Multiply what `bring` has brought, and store it."""
    (store_c, of_c), c = result
    plan = mine.ring.plan
    number, first, before, end = tiles.find(part.tile, at)
    if number < tiles.groups:
        state = mine.multiply(state, steps)
        row, column = tiles.place(part.tile, first, before, end)
        own = row * plan.groups + mine.number
        to_tiles = mine.to_tiles((store_c, fx.zipped_divide(moved(of_c, first), (GROUP_ROWS, PIECE))), own)
        put = of_group(to_tiles, c, first + own * GROUP_ROWS, end, mine.thread)
        pieces = plan.n // PIECE, part.width // PIECE
        state = mine.store(state, put, (own, column * pieces[0] + part.number * pieces[1]), epilogue)
    return (number, first, before), state


def of_group(to_tiles: Any, c: fx.Tensor, row: Any, end: Any, thread: Any) -> Any:
    """What stores pieces of 64 rows from a row on, as far as these are in front of a group's end."""

    def put(buffer: fx.Pointer, column: Any) -> None:
        if row + GROUP_ROWS <= end:
            to_tiles(buffer, column)
        else:
            put_rows(buffer, c, (row, column * PIECE), end - row, thread)

    return put


def put_rows(buffer: fx.Pointer, c: fx.Tensor, place: tuple[Any, Any], rows: Any, thread: Any) -> None:
    """Store the first rows of a piece, 16 bytes at a time; an empty group, as `write` counts groups."""
    count = WIDE_BITS // c.dtype.width
    lanes = PIECE // count
    layout = fx.nvvm.smem_layout("k", c.dtype, (GROUP_ROWS, PIECE))
    for number in fx.range_constexpr(GROUP_ROWS * lanes // GROUP_THREADS):
        row, column = number * (GROUP_THREADS // lanes) + thread // lanes, thread % lanes * count
        if (row < rows) & (place[1] + column < c.shape[1]):
            taken = wide(buffer + fx.crd2idx((row, column), layout), fx.AddressSpace.Shared)
            to = wide(
                fx.get_iter(c) + fx.crd2idx((place[0] + row, place[1] + column), c.layout), fx.AddressSpace.Global
            )
            to.store(taken.load())
    if thread == 0:
        fx.nvvm.bulk_commit_group()


def wide(start: fx.Pointer, space: Any) -> fx.Tensor:
    """The elements of 16 bytes, which begin at a multiple of that."""
    dtype: Any = start.dtype
    aligned = fx.recast_iter(fx.PointerType.get(dtype, space, 16), start)
    return fx.make_view(aligned, fx.make_layout(WIDE_BITS // dtype.width, 1))


@flyc.jit
def grouped_gemm(
    a: fx.Tensor,
    b: fx.Tensor,
    ends: fx.Tensor,
    c: fx.Tensor,
    blocks: fx.Int32,
    columns: fx.Constexpr[int] = 256,
    epilogue: fx.Constexpr[Epilogue] = plain,
    cut: fx.Constexpr[int] = 1,
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """C of A (rows, K), B (groups, N, K) and the groups' ends, by `blocks` blocks, one for each multiprocessor.

    `columns` are those of a tile, and `cut` the parts of the last ones where there is a block for each.
    """
    check_columns(columns, cut)
    plan = Plan(a.dtype, c.dtype, ("k", "k"), columns)
    target = fx.nvvm.make_tma_store(c, fx.nvvm.smem_layout("k", plan.result, (GROUP_ROWS, PIECE)))
    b_of_groups = fx.make_view(fx.get_iter(b), fx.select(b.layout, [1, 2, 0]))
    rows_of_tiles = fx.ceil_div(a.shape[0], plan.m) + b.shape[0]  # each group may leave a tile incomplete
    most = fx.get_scalar(rows_of_tiles * fx.ceil_div(b.shape[1], columns))
    steps = fx.get_scalar(fx.ceil_div(a.shape[1], plan.k))
    operands = maps_of_operands(a, b_of_groups, plan)
    load_part, _ = fx.nvvm.make_tma_load(b_of_groups, fx.nvvm.smem_layout("k", plan.dtype, (columns // cut, plan.k)))
    grouped_gemm_kernel(operands, target, c, ends, load_part, steps, most, plan, epilogue, cut).launch(
        grid=fx.max(blocks, 1), block=plan.threads, use_pdl=True, stream=stream
    )


def way_for(groups: int) -> tuple[int, int]:
    """How wide tiles should be, and in how many parts the last are cut: before it is known what rows a group has."""
    return 256, 2 if groups <= FEW_GROUPS else 1


def check(
    rng: np.random.Generator,
    groups: int,
    rows: int,
    n: int,
    k: int,
    columns: int = 256,
    blocks: int = 132,
    cut: int = 1,
) -> None:
    """Random groups of bfloat16, some of them empty, against NumPy in float64; nothing else is written."""
    ends = np.sort(rng.integers(0, rows + 1, groups)).astype(np.int32)
    ends[-1] = rows
    width, depth = (-(-extent // 8) * 8 for extent in (n, k))
    a = rng.standard_normal((rows, depth)).astype(ml_dtypes.bfloat16)
    b = rng.standard_normal((groups, n, depth)).astype(ml_dtypes.bfloat16)
    c = np.full((rows + 1, width), np.nan, ml_dtypes.bfloat16)
    grouped_gemm(a[:, :k], b[:, :, :k], ends, c[:rows], blocks, columns, plain, cut)
    wide_a, wide_b = a[:, :k].astype(np.float64), b[:, :, :k].astype(np.float64)
    group_of = np.searchsorted(ends, np.arange(rows), side="right")
    expected = np.concatenate([wide_a[group_of == group] @ wide_b[group].T for group in range(groups)])
    np.testing.assert_allclose(c[:rows, :n].astype(np.float64), expected, rtol=1e-2, atol=4e-3 * k**0.5)
    np.testing.assert_array_equal(c[:rows, n:].astype(np.float64), 0)
    assert np.isnan(c[rows].astype(np.float64)).all()


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for groups in (1, 5, 40):
        rows, n, k = odd(rng, 1000), odd(rng, 400), odd(rng, 400)
        check(rng, groups, rows, n, k, blocks=4)
        print(f"{rows} rows of {groups} groups, {n} x {k} each: equal to NumPy in float64, but for the rounding")


if __name__ == "__main__":
    main()
