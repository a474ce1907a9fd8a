"""Lanes of a warp's groups: their number, and which of them the block fills with threads."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from flydsl.base.errors import OperandError
from flydsl.expr.gpu import block_dim, thread_idx
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numeric import Int32
from flydsl.expr.threads.shuffle import lane_id
from flydsl.expr.tracing.context import current
from flydsl.extension.coop.block.threads import linear_thread

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike


def group_width(width: IntLike | None) -> int:
    """The lanes of a group; OperandError (a ValueError) unless they are a power of two up to the warp."""
    warp = current().target.warp_size
    if width is None:
        return warp
    lanes = known_integer(width)
    if isinstance(lanes, bool) or not isinstance(lanes, int) or not 1 <= lanes <= warp or lanes & (lanes - 1):
        raise OperandError(
            f"width is a power of two known while tracing, up to the {warp} lanes of a warp, found {width!r}"
        )
    return lanes


def lane_of(group: int) -> Int32:
    """This lane's index in its group."""
    return lane_id() % group


def are_full(group: int) -> bool:
    """Whether every group of so many lanes that has a thread is known to be full."""
    size = current().block_size
    return group == 1 or (size is not None and prod(size) % group == 0)


def filled(group: int) -> Int32 | None:
    """How many first lanes of this thread's group have threads; None where that is known to be all of them.

    A block whose threads are no multiple of the group leaves lanes of its last group empty.
    """
    if are_full(group):
        return None
    size = current().block_size
    threads = block_dim.x * block_dim.y * block_dim.z if size is None else Int32(prod(size))
    if size is not None and prod(size) < group:
        return threads
    rest = threads - (_thread(size) & -group)
    return Int32((rest < group).select(rest, group))


def last_counted(valid_items: IntLike | None, group: int, threads: Int32 | None) -> IntLike:
    """The index of the last lane that counts; of a group without any, some lane. `threads` is what `filled` gives."""
    last = group - 1 if threads is None else threads - 1
    if valid_items is None:
        return last
    valid = Int32(valid_items)
    return Int32((valid - 1 < last).select((valid > 0).select(valid - 1, 0), last))


def require_thread(lane: IntLike, group: int) -> None:
    """OperandError (a ValueError) where it is known that a group has no thread in this lane."""
    size, index = current().block_size, known_integer(lane)
    if size is None or not isinstance(index, int):
        return
    threads = prod(size) % group
    if threads and index >= threads:
        raise OperandError(
            f"lane {index} of the last group of {group} lanes has no thread: a block of {prod(size)} threads leaves it "
            f"{threads}"
        )


def _thread(size: tuple[int, ...] | None) -> Int32:
    """This thread's index in its block."""
    if size is None:
        return thread_idx.x + block_dim.x * (thread_idx.y + block_dim.y * thread_idx.z)
    return linear_thread((*size, 1, 1)[:3])  # type: ignore[arg-type]
