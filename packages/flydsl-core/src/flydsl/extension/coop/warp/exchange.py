"""Exchanges of items between the lanes of a group by shuffles: other arrangements, and any ranks.

Of n items a lane, item i of lane l is at l * n + i where the arrangement is blocked, at l + i * width where it is
striped. In a group that the block does not fill, `width` here is how many threads it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numeric import Int32
from flydsl.extension.coop.block.items import all_items, items_of
from flydsl.extension.coop.specialisation import Specialised, element_type, item_count
from flydsl.extension.coop.warp.lanes import group_width
from flydsl.extension.coop.warp.network import SortedLanes
from flydsl.extension.coop.warp.sorts import warp_bitonic_sort
from flydsl.extension.coop.warp.specialisation import WarpSpecialisation

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import StorableType
    from flydsl.expr.values.traced_types import Item


class ItemsOfWarp(Specialised):
    """An algorithm of groups of `width` lanes, by default of the warp, with `items` items each."""

    algorithms: ClassVar[type[Enum] | None] = None
    dtype: ClassVar[Any]
    width: ClassVar[int | None]
    items: ClassVar[int]
    algorithm: ClassVar[Any]

    @classmethod
    def _specialisation(
        cls, dtype: StorableType, width: object = None, items: object = 1, algorithm: object = None
    ) -> WarpSpecialisation:
        count, known = item_count(cls, items, "lane"), cls.algorithms
        if known is not None and algorithm is None:
            algorithm = next(iter(known))
        if not isinstance(algorithm, known or type(None)):
            takes = "has no algorithms" if known is None else f"takes a {known.__name__}"
            raise FrontendError(f"{cls.__name__} {takes}, found {algorithm!r}")
        kind, lanes = element_type(cls, dtype), known_integer(width)
        return WarpSpecialisation(dtype=kind, width=lanes, items=count, algorithm=algorithm)

    @classmethod
    def lanes(cls, *, is_blocked: bool) -> SortedLanes:
        """The lanes of this thread's group, with items in an arrangement."""
        return SortedLanes.of(group_width(cls.width), cls.items, is_blocked=is_blocked)

    @classmethod
    def rearranged(cls, items: Sequence[Item], *, is_blocked: bool) -> list[Item]:
        """Items of the other arrangement, in this one."""
        return cls.lanes(is_blocked=not is_blocked).at(cls.lanes(is_blocked=is_blocked).positions(), items)


class WarpExchange(ItemsOfWarp):
    """`WarpExchange[dtype, width, n]`: n items a lane in another arrangement, as in `P.blocked_to_striped(items)`.

    All lanes of the group call it; no shared memory takes part, and `storage` is not needed.
    """

    @classmethod
    def blocked_to_striped(cls, items: object, *, storage: object = None) -> Item:
        """Blocked items, striped."""
        return cls._exchanged("blocked_to_striped", items, is_blocked=False)

    @classmethod
    def striped_to_blocked(cls, items: object, *, storage: object = None) -> Item:
        """Striped items, blocked."""
        return cls._exchanged("striped_to_blocked", items, is_blocked=True)

    @classmethod
    def scatter_to_striped(cls, items: object, ranks: Any, *, storage: object = None) -> Item:
        """Each item at the position that its rank says, striped; the ranks are all positions, n is a power of two."""
        cls.require("scatter_to_striped")
        given, formed = items_of(items, cls.dtype)
        places, _ = items_of(ranks, Int32)
        if len(given) != cls.items or len(places) != cls.items:
            raise FrontendError(
                f"{cls.__name__} takes {cls.items} items a lane and a rank for each, found {len(given)}, {len(places)}"
            )
        return formed(warp_bitonic_sort(places, given, width=cls.width)[1])

    @classmethod
    def _exchanged(cls, method: str, items: object, *, is_blocked: bool) -> Item:
        cls.require(method)
        given, formed = all_items(cls, items, "exchanges", "lane")
        return formed(cls.rearranged(given, is_blocked=is_blocked))
