"""Runs of a block's values in shared memory, one for each lane of the first warp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.expr.memory.storage import Storage
from flydsl.expr.numeric import Boolean, Int32
from flydsl.extension.coop.block.block import Block
from flydsl.extension.coop.block.threads import load_if

if TYPE_CHECKING:
    from flydsl.expr.values.traced_types import Item


def is_in_run(block: Block, position: Int32) -> Boolean:
    """Whether this lane has a value at a position of its run: the others compute what nobody uses."""
    in_first = block.warp == 0
    return in_first if block.is_whole else in_first & (position < block.threads)


def run_of_lane(block: Block, slots: Storage, otherwise: Item) -> tuple[Int32, list[Item]]:
    """Where the run of this lane begins, and its values, as many as there are warps."""
    first = Int32(block.lane * block.warps)
    positions = [Int32(first + index) for index in range(block.warps)]
    return first, [load_if(is_in_run(block, position), slots, position, otherwise) for position in positions]


def counted(block: Block, valid: Int32 | None) -> Int32 | None:
    """How many of the block's first values count, None where all lanes have whole runs."""
    if block.is_whole:
        return valid
    threads = Int32(block.threads)
    return threads if valid is None else Int32((valid < threads).select(valid, threads))
