"""What products of matrices on Hopper share: tiles, the ring of stages, products, and what becomes of the sums.

One warp of a block has the copy engine bring tiles of A and B to the stages of a ring. Groups of four warps multiply
them, each 64 rows of the tile, and hand stages back as soon as nobody reads them. Sums become results 64 columns at a
time, by way of an epilogue: a function of sums, of where they are, and of what it asked to be brought for them. Results
go through shared memory, from where the copy engine stores them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import flydsl.expr as fx

__all__ = ["GROUP_ROWS", "PIECE", "Group", "Places", "Plan", "Ring", "check_columns", "maps_of_operands"]

GROUP_ROWS, GROUP_THREADS = 64, 128
PIECE = 64  # columns of sums that become results at once
MOST_STAGES = 8
DEPTH_BYTES = 128  # of a row of a tile of A or B
SHARED_BYTES, RESERVED = 227 << 10, 1 << 10  # of a block at most; what barriers may take of it
PRODUCER_REGISTERS, CONSUMER_REGISTERS = 40, 232

Epilogue = Callable[..., fx.Vector]
"""Results of sums: `epilogue(sums, places, *extras)`, vectors of what a thread has of 64 x 64 elements of C."""


class Plan(NamedTuple):
    """What is known while compiling: types, which operands have neighbours along K ("k") or not ("mn"), and tiles.

    The `share` blocks of a cluster have tiles of the same rows ("a" is `shared`) or columns ("b"): each brings its part
    of that operand to all of them.
    """

    dtype: Any
    result: Any
    majors: tuple[str, str]
    n: int
    groups: int = 2
    buffers: int = 2
    rows: int = 128
    share: int = 1
    shared: str = "a"

    @property
    def m(self) -> int:
        """Rows that are multiplied; a tile of C has `rows` of them, and `n` columns."""
        return self.groups * GROUP_ROWS

    @property
    def k(self) -> int:
        """A and B come in pieces of so many columns."""
        return DEPTH_BYTES * 8 // int(self.dtype.width)

    @property
    def stage_bytes(self) -> int:
        """Of a tile of A and one of B."""
        return (self.m + self.n) * DEPTH_BYTES

    @property
    def results(self) -> int:
        """Elements of all pieces of results: a group has `buffers` of them."""
        return self.groups * self.buffers * GROUP_ROWS * PIECE

    @property
    def stages(self) -> int:
        """How many tiles of A and B are on their way or being multiplied: as many as there is room for, up to some."""
        room = SHARED_BYTES - self.results * int(self.result.width) // 8 - RESERVED
        return min(MOST_STAGES, room // self.stage_bytes)

    @property
    def threads(self) -> int:
        """Of a block: those that multiply, and a group of which one thread starts copies."""
        return (self.groups + 1) * GROUP_THREADS

    @property
    def of_cluster(self) -> tuple[int, int]:
        """Rows and columns of the tiles of C that a cluster has."""
        return (self.rows, self.n * self.share) if self.shared == "a" else (self.rows * self.share, self.n)

    def brings(self, operand: str) -> tuple[int, bool]:
        """Rows of a tile of A or B that a block brings, and whether to all of its cluster."""
        rows, is_shared = self.rows if operand == "a" else self.n, self.share > 1 and operand == self.shared
        return (rows // self.share if is_shared else rows), is_shared

    def mma(self, n: int, groups: int) -> fx.TiledMma:
        """Products of 64 rows a group and n columns."""
        major_a, major_b = self.majors
        atom = fx.nvvm.sm90.WGMMA(n, 256 // self.dtype.width, self.dtype, major_a=major_a, major_b=major_b)
        return fx.make_tiled_mma(fx.make_mma_atom(atom), fx.make_layout((groups, 1, 1)))


def check_columns(columns: int, parts: int = 1) -> None:
    """ValueError where a part of a tile is not stored whole: nothing would store what is left of its columns."""
    if columns < 1 or parts < 1 or columns % (parts * PIECE):
        raise ValueError(
            f"results are stored {PIECE} columns at once, so each part of a tile has a multiple of these; found "
            f"{columns} columns, parts: {parts}"
        )


def maps_of_operands(a: fx.Tensor, b: fx.Tensor, plan: Plan) -> tuple[Any, ...]:
    """For host code: of A and B, what loads their tiles, and their coordinates."""
    maps: list[Any] = []
    for operand, matrix, major in zip("ab", (a, b), plan.majors, strict=True):
        rows, is_shared = plan.brings(operand)
        layout = fx.nvvm.smem_layout(major, plan.dtype, (rows, plan.k))
        maps.append(fx.nvvm.make_tma_load(matrix, layout, multicast=is_shared))
    return tuple(maps)


class Places:
    """Where in C the values of a thread's vectors are."""

    def __init__(self, row: Any, column: Any, thread: Any) -> None:
        self.first_row = row + thread // 32 * 16 + thread % 32 // 4
        self.first_column = column + thread % 4 * 2

    def numbered(self, count: int) -> list[tuple[int, tuple[fx.Int32, fx.Int32]]]:
        """The number of each value with its row and column: two neighbours, two rows, and every eight columns again."""
        rows, columns = (self.first_row, self.first_row + 8), self.first_column
        return [(i, (rows[i // 2 % 2], columns + i // 4 * 8 + i % 2)) for i in range(count)]


class Ring:
    """Stages of shared memory, with a tile of A and one of B each, or what an epilogue reads."""

    def __init__(self, memory: fx.SharedAllocator, plan: Plan, rank: Any = 0) -> None:
        """`rank`: of the block in its cluster, where blocks share tiles."""
        if plan.stages < 2:
            raise ValueError(f"a stage is handed back when the next is there: no room for two of {plan}")
        self.plan, self.rank = plan, rank
        tiles = memory.allocate(fx.Array[plan.dtype, plan.stages * (plan.m + plan.n) * plan.k], 1024)
        self.a, self.b = tiles.ptr, tiles.ptr + plan.stages * plan.m * plan.k
        barriers = memory.allocate(fx.Array[fx.Int64, 2 * plan.stages]).ptr
        self.pipeline = fx.nvvm.PipelineTma(barriers, plan.stages, plan.groups * plan.share)

    def state(self) -> Any:
        return self.pipeline.state()

    def init(self, maps: tuple[Any, ...]) -> None:
        """Make the barriers, and have the maps ready; by one thread, in front of a barrier of the block."""
        self.pipeline.init()
        fx.nvvm.fence_mbarrier_init()
        for load, _ in maps:
            fx.nvvm.prefetch_tensor_map(load)

    def bring(self, state: Any, operands: tuple[Any, Any], tiles: tuple[Any, Any], steps: tuple[Any, Any]) -> Any:
        """Have the copy engine bring tiles of A and B, as soon as stages are empty; by one thread.

        `tiles` are the tile's coordinates in each operand but along K, where it is those from steps[0] to steps[1]; of
        a shared operand, this block's part of it.
        """
        plan = self.plan
        parts = tuple(zip("ab", operands, tiles, (self.a, self.b), (plan.m, plan.n), strict=True))
        arriving = sum(load.tile_bytes * (plan.share if plan.brings(name)[1] else 1) for name, (load, _), *_ in parts)
        for step in range(steps[0], steps[1]):
            full = self.pipeline.acquire(state, arriving)
            for name, (load, operand), (row, *rest), stages, rows in parts:
                brought, is_shared = plan.brings(name)
                start, tile = stages + state.stage * (rows * plan.k), operand[None, (row, step, *rest)]
                if fx.const_expr(is_shared):
                    part = start + self.rank * (brought * plan.k)
                    fx.copy(load, tile, part, mbar=full, mask=(1 << plan.share) - 1)
                else:
                    fx.copy(load, tile, start, mbar=full)
            state = state.next()
        return state

    def release(self, stage: Any, thread: Any) -> None:
        """Hand a stage back to all blocks that bring something there; by the threads of a group."""
        if thread < self.plan.share:
            if fx.const_expr(self.plan.share > 1):
                fx.nvvm.mbarrier_arrive(self.pipeline.empty(stage), rank=thread)
            else:
                self.pipeline.release(stage)


def aligned(start: fx.Pointer, dtype: Any, multiple: int = 1024) -> fx.Pointer:
    """A place in shared memory that was computed, and is a multiple of so many bytes: accesses may be wide."""
    return fx.recast_iter(fx.PointerType.get(dtype, fx.AddressSpace.Shared, multiple), start)


class Group:
    """Four warps that multiply: their sums, and their way from sums to results."""

    def __init__(self, ring: Ring, results: Any, number: Any, columns: int | None = None) -> None:
        """`columns`: of stages whose tiles of B have fewer than the plan's, those that are there."""
        self.ring, self.results, self.number, plan = ring, results, number, ring.plan
        self.thread, self.columns = fx.thread_idx.x % GROUP_THREADS, columns or plan.n
        self.mma = plan.mma(self.columns, plan.groups)
        threads = self.mma.get_slice(number * GROUP_THREADS)  # of whole groups: shared memory is all threads'
        layouts = (
            fx.nvvm.smem_layout(major, plan.dtype, (rows, plan.k, plan.stages))
            for major, rows in zip(plan.majors, (plan.m, plan.n), strict=True)
        )
        layout_a, layout_b = layouts
        b = fx.zipped_divide(ring.b.view(layout_b), (self.columns, plan.k, plan.stages))[None, 0]
        self.a, self.b = threads.partition_A(ring.a.view(layout_a)), threads.partition_B(b)
        self.sums = fx.make_rmem_tensor(registers(self.columns), fx.Float32)
        self.part = plan.mma(PIECE, 1).get_slice(self.thread)

    def sync(self) -> None:
        """Wait for the other threads of the group."""
        fx.nvvm.named_barrier_sync(self.number + 1, GROUP_THREADS)

    def multiply(self, state: Any, steps: Any) -> Any:
        """Sum up the products of what `steps` stages bring; one is handed back when those of the next are under way."""
        pipeline, previous = self.ring.pipeline, state.stage
        self.sums.fill(0)
        for step in range(steps):
            pipeline.wait(state)
            stage = state.stage
            fx.gemm(self.mma, self.sums, self.a[None, None, None, stage], self.b[None, None, None, stage], self.sums)
            fx.nvvm.sm90.wgmma_commit()
            fx.nvvm.sm90.wgmma_wait(1)
            if step > 0:
                self.ring.release(previous, self.thread)
            previous = stage
            state = state.next()
        fx.nvvm.sm90.wgmma_wait(0)
        self.ring.release(previous, self.thread)
        return state

    def piece(self, number: int) -> fx.Vector:
        """The sums of 64 columns."""
        return fx.make_view(fx.get_iter(self.sums) + number * PIECE // 2, registers(PIECE)).load()

    def store(self, state: Any, put: Any, place: tuple[Any, Any], epilogue: Epilogue, extras: Any = None) -> Any:
        """Make results of all sums; `place` is the group's in pieces of C, and `put(buffer, column)` stores one."""
        for number in fx.range_constexpr(self.columns // PIECE):
            column = place[1] + number
            places = Places(place[0] * GROUP_ROWS, column * PIECE, self.thread)
            read: list[fx.Vector] = []
            if fx.const_expr(extras):
                read = extras.read(self, state, number)
            buffer = self.write(epilogue(self.piece(number), places, *read), number)
            if fx.const_expr(extras):
                state = extras.release(self, state, number)
            put(buffer, column)
        return state

    def to_tiles(self, target: tuple[Any, Any], row: Any) -> Callable[[fx.Pointer, Any], None]:
        """What has the copy engine store pieces of a row, as groups of this thread's that `write` waits for."""
        store, tiles = target

        def put(buffer: fx.Pointer, column: Any) -> None:
            if self.thread == 0:
                fx.copy(store, buffer, tiles[None, (row, column)])
                fx.nvvm.bulk_commit_group()

        return put

    def write(self, values: fx.Vector, number: int, width: int = PIECE) -> fx.Pointer:
        """Round a piece of results to a buffer, from where the copy engine stores it."""
        result = self.ring.plan.result
        buffers = self.ring.plan.buffers
        place = (self.number * buffers + number % buffers) * (GROUP_ROWS * PIECE)
        buffer = aligned(self.results.ptr + place, result)
        rounded = fx.make_rmem_tensor(registers(width), result)
        rounded.store(values.to(result))
        if self.thread == 0:  # of an odd number of pieces the last and, of the next tile, the first have one buffer
            is_even = self.columns // PIECE % buffers == 0
            fx.nvvm.bulk_wait_group(buffers - 1 if is_even else 0, read=True)
        self.sync()
        view = buffer.view(fx.nvvm.smem_layout("k", result, (GROUP_ROWS, width)))
        part = self.ring.plan.mma(width, 1).get_slice(self.thread).partition_C(view)
        fx.copy(fx.make_copy_atom(fx.UniversalCopy32b(), result), rounded, part)
        fx.nvvm.fence_proxy_async()
        self.sync()
        return buffer


def registers(columns: int) -> fx.Layout:
    """What a thread has of 64 rows of sums."""
    return fx.make_layout(((2, 2, columns // 8), 1, 1))
