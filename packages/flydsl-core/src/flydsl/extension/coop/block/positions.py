"""Positions of a thread's items among those of its block."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from flydsl.expr.numeric import Int32
from flydsl.extension.coop.block.block import Block

Positions: TypeAlias = Callable[[Block, int], list[Int32]]


def blocked(block: Block, count: int) -> list[Int32]:
    """One after the other: those of thread t begin at t * count."""
    return [block.thread * count + k for k in range(count)]


def striped(block: Block, count: int) -> list[Int32]:
    """As far apart as there are threads."""
    return [block.thread + k * block.threads for k in range(count)]


def warp_striped(block: Block, count: int) -> list[Int32]:
    """As far apart as the thread's warp has threads, within the items of the warp."""
    first = block.warp * (block.lanes * count) + block.lane
    last = block.warps - 1
    rest = block.threads - last * block.lanes
    lanes = block.lanes if block.is_whole else (block.warp == last).select(rest, block.lanes)
    return [Int32(first + k * lanes) for k in range(count)]
