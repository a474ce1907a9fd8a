"""Tensors of interpreted programs: an address or a coordinate, and a layout of integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.ir import Attribute

import flydsl.layout as fl
from flydsl.ir.fly.element import element_bytes
from flydsl.ir.interpret.memory import Address, Memory

__all__ = ["Tensor", "allocate", "moved"]


@dataclass(frozen=True)
class Tensor:
    """An address or a coordinate, and a layout of integers."""

    iter: Any
    layout: Any

    def moved(self, offset: Any, layout: Any) -> Tensor:
        """The tensor at an offset from the iterator, with another layout."""
        return Tensor(moved(self.iter, offset), layout)

    def at(self, coord: Any) -> Address:
        """The address of an element."""
        found = moved(self.iter, self.layout(coord))
        assert isinstance(found, Address)
        return found

    def load(self, coord: Any) -> Any:
        """The element at a coordinate."""
        address = self.at(coord)
        return address.load(address.element)

    def store(self, value: Any, coord: Any) -> None:
        """Write the element at a coordinate."""
        address = self.at(coord)
        address.store(value, address.element)

    @property
    def size(self) -> int:
        """The number of elements."""
        count = fl.size(self.layout)
        assert isinstance(count, int)
        return count


def moved(iterator: Any, offset: Any) -> Any:
    """An address or a coordinate further by an offset."""
    if not isinstance(iterator, Address):
        return fl.int_tuple_add(iterator, offset)
    while isinstance(offset, tuple):
        (offset,) = offset
    return iterator.moved(offset)


def allocate(element: Attribute, count: int) -> Address:
    """New memory, undefined until it is written."""
    size = count * element_bytes(element)
    return Address(Memory(bytearray(size), set(range(size))), 0, element)
