"""What is around the long kernel of attention backward: short ones before and behind it, and how it adds to sums.

Sums for dQ of 64 queries lie in memory as the long kernel's threads have them: a group of warps has half of the columns
of dQ, and 16 bytes of each of its threads are neighbours.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from warp_groups import GROUP_THREADS, LOG2_E, ROWS, accumulators, store_rows

import flydsl.compiler as flyc
import flydsl.expr as fx

__all__ = [
    "GROUPS", "HELPERS", "QUERIES", "WIDTH", "Plan", "Task", "add_up", "finish_kernel", "plan_of", "scratch_shapes",
    "terms_kernel",
]  # fmt: skip

GROUPS, QUERIES = 2, 64  # of a block; that are brought at once
WIDTH = 256  # of the rows in which the copy engine adds to the sums
HELPERS = 256  # threads of a block
VECTOR = 8  # elements of 16 bytes
DEPTHS = (64, 128)
ACQUIRE, RELEASE, DEVICE = fx.AtomicOrdering.Acquire, fx.AtomicOrdering.Release, "device"


class Plan(NamedTuple):
    """What is known while compiling: channels of a head, and whether sums for dQ are added in a fixed order."""

    depth: int
    in_order: bool = False

    @property
    def tile(self) -> int:
        """Elements of queries that are brought at once."""
        return QUERIES * self.depth

    @property
    def half(self) -> int:
        """Elements of dQ of these queries to which a group adds: half of the columns."""
        return self.tile // GROUPS

    @property
    def columns(self) -> int:
        """Of such a half."""
        return self.depth // GROUPS

    @property
    def scale(self) -> float:
        return 1 / math.sqrt(self.depth)


def plan_of(depth: int, in_order: bool = False) -> Plan:
    if depth not in DEPTHS:
        raise ValueError(f"attention backward is of heads of {' or '.join(map(str, DEPTHS))} channels, found {depth}")
    return Plan(depth, in_order)


class Task(NamedTuple):
    """What a block does: its keys, number `block` of a head, and the queries that see them, of `members` heads."""

    plan: Plan
    keys: Any  # of all blocks
    causal: bool
    head: Any
    block: Any
    members: Any
    start: Any
    end: Any

    def tile(self, step: Any) -> Any:
        """Which queries come then, 64 each; in order the last ones first, as all blocks see these at the same time."""
        return self.start + self.end - 1 - step if self.plan.in_order else step


def add_up(task: Task, of_sums: tuple[Any, ...], turns: fx.Tensor | None, of_room: tuple[Any, ...], group: Any) -> None:
    """Have the copy engine add a group's halves of dQ to the sums, by one thread; in order, when its block's turn is.

    `turns` counts the blocks that have added to a half: those with lower numbers are before this one.
    """
    (add, sums), (ring, room), size, phase = of_sums, of_room, task.plan.half, fx.Int32(0)
    tiles = fx.zipped_divide(sums, (size // WIDTH, WIDTH))
    for member in range(task.members):
        for step in range(task.start, task.end):
            place = ((task.head * task.members + member) * task.end + task.tile(step)) * GROUPS + group
            fx.nvvm.mbarrier_wait(ring.empty(group), phase)
            if turns is not None:
                turn = fx.get_iter(turns) + place
                done = fx.generic_load(turn, memory_order=ACQUIRE, syncscope=DEVICE)
                while done != task.block:
                    done = fx.generic_load(turn, memory_order=ACQUIRE, syncscope=DEVICE)
            fx.copy(add, room + group * size, tiles[None, (place, 0)])
            fx.nvvm.bulk_commit_group()
            fx.nvvm.bulk_wait_group(read=True)
            fx.nvvm.mbarrier_arrive(ring.full(group))
            if turns is not None:
                fx.nvvm.bulk_wait_group()
                fx.atomic_add(fx.get_iter(turns) + place, 1, ordering=RELEASE, syncscope=DEVICE)
            phase = phase ^ 1
    fx.nvvm.bulk_wait_group()


@flyc.kernel
def terms_kernel(
    o: fx.Tensor, do: fx.Tensor, lse: fx.Tensor, terms: fx.Tensor, sums: fx.Tensor, turns: fx.Tensor | None,
    queries: fx.Int32, plan: fx.Constexpr[Plan],
) -> None:  # fmt: skip
    """Of 64 queries: -log2 of the sum of weights, -rowsum(dO O); of those that do not exist, what makes weights 0."""
    fx.nvvm.griddep_launch()
    block, head, thread = fx.Int32(fx.block_idx.x), fx.Int32(fx.block_idx.y), fx.thread_idx.x
    wide, lanes = fx.make_copy_atom(fx.UniversalCopy128b(), fx.BFloat16), plan.depth // VECTOR
    for step in fx.range_constexpr(QUERIES * lanes // HELPERS):
        inside = step * (HELPERS // lanes) + thread // lanes
        row = block * QUERIES + inside
        exists, row = row < queries, fx.min(row, queries - 1)
        products: list[fx.Vector] = []
        for tensor in (o, do):
            held = fx.make_rmem_tensor(VECTOR, fx.BFloat16)
            fx.copy(wide, fx.zipped_divide(tensor[head, row, None], fx.make_tile(VECTOR))[None, thread % lanes], held)
            products.append(held.load().to(fx.Float32))
        total: Any = (products[0] * products[1]).reduce(fx.ReductionOp.ADD)
        for distance in range(lanes.bit_length() - 1):
            total = total + fx.shuffle_xor(total, 1 << distance)
        if thread % lanes == 0:
            terms[head, block, 0, inside] = fx.arith.select(exists, -lse[head, row] * LOG2_E, fx.Float32(-math.inf))
            terms[head, block, 1, inside] = fx.arith.select(exists, -total, fx.Float32(0))
    fours, nothing = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32), fx.make_rmem_tensor(4, fx.Float32)
    nothing.fill(0)
    number = head * fx.Int32(fx.grid_dim.x) + block
    for step in fx.range_constexpr(plan.tile // (4 * HELPERS)):
        row = number * (plan.tile // WIDTH) + step * (4 * HELPERS // WIDTH)
        tiles = fx.zipped_divide(sums[row + thread // (WIDTH // 4), None], fx.make_tile(4))
        fx.copy(fours, nothing, tiles[None, thread % (WIDTH // 4)])
    if turns is not None and thread < GROUPS:
        turns[number * GROUPS + thread] = 0


@flyc.kernel
def finish_kernel(sums: fx.Tensor, store: Any, dq: fx.Tensor, plan: fx.Constexpr[Plan]) -> None:
    """The sums of 64 queries become dQ."""
    memory = fx.SharedAllocator().allocate(fx.Array[fx.BFloat16, plan.tile], 1024)
    block, head, group = fx.Int32(fx.block_idx.x), fx.Int32(fx.block_idx.y), fx.nvvm.warp_idx() // 4
    fx.nvvm.griddep_wait()
    row = ((head * fx.Int32(fx.grid_dim.x) + block) * GROUPS + group) * (plan.half // WIDTH)
    found, fours = accumulators(plan.columns), fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    own = fx.make_view(fx.get_iter(sums[row, None]), fx.make_layout((4, GROUP_THREADS, plan.columns // 8)))
    held = fx.make_view(fx.get_iter(found), fx.make_layout((4, plan.columns // 8)))
    fx.copy(fours, own[None, fx.thread_idx.x % GROUP_THREADS, None], held)
    found.store(found.load() * plan.scale)
    tiles = fx.zipped_divide(dq, (ROWS, plan.columns))
    store_rows(
        found, plan.columns, plan.columns, lambda _: memory.ptr + group * (ROWS * plan.columns), store,
        lambda _: tiles[None, (block, group, head)], group + 1,
    )  # fmt: skip
    fx.nvvm.bulk_wait_group(read=True)


def scratch_shapes(heads: int, queries: int, depth: int = 128) -> tuple[tuple[int, ...], ...]:
    """Shapes of `terms`, `sums` and `turns`."""
    blocks = -(-queries // QUERIES)
    return (heads, blocks, 2, QUERIES), (heads * blocks * QUERIES * depth // WIDTH, WIDTH), (heads * blocks * GROUPS,)
