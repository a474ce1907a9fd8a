"""Loads and stores of the items of a group of lanes, in arrangements that suit the memory."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from flydsl.expr.memory.pointer import Pointer
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Int32
from flydsl.extension.coop.block.guarded import load_below, store_below
from flydsl.extension.coop.block.items import all_items, items_of
from flydsl.extension.coop.warp.exchange import ItemsOfWarp

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike
    from flydsl.extension.coop.block.guarded import Readable, Writable


class WarpLoadAlgorithm(Enum):
    """How `WarpLoad` reads; all but STRIPED give blocked items."""

    DIRECT = "direct"
    """Each lane its own items."""
    STRIPED = "striped"
    """Neighbours read neighbours, and keep what they read: striped items."""
    VECTORIZE = "vectorize"
    """Each lane its own items by one access, where they are all there and the source is a pointer."""
    TRANSPOSE = "transpose"
    """Striped, then exchanged by shuffles."""


class WarpStoreAlgorithm(Enum):
    """How `WarpStore` writes; all but STRIPED take blocked items. As in `WarpLoadAlgorithm`."""

    DIRECT = "direct"
    STRIPED = "striped"
    VECTORIZE = "vectorize"
    TRANSPOSE = "transpose"


class WarpLoad(ItemsOfWarp):
    """`P = WarpLoad[dtype, width, n]`, or with a `WarpLoadAlgorithm`; then `P.load(source)` gives a Vector of the n
    items of the lane from a 1-D tensor or a pointer, in which the first item of the lane's group is at `offset`.
    """

    algorithms = WarpLoadAlgorithm

    @classmethod
    def load(
        cls,
        source: Readable,
        *,
        offset: IntLike = 0,
        valid_items: IntLike | None = None,
        default: object = 0,
        storage: object = None,
    ) -> Vector:
        """The lane's items; of the first `valid_items` of the group only these are read, others are `default`."""
        cls.require("load")
        first, name = Int32(offset), cls.algorithm.name
        if name == "VECTORIZE" and valid_items is None and isinstance(source, Pointer):
            place = first + cls.lanes(is_blocked=True).lane * cls.items
            whole = (source + place).load(Vector.make_type(cls.items, cls.dtype))
            return Vector(whole.value, whole.extents, cls.dtype)
        (filling, *_), _ = items_of(default, cls.dtype)
        positions = cls.lanes(is_blocked=name in ("DIRECT", "VECTORIZE")).positions()
        items = [cls.dtype(load_below(index, valid_items, source, first + index, filling)) for index in positions]
        return Vector.from_elements(cls.rearranged(items, is_blocked=True) if name == "TRANSPOSE" else items, cls.dtype)


class WarpStore(ItemsOfWarp):
    """`P = WarpStore[dtype, width, n]`, or with a `WarpStoreAlgorithm`; then `P.store(target, items)` writes the n
    items of the lane to a 1-D tensor or a pointer, in which the first item of the lane's group is at `offset`.
    """

    algorithms = WarpStoreAlgorithm

    @classmethod
    def store(
        cls,
        target: Writable,
        items: object,
        *,
        offset: IntLike = 0,
        valid_items: IntLike | None = None,
        storage: object = None,
    ) -> None:
        """Writes the lane's items, of all of the group the first `valid_items`."""
        cls.require("store")
        first, name = Int32(offset), cls.algorithm.name
        given, _ = all_items(cls, items, "stores", "lane")
        if name == "VECTORIZE" and valid_items is None and isinstance(target, Pointer):
            place = first + cls.lanes(is_blocked=True).lane * cls.items
            (target + place).store(Vector.from_elements(given, cls.dtype))
            return
        arranged = cls.rearranged(given, is_blocked=False) if name == "TRANSPOSE" else given
        positions = cls.lanes(is_blocked=name in ("DIRECT", "VECTORIZE")).positions()
        for index, item in zip(positions, arranged, strict=True):
            store_below(index, valid_items, target, first + index, item)
