"""Loads and stores of the items of a block, in arrangements that suit the memory."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from flydsl.expr.memory.pointer import Pointer
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Int32
from flydsl.extension.coop.block.exchange import BlockExchange
from flydsl.extension.coop.block.guarded import load_below, store_below
from flydsl.extension.coop.block.items import all_items, items_of
from flydsl.extension.coop.block.positions import blocked, striped, warp_striped
from flydsl.extension.coop.block.sized import SizedBlock
from flydsl.extension.coop.block.storage import array_of

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike
    from flydsl.extension.coop.block.guarded import Readable, Writable
    from flydsl.extension.coop.block.positions import Positions


class BlockLoadAlgorithm(Enum):
    """How `BlockLoad` reads; all but STRIPED give blocked items."""

    DIRECT = "direct"
    """Each thread its own items."""
    STRIPED = "striped"
    """Neighbours read neighbours, and keep what they read: striped items."""
    VECTORIZE = "vectorize"
    """Each thread its own items by one access, where they are all there."""
    TRANSPOSE = "transpose"
    """Striped, then exchanged through shared memory."""
    WARP_TRANSPOSE = "warp_transpose"
    """Striped within each warp, then exchanged through shared memory."""


class BlockStoreAlgorithm(Enum):
    """How `BlockStore` writes; all but STRIPED take blocked items. As in `BlockLoadAlgorithm`."""

    DIRECT = "direct"
    STRIPED = "striped"
    VECTORIZE = "vectorize"
    TRANSPOSE = "transpose"
    WARP_TRANSPOSE = "warp_transpose"


_ORDERS: dict[str, Positions] = {
    "DIRECT": blocked,
    "VECTORIZE": blocked,
    "STRIPED": striped,
    "TRANSPOSE": striped,
    "WARP_TRANSPOSE": warp_striped,
}


class BlockLoad(SizedBlock):
    """`P = BlockLoad[dtype, block_size, n]`, or with a fourth parameter, a `BlockLoadAlgorithm`; then `P(source)` gives
    a Vector of the n items of the thread from a 1-D tensor or a pointer.

    The block's first item is at `offset`; of the first `valid_items` only these are read, others are `default`.
    """

    algorithms = BlockLoadAlgorithm

    def __new__(  # type: ignore[misc]
        cls,
        source: Readable,
        *,
        offset: IntLike = 0,
        valid_items: IntLike | None = None,
        default: object = 0,
        storage: object = None,
    ) -> Vector:
        """The thread's items."""
        cls.require("a load")
        block, name = cls.block(), cls.algorithm.name
        if name == "VECTORIZE" and valid_items is None and isinstance(source, Pointer):
            whole = (source + (Int32(offset) + block.thread * cls.items)).load(Vector.make_type(cls.items, cls.dtype))
            return Vector(whole.value, whole.extents, cls.dtype)
        (filling, *_), _ = items_of(default, cls.dtype)
        first, positions = Int32(offset), _ORDERS[name](block, cls.items)
        items = [cls.dtype(load_below(index, valid_items, source, first + index, filling)) for index in positions]
        vector = Vector.from_elements(items, cls.dtype)
        return vector if name not in _BACK else _exchange(cls, vector, storage, _BACK[name][0])


class BlockStore(SizedBlock):
    """`P = BlockStore[dtype, block_size, n]`, or with a `BlockStoreAlgorithm`; then `P(target, items)` writes the n
    items of the thread to a 1-D tensor or a pointer, from `offset` on, of all of the block the first `valid_items`.
    """

    algorithms = BlockStoreAlgorithm

    def __new__(  # type: ignore[misc]
        cls,
        target: Writable,
        items: object,
        *,
        offset: IntLike = 0,
        valid_items: IntLike | None = None,
        storage: object = None,
    ) -> None:
        """Writes the thread's items."""
        cls.require("a store")
        block, name = cls.block(), cls.algorithm.name
        given, _ = all_items(cls, items, "stores", "thread")
        vector = Vector.from_elements(given, cls.dtype)
        if name == "VECTORIZE" and valid_items is None and isinstance(target, Pointer):
            (target + (Int32(offset) + block.thread * cls.items)).store(vector)
            return
        arranged = vector if name not in _BACK else _exchange(cls, vector, storage, _BACK[name][1])
        for k, index in enumerate(_ORDERS[name](block, cls.items)):
            store_below(index, valid_items, target, Int32(offset) + index, arranged[k])


def _exchange(cls: type[SizedBlock], vector: Vector, storage: object, how: str) -> Vector:
    array_of(storage, "slots", cls.SharedStorage)
    exchange: Any = BlockExchange.specialised(cls.dtype, cls.block_size, cls.items)
    result: Vector = getattr(exchange, how)(vector if cls.items > 1 else vector[0], storage=storage)
    return result if isinstance(result, Vector) else Vector.from_elements([result], cls.dtype)


_BACK = {
    "TRANSPOSE": ("striped_to_blocked", "blocked_to_striped"),
    "WARP_TRANSPOSE": ("warp_striped_to_blocked", "blocked_to_warp_striped"),
}
