"""Prefixes that a function of the caller gives for a scan of a block."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from flydsl.expr.gpu import barrier
from flydsl.expr.threads.shuffle import shuffle_idx
from flydsl.extension.coop.block.block import Block
from flydsl.extension.coop.block.rewritten import rewritten
from flydsl.extension.coop.block.storage import array_of, load
from flydsl.extension.coop.block.threads import store_if
from flydsl.extension.coop.elements import exchanged
from flydsl.extension.coop.warp.shuffles import like

if TYPE_CHECKING:
    from flydsl.expr.numeric import Boolean
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.block.scan import BlockScan


def seeded(
    cls: type[BlockScan], block: Block, callback: Callable[[Item], object], aggregate: Item, storage: object
) -> Item:
    """What `callback` gives in lane 0 of the first warp, in every thread."""
    if block.warps == 1:
        given = like(callback(aggregate), aggregate)
        return exchanged(given, lambda part: shuffle_idx(part, 0, block.lanes))
    slots = array_of(storage, "slots", cls.SharedStorage)
    seed = rewritten(_called)(block.warp == 0, callback, aggregate)
    barrier()  # all have read the slots
    store_if(block.thread == 0, slots, 0, seed)
    barrier()
    return load(slots, 0)


def _called(is_first: Boolean, callback: Callable[[Item], object], aggregate: Item) -> Item:
    seed = aggregate
    if is_first:
        seed = like(callback(aggregate), aggregate)
    return seed
