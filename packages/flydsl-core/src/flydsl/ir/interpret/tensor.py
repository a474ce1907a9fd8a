"""Tensors of interpreted programs: an address or a coordinate, and a layout of integers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from xdsl.ir import Operation

import flydsl.layout as fl
from flydsl.ir.interpret.memory import Address
from flydsl.ir.interpret.thread import Thread


class Tensor:
    """An address or a coordinate, and a layout of integers."""

    __slots__ = ("iter", "layout")

    def __init__(self, iterator: Any, layout: Any) -> None:
        self.iter, self.layout = iterator, layout

    def __repr__(self) -> str:
        return f"Tensor({self.iter!r}, {self.layout})"

    def __getitem__(self, coord: Any) -> Any:
        """The element at a coordinate, as a debugger shows it."""
        return self.load(coord)

    def moved(self, offset: Any, layout: Any) -> Tensor:
        """The tensor at an offset from the iterator, with another layout."""
        return Tensor(moved(self.iter, offset), layout)

    def at(self, coord: Any) -> Address:
        """The address of an element."""
        address = moved(self.iter, self.layout(coord))
        assert isinstance(address, Address)
        return address

    def load(self, coord: Any, thread: Thread | None = None, op: Operation | None = None) -> Any:
        """The element at a coordinate."""
        address = self.at(coord)
        return address.load(address.element, thread, op)

    def store(self, value: Any, coord: Any, thread: Thread | None = None, op: Operation | None = None) -> None:
        """Write the element at a coordinate."""
        address = self.at(coord)
        address.store(value, address.element, thread, op)

    def addresses(self) -> list[Address]:
        """Where every element is, in colexicographic order."""
        start: Address = self.iter
        return [start.moved(offset) for offset in _offsets(self.layout)]

    def values(self, thread: Thread | None = None, op: Operation | None = None) -> list[Any]:
        """Every element, in colexicographic order."""
        return [address.load(address.element, thread, op) for address in self.addresses()]

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(fl.size(self.layout))  # type: ignore[arg-type]


@lru_cache(maxsize=4096)
def _offsets(layout: Any) -> tuple[int, ...]:
    return tuple(_single(layout(index)) for index in range(int(fl.size(layout))))  # type: ignore[arg-type]


def moved(iterator: Any, offset: Any) -> Any:
    """An address or a coordinate further by an offset."""
    if not isinstance(iterator, Address):
        return fl.int_tuple_add(iterator, offset)
    return iterator.moved(_single(offset))


def _single(offset: Any) -> int:
    while isinstance(offset, tuple):
        (offset,) = offset
    return int(offset)
