"""A sorting network over the items of a group of lanes: Batcher's bitonic one, in which the lower position always gets
the smaller key.

Each merge begins with an exchange with the mirrored position, so that no run is the other way round. What is missing at
the end, in lanes without threads, then counts as larger than all, and is never exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from flydsl.expr.numeric import Boolean, Int32
from flydsl.expr.threads.shuffle import shuffle_idx, shuffle_xor
from flydsl.extension.coop.elements import chosen, exchanged
from flydsl.extension.coop.warp.lanes import filled, lane_of

if TYPE_CHECKING:
    from flydsl.extension.coop.operators import Element
    from flydsl.extension.coop.order import Compared


class Entry(NamedTuple):
    """A key with its position before the sort."""

    key: Any
    place: Any


class Order(NamedTuple):
    """Whether one entry goes behind another; those from `limit` on go behind all."""

    before: Compared
    limit: Int32

    def is_behind(self, a: Entry, b: Entry) -> Boolean:
        """Whether a goes behind b; of equal keys the one that was behind before."""
        first, second = Boolean(self.before(a.key, b.key)), Boolean(self.before(b.key, a.key))
        later = Boolean(a.place > b.place)
        of_keys = second | (~first & later)
        are_keys = (a.place < self.limit) & (b.place < self.limit)
        return Boolean(are_keys.select(of_keys, later))  # positions from the limit on are the larger ones


class SortedLanes(NamedTuple):
    """The lanes of a group with `items` each; `threads` is what `filled` gives."""

    group: int
    items: int
    is_blocked: bool
    threads: Int32 | None
    lane: Int32

    @classmethod
    def of(cls, group: int, count: int, *, is_blocked: bool) -> SortedLanes:
        """The lanes of this thread's group."""
        return cls(group, count, is_blocked or count == 1, filled(group), lane_of(group))

    def positions(self) -> list[Int32]:
        """Where the items of this lane are among those of the group."""
        if self.is_blocked:
            return [Int32(self.lane * self.items + k) for k in range(self.items)]
        lanes = self.group if self.threads is None else self.threads
        return [Int32(self.lane + k * lanes) for k in range(self.items)]

    def at(self, places: Sequence[Int32], items: Sequence[Element]) -> list[Element]:
        """The items of the group that were at `places`."""
        if self.is_blocked:
            return [self._read(items, place // self.items, place % self.items) for place in places]
        lanes = self.group if self.threads is None else self.threads
        return [self._read(items, place % lanes, place // lanes) for place in places]

    def sorted(self, entries: list[Entry], order: Order) -> list[Entry]:
        """The entries in their order."""
        network = self if self.threads is None else self._replace(is_blocked=True)  # nothing is missing in between
        size = 2
        while size <= self.group * self.items:
            entries = network._exchanged(entries, size - 1, order)
            distance = size // 4
            while distance:
                entries = network._exchanged(entries, distance, order)
                distance //= 2
            size *= 2
        if network.is_blocked == self.is_blocked:
            return entries
        parts = (network.at(self.positions(), part) for part in zip(*entries, strict=True))
        return [Entry(*pair) for pair in zip(*parts, strict=True)]

    def _exchanged(self, entries: list[Entry], mask: int, order: Order) -> list[Entry]:
        """Entries whose positions differ by `mask` put into order."""
        of_item, of_lane = (mask % self.items, mask // self.items) if self.is_blocked else divmod(mask, self.group)
        if not of_lane:
            return self._exchanged_in_lane(entries, of_item, order)
        is_upper = Boolean((self.lane & (1 << of_lane.bit_length() - 1)) != 0)
        is_there = None if self.threads is None else Boolean((self.lane ^ of_lane) < self.threads)
        others = [self._moved(entries[k ^ of_item], of_lane) for k in range(self.items)]  # at a time: one wait for all
        results = []
        for k, (entry, other) in enumerate(zip(entries, others, strict=True)):
            if self.is_blocked or not of_item:
                pair = (_either(is_upper, other, entry), _either(is_upper, entry, other))
            else:
                pair = (entry, other) if k < k ^ of_item else (other, entry)
            wrong = order.is_behind(*pair)
            results.append(_either(wrong if is_there is None else wrong & is_there, other, entry))
        return results

    def _exchanged_in_lane(self, entries: list[Entry], of_item: int, order: Order) -> list[Entry]:
        results = list(entries)
        for k, entry in enumerate(entries):
            if k < k ^ of_item:
                other = entries[k ^ of_item]
                wrong = order.is_behind(entry, other)
                results[k], results[k ^ of_item] = _either(wrong, other, entry), _either(wrong, entry, other)
        return results

    def _moved(self, entry: Entry, of_lane: int) -> Entry:
        return Entry(*(exchanged(part, lambda number: shuffle_xor(number, of_lane, self.group)) for part in entry))

    def _read(self, items: Sequence[Element], lane: Int32, index: Int32) -> Element:
        """The item `index` of another lane."""
        found = [exchanged(item, lambda number: shuffle_idx(number, lane, self.group)) for item in items]
        result = found[-1]
        for k in reversed(range(len(found) - 1)):
            result = chosen(Boolean(index == k), found[k], result)
        return result


def _either(condition: Boolean, if_true: Entry, if_false: Entry) -> Entry:
    return Entry(*(chosen(condition, a, b) for a, b in zip(if_true, if_false, strict=True)))
