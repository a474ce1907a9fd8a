"""Exchanges of items between the threads of a block through shared memory: other arrangements, and any ranks.

Of n items a thread, item i of thread t is at t * n + i where the arrangement is blocked, at t + i * threads where it is
striped, and striped within the items of its warp where it is warp-striped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from flydsl.base.errors import FrontendError
from flydsl.expr.gpu import barrier
from flydsl.expr.memory.storage import Storage
from flydsl.expr.numeric import Boolean, Int32
from flydsl.extension.coop.block.items import all_items, items_of
from flydsl.extension.coop.block.positions import blocked, striped, warp_striped
from flydsl.extension.coop.block.sized import SizedBlock
from flydsl.extension.coop.block.storage import array_of, load
from flydsl.extension.coop.block.threads import store_if

if TYPE_CHECKING:
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.block.items import Formed
    from flydsl.extension.coop.block.positions import Positions


class BlockExchange(SizedBlock):
    """`P = BlockExchange[dtype, block_size, n]`: n items a thread in another arrangement, as in
    `P.blocked_to_striped(items, storage=s)`; `s` as for `BlockReduce`, with `n * threads` elements.

    All threads call it; the next use of the storage needs a barrier before.
    """

    slots_of_item: ClassVar[int] = 1

    @classmethod
    def blocked_to_striped(cls, items: object, *, storage: object) -> Item:
        """Blocked items, striped."""
        return _exchanged(cls, items, storage, blocked, striped)

    @classmethod
    def striped_to_blocked(cls, items: object, *, storage: object) -> Item:
        """Striped items, blocked."""
        return _exchanged(cls, items, storage, striped, blocked)

    @classmethod
    def blocked_to_warp_striped(cls, items: object, *, storage: object) -> Item:
        """Blocked items, striped within each warp."""
        return _exchanged(cls, items, storage, blocked, warp_striped)

    @classmethod
    def warp_striped_to_blocked(cls, items: object, *, storage: object) -> Item:
        """Items striped within each warp, blocked."""
        return _exchanged(cls, items, storage, warp_striped, blocked)

    @classmethod
    def scatter_to_blocked(cls, items: object, ranks: Sequence[Item], *, storage: object) -> Item:
        """Each item at the position that its rank says, blocked; the ranks are all positions."""
        return _scattered(cls, items, ranks, storage, blocked)

    @classmethod
    def scatter_to_striped(cls, items: object, ranks: Sequence[Item], *, storage: object) -> Item:
        """Each item at the position that its rank says, striped; the ranks are all positions."""
        return _scattered(cls, items, ranks, storage, striped)

    @classmethod
    def scatter_to_striped_guarded(
        cls, items: object, ranks: Sequence[Item], *, storage: object, default: object = 0
    ) -> Item:
        """The same for items whose rank is not negative; `default` at positions that no rank names."""
        flags = [Int32(rank) >= 0 for rank in ranks]
        return _scattered(cls, items, ranks, storage, striped, flags, default)

    @classmethod
    def scatter_to_striped_flagged(
        cls, items: object, ranks: Sequence[Item], flags: Sequence[Item], *, storage: object, default: object = 0
    ) -> Item:
        """The same for items whose flag is true."""
        return _scattered(cls, items, ranks, storage, striped, [Boolean(flag) for flag in flags], default)


def _exchanged(cls: type[BlockExchange], given: object, storage: object, before: Positions, after: Positions) -> Item:
    items, formed = _items(cls, given)
    slots, block = array_of(storage, "slots", cls.SharedStorage), cls.block()
    for index, item in zip(before(block, cls.items), items, strict=True):
        slots[index] = item
    barrier()
    return formed([load(slots, index) for index in after(block, cls.items)])


def _scattered(
    cls: type[BlockExchange],
    given: object,
    ranks: Sequence[Item],
    storage: object,
    after: Positions,
    flags: Sequence[Boolean] = (),
    default: object = None,
) -> Item:
    items, formed = _items(cls, given)
    if len(ranks) != len(items):
        raise FrontendError(f"{cls.__name__} takes a rank for each of {len(items)} items, found {len(ranks)}")
    slots, block = array_of(storage, "slots", cls.SharedStorage), cls.block()
    if flags:
        filling, _ = items_of(default, cls.dtype)
        for index in striped(block, cls.items):
            slots[index] = filling[0]
        barrier()
    _store_all(slots, ranks, items, flags)
    barrier()
    return formed([load(slots, index) for index in after(block, cls.items)])


def _store_all(slots: Storage, ranks: Sequence[Item], items: Sequence[Item], flags: Sequence[Boolean]) -> None:
    for index, (rank, item) in enumerate(zip(ranks, items, strict=True)):
        if flags:
            store_if(flags[index], slots, Int32(rank), item)
        else:
            slots[Int32(rank)] = item


def _items(cls: type[BlockExchange], given: object) -> tuple[list[Item], Formed]:
    cls.require("an exchange")
    return all_items(cls, given, "exchanges", "thread")
