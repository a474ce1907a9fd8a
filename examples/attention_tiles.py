"""How attention forward on Hopper is cut: blocks of queries and keys, which block does what, and in what order.

A group of four warps has 64 queries. Where each block does one part, parts begin as others end, and the last of them
may leave most multiprocessors idle: `cut` makes these short where that saves time. Blocks that stay, one a
multiprocessor, do part after part, and bring for the next while they store for the last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from warp_groups import ROWS

import flydsl.expr as fx

__all__ = ["PLANS", "Parts", "Plan", "States", "Task", "cut", "each_task", "plan_of"]


class Plan(NamedTuple):
    """How heads of so many channels are taken: by how many groups of warps, how many keys at once, and by what blocks.

    Blocks that stay have memory of their own for results. `splits`: the last queries of a head may be those of blocks
    in which one group alone has work. Both are for attention that is not causal, whose parts are all as long.
    """

    depth: int
    groups: int
    keys: int
    stays: bool = False
    splits: bool = False

    @property
    def queries(self) -> int:
        return self.groups * ROWS

    @property
    def piece(self) -> int:
        """Columns of results that the copy engine stores at once: those of a swizzle."""
        return min(self.depth & -self.depth, 64)


_ALL = Plan(64, 3, 128, splits=True), Plan(96, 2, 128, stays=True), Plan(128, 2, 128, stays=True), Plan(256, 2, 64)
PLANS = {plan.depth: plan for plan in _ALL}


def plan_of(depth: int, causal: bool) -> Plan:
    if depth not in PLANS:
        raise ValueError(f"attention is of heads of {', '.join(map(str, PLANS))} channels, found {depth}")
    return PLANS[depth]._replace(stays=False, splits=False) if causal else PLANS[depth]


class Task(NamedTuple):
    """A part of the work: queries of a head, 64 a group, and how often it is brought keys."""

    plan: Plan
    keys: Any  # of the head
    causal: bool
    head: Any
    first: Any  # 64 queries, by number
    groups: Any  # that have queries
    count: Any

    def is_for(self, group: Any) -> Any:
        return group < self.groups if self.plan.splits else True


class Parts(NamedTuple):
    """All parts of heads (rows) and blocks (columns); each head has `whole` parts in which all groups have queries."""

    plan: Plan
    causal: bool
    keys: Any
    whole: Any
    scheduler: fx.nvvm.TileScheduler

    def task(self, number: Any) -> Task:
        plan, count = self.plan, fx.Int32(fx.ceil_div(self.keys, self.plan.keys))
        if fx.const_expr(plan.splits):
            return Task(plan, self.keys, self.causal, *self._long_or_short(number), count)
        head, block = self.scheduler.tile_coord(number)
        if fx.const_expr(self.causal):
            block = self.scheduler.columns - 1 - block  # blocks with most keys begin first
            count = fx.min(count, fx.Int32(fx.ceil_div((block + 1) * plan.queries, plan.keys)))
        return Task(plan, self.keys, self.causal, head, block * plan.groups, plan.groups, count)

    def _long_or_short(self, number: Any) -> tuple[Any, Any, Any]:
        """A part's head, its first queries and its groups: the long parts of all heads come first, then short ones."""
        groups, long, select = self.plan.groups, self.scheduler.rows * self.whole, fx.arith.select
        is_long = number < long
        of_head = select(is_long, self.whole, self.scheduler.columns - self.whole)
        place = select(is_long, number, number - long)
        head, block = place // of_head, place % of_head
        first = select(is_long, block * groups, self.whole * groups + block)
        return head, first, select(is_long, fx.Int32(groups), fx.Int32(1))


class States(NamedTuple):
    """Which stage of queries, and of keys and values, is next."""

    q: fx.nvvm.PipelineState
    k: fx.nvvm.PipelineState


def each_task(parts: Parts, states: States, do: Callable[[Task, States], States]) -> None:
    """`do` each part of this block's, one or, if it stays, all that the number of blocks leads to."""
    if fx.const_expr(parts.plan.stays):
        for number in range(fx.block_idx.x, parts.scheduler.tiles, fx.grid_dim.x):
            states = do(parts.task(number), states)
    else:
        do(parts.task(fx.block_idx.x), states)


def cut(plan: Plan, heads: Any, queries: Any, multiprocessors: Any) -> tuple[Any, Any]:
    """Blocks of a head in which all groups have queries, and all its blocks.

    With a short block for each group of the last queries all blocks are done earlier if long ones would begin behind
    those of all other queries, and if no multiprocessor has more than one short block to do then: two take as long as
    a long one.
    """
    heads, queries = fx.Int32(heads), fx.Int32(queries)
    blocks = fx.Int32(fx.ceil_div(queries, plan.queries))
    if not plan.splits:
        return blocks, blocks
    whole = queries // plan.queries
    short = fx.Int32(fx.ceil_div(queries - whole * plan.queries, ROWS))
    idle = fx.Int32(fx.ceil_div(heads * whole, multiprocessors)) * multiprocessors - heads * whole
    is_shorter = (heads > idle) & (heads * short <= 2 * idle + multiprocessors)
    return fx.arith.select(is_shorter, whole, blocks), fx.arith.select(is_shorter, whole + short, blocks)
