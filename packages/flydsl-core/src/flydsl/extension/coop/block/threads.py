"""Threads of a block of a known size: their order, and what only some of them do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.expr.gpu import thread_idx
from flydsl.expr.memory.storage import Storage
from flydsl.expr.numeric import Boolean, Int32
from flydsl.extension.coop.block.rewritten import rewritten
from flydsl.extension.coop.block.storage import load

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike
    from flydsl.expr.values.traced_types import Item


def linear_thread(size: tuple[int, int, int]) -> Int32:
    """This thread's index in the order of its block: along x, then y, then z."""
    dx, dy, dz = size
    index = thread_idx.x if dx > 1 or dy * dz == 1 else Int32(0)
    if dy > 1:
        index = index + thread_idx.y * dx
    return index + thread_idx.z * (dx * dy) if dz > 1 else index


def store_if(condition: Boolean, array: Storage, index: IntLike, value: object) -> None:
    """Store an element where `condition` is true."""
    rewritten(_store)(condition, array, index, value)


def load_if(condition: Boolean, array: Storage, index: IntLike, otherwise: Item) -> Item:
    """An element of an array where `condition` is true, else `otherwise`."""
    return rewritten(_load)(condition, array, index, otherwise)


def _load(condition: Boolean, array: Storage, index: IntLike, otherwise: Item) -> Item:
    value = otherwise
    if condition:
        value = load(array, index)
    return value


def _store(condition: Boolean, array: Storage, index: IntLike, value: object) -> None:
    if condition:
        array[index] = value
