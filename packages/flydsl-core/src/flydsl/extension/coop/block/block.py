"""The calling thread in its block of a known size, and its warp's functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from flydsl.base.errors import OperandError
from flydsl.expr.numeric import Int32
from flydsl.extension.coop.block.launched import require_block
from flydsl.extension.coop.block.threads import linear_thread

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.block._spec import BlockSpecialised
    from flydsl.extension.coop.operators import ReduceOptions, WarpFunctions


class Block(NamedTuple):
    """Indices of this thread, and the extents of the block."""

    thread: Int32
    warp: Int32
    lane: Int32
    lanes: int
    warps: int
    threads: int
    functions: WarpFunctions
    """What has `warp_reduce` and the scans."""

    @classmethod
    def of(cls, algorithm: type[BlockSpecialised]) -> Block:
        """The block of a specialised algorithm, which is the one that the kernel is launched with."""
        require_block(algorithm.__name__.partition("[")[0], algorithm.block_size)
        thread, lanes = linear_thread(algorithm.block_size), algorithm.warp_threads
        threads = algorithm.block_threads
        return cls(thread, thread // lanes, thread % lanes, lanes, algorithm.num_warps, threads, algorithm.warp_ops)

    @property
    def is_whole(self) -> bool:
        """Whether all warps have as many threads as lanes."""
        return self.threads == self.lanes * self.warps

    @staticmethod
    def extra(identity: object, valid: Int32 | None = None) -> ReduceOptions:
        """Keywords for functions of warps, where something was said."""
        options: ReduceOptions = {} if identity is None else {"identity": identity}
        return options if valid is None else {**options, "valid_items": valid}

    def warp_reduce(self, value: Item, op: object, identity: object, valid: Int32 | None) -> Item:
        """A reduction within this thread's warp, of its first `valid` lanes."""
        return self.functions.warp_reduce(value, op, width=self.lanes, **self.extra(identity, valid))

    def warp_scan(self, value: Item, op: object, identity: object, valid: Int32 | None) -> tuple[Item, Item, Item]:
        """Scans and aggregate of this thread's warp, whose first `valid` lanes count in the aggregate."""
        three: tuple[Item, Item, Item] = self.functions.warp_scan_with_aggregate(
            value, op, width=self.lanes, **self.extra(identity, valid)
        )
        return three


def valid_in_block(valid_items: IntLike, items: Sequence[Item], block: Block) -> Int32:
    """How many first threads take part; OperandError (a ValueError) where threads have several items."""
    if len(items) != 1:
        raise OperandError(f"valid_items counts threads with one item each, found {len(items)} items")
    return Int32(valid_items)
