"""Algorithms of blocks over neighbouring items: shifts, differences, and where runs begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flydsl.expr.gpu import barrier
from flydsl.expr.numeric import Boolean, Int32
from flydsl.extension.coop.block.items import all_items, items_of
from flydsl.extension.coop.block.sized import SizedBlock
from flydsl.extension.coop.block.storage import array_of, load
from flydsl.extension.coop.elements import chosen

if TYPE_CHECKING:
    from flydsl.expr.memory.storage import Storage
    from flydsl.expr.values.operand_types import IntLike
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.block.items import Formed
    from flydsl.extension.coop.order import Compared


class BlockShuffle(SizedBlock):
    """`P = BlockShuffle[dtype, block_size]`: items moved between the threads of a block through shared memory."""

    @classmethod
    def offset(cls, value: object, distance: IntLike = 1, *, storage: object) -> Item:
        """The value of the thread that is `distance` behind this one; outside of the block the thread's own."""
        own, slots, thread = _published(cls, value, storage)
        source = thread + Int32(distance)
        inside = (source >= 0) & (source < cls.block_threads)
        return chosen(inside, load(slots, inside.select(source, thread)), own)

    @classmethod
    def rotate(cls, value: object, distance: IntLike = 1, *, storage: object) -> Item:
        """The value of the thread that is `distance`, less than a block, behind this one; the first follow the last."""
        _, slots, thread = _published(cls, value, storage)
        return load(slots, (thread + Int32(distance) + cls.block_threads) % cls.block_threads)

    @classmethod
    def up(cls, items: object, *, storage: object) -> Item:
        """Blocked items moved up by one: each has the one before it, and the first of the block itself."""
        given, formed = _items(cls, items)
        left, is_first = _left(cls, given, storage)
        return formed([chosen(is_first, given[0], left), *given[:-1]])

    @classmethod
    def down(cls, items: object, *, storage: object) -> Item:
        """Blocked items moved down by one: each has the one behind it, and the last of the block itself."""
        given, formed = _items(cls, items)
        right, is_last = _right(cls, given, storage)
        return formed([*given[1:], chosen(is_last, given[-1], right)])


class BlockAdjacentDifference(SizedBlock):
    """`P = BlockAdjacentDifference[dtype, block_size, n]`: `op` of each blocked item and its neighbour."""

    @classmethod
    def subtract_left(cls, items: object, op: Compared, *, storage: object, tile_predecessor: object = None) -> Item:
        """`op(item, the one before)`; the first of the block stays, unless `tile_predecessor` is before it."""
        given, formed = _items(cls, items)
        left, is_first = _left(cls, given, storage)
        if tile_predecessor is not None:
            left = chosen(is_first, cls.dtype(tile_predecessor), left)
        results = [op(item, before) for item, before in zip(given, [left, *given[:-1]], strict=True)]
        if tile_predecessor is None:
            results[0] = chosen(is_first, given[0], results[0])
        return formed(results)

    @classmethod
    def subtract_right(cls, items: object, op: Compared, *, storage: object, tile_successor: object = None) -> Item:
        """`op(item, the one behind)`; the last of the block stays, unless `tile_successor` is behind it."""
        given, formed = _items(cls, items)
        right, is_last = _right(cls, given, storage)
        if tile_successor is not None:
            right = chosen(is_last, cls.dtype(tile_successor), right)
        results = [op(item, behind) for item, behind in zip(given, [*given[1:], right], strict=True)]
        if tile_successor is None:
            results[-1] = chosen(is_last, given[-1], results[-1])
        return formed(results)

    @classmethod
    def subtract_left_partial_tile(cls, items: object, op: Compared, valid_items: IntLike, *, storage: object) -> Item:
        """`subtract_left` of the first `valid_items` of the block; the others stay."""
        given, formed = _items(cls, items)
        return _kept(cls, given, cls.subtract_left(list(given), op, storage=storage), Int32(valid_items), formed)

    @classmethod
    def subtract_right_partial_tile(cls, items: object, op: Compared, valid_items: IntLike, *, storage: object) -> Item:
        """`subtract_right` of the first `valid_items` of the block, of which the last stays, as do the others."""
        given, formed = _items(cls, items)
        return _kept(cls, given, cls.subtract_right(list(given), op, storage=storage), Int32(valid_items) - 1, formed)


class BlockDiscontinuity(SizedBlock):
    """`P = BlockDiscontinuity[dtype, block_size, n]`: where runs of blocked items begin and end, as Booleans."""

    @classmethod
    def flag_heads(cls, items: object, op: Compared, *, storage: object) -> Item:
        """`op(the one before, item)`; true for the first of the block."""
        given, _ = _items(cls, items)
        left, is_first = _left(cls, given, storage)
        flags = [Boolean(op(before, item)) for before, item in zip([left, *given[:-1]], given, strict=True)]
        return _flags(items, [Boolean(is_first | flags[0]), *flags[1:]])

    @classmethod
    def flag_tails(cls, items: object, op: Compared, *, storage: object) -> Item:
        """`op(item, the one behind)`; true for the last of the block."""
        given, _ = _items(cls, items)
        right, is_last = _right(cls, given, storage)
        flags = [Boolean(op(item, behind)) for item, behind in zip(given, [*given[1:], right], strict=True)]
        return _flags(items, [*flags[:-1], Boolean(is_last | flags[-1])])

    @classmethod
    def flag_heads_and_tails(cls, items: object, op: Compared, *, storage: object) -> tuple[Item, Item]:
        """Both."""
        heads = cls.flag_heads(items, op, storage=storage)
        barrier()
        return heads, cls.flag_tails(items, op, storage=storage)


def _items(cls: type[SizedBlock], given: object) -> tuple[list[Item], Formed]:
    cls.require("a call")
    return all_items(cls, given, "takes", "thread")


def _published(cls: type[SizedBlock], value: object, storage: object) -> tuple[Item, Storage, Int32]:
    """A value that the other threads can read: itself, the array that it is in, and the index of the thread."""
    cls.require("a call")
    items, _ = items_of(value, cls.dtype)
    slots, thread = array_of(storage, "slots", cls.SharedStorage), cls.block().thread
    slots[thread] = items[0]
    barrier()
    return items[0], slots, thread


def _left(cls: type[SizedBlock], items: Sequence[Item], storage: object) -> tuple[Item, Boolean]:
    """The item before those of the thread, and whether there is none."""
    _, slots, thread = _published(cls, items[-1], storage)
    is_first = thread == 0
    return load(slots, is_first.select(thread, thread - 1)), is_first


def _right(cls: type[SizedBlock], items: Sequence[Item], storage: object) -> tuple[Item, Boolean]:
    """The item behind those of the thread, and whether there is none."""
    _, slots, thread = _published(cls, items[0], storage)
    is_last = thread == cls.block_threads - 1
    return load(slots, is_last.select(thread, thread + 1)), is_last


def _kept(cls: type[SizedBlock], before: Sequence[Item], after: Sequence[Item], limit: Int32, formed: Formed) -> Item:
    first = cls.block().thread * cls.items
    pairs = enumerate(zip(before, after, strict=True))
    return formed([chosen(first + k < limit, new, old) for k, (old, new) in pairs])


def _flags(items: object, flags: list[Boolean]) -> Item:
    """Flags in the form of the items: one, or a list for a vector or list, or a tuple."""
    formed: Any = flags
    if isinstance(items, tuple):
        formed = tuple(flags)
    elif not isinstance(items, list) and len(flags) == 1:
        formed = flags[0]
    return formed  # type: ignore[no-any-return]
