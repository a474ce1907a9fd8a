"""The calling thread in its block of a known size, and its warp's functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from flydsl.base.errors import OperandError
from flydsl.expr.numeric import Int32
from flydsl.extension.coop.block.launched import require_block
from flydsl.extension.coop.block.threads import linear_thread
from flydsl.extension.coop.operators import Element

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike


class Block(NamedTuple):
    """Indices of this thread, and the extents of the block."""

    thread: Int32
    warp: Int32
    lane: Int32
    lanes: int
    warps: int
    threads: int
    functions: Any
    """What has `warp_reduce` and the scans."""

    @classmethod
    def of(cls, algorithm: Any) -> Block:
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
    def extra(identity: object, valid: Int32 | None = None) -> dict[str, object]:
        """Keywords for functions of warps, where something was said."""
        given = {"identity": identity, "valid_items": valid}
        return {name: value for name, value in given.items() if value is not None}

    def warp_reduce(self, value: Element, op: object, identity: object, valid: Int32 | None) -> Element:
        """A reduction within this thread's warp, of its first `valid` lanes."""
        return self.functions.warp_reduce(value, op, width=self.lanes, **self.extra(identity, valid))

    def warp_scan(
        self, value: Element, op: object, identity: object, valid: Int32 | None
    ) -> tuple[Element, Element, Element]:
        """Scans and aggregate of this thread's warp, whose first `valid` lanes count in the aggregate."""
        three: tuple[Element, Element, Element] = self.functions.warp_scan_with_aggregate(
            value, op, width=self.lanes, **self.extra(identity, valid)
        )
        return three


def valid_in_block(valid_items: IntLike, items: Sequence[Element], block: Block) -> Int32:
    """How many first threads take part; OperandError (a ValueError) where threads have several items."""
    if len(items) != 1:
        raise OperandError(f"valid_items counts threads with one item each, found {len(items)} items")
    return Int32(valid_items)
