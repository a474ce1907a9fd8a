"""Bytes and addresses in, typed values out and back: memory of interpreted programs, and how numbers are rounded."""

from __future__ import annotations

import ctypes
import math
import struct
from dataclasses import dataclass, field, replace
from typing import Any

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, bf16, f16, f32, f64
from xdsl.ir import Attribute

from flydsl.base.errors import IRError
from flydsl.ir.fly.element import element_bytes
from flydsl.layout import Swizzle

__all__ = ["POISON", "Address", "Memory", "decoded", "encoded", "round_to"]


class _Poison:
    """An undefined value."""

    def __repr__(self) -> str:
        return "poison"


POISON = _Poison()


@dataclass(eq=False)
class Memory:
    """Bytes that addresses point into; a memory begins at address 0 of its own, so that swizzles of addresses show."""

    data: bytearray
    undefined: set[int] = field(default_factory=set)  # bytes never written, of fresh allocations


@dataclass(frozen=True, eq=False)
class Address:
    """A place in a memory, in bytes, and the type of what is there."""

    memory: Memory
    byte: int
    element: Attribute
    swizzle: Swizzle | None = None

    def moved(self, count: int) -> Address:
        """The address `count` elements further."""
        return replace(self, byte=self.byte + count * element_bytes(self.element))

    def load(self, type_: Attribute) -> Any:
        """The scalar or vector at the address."""
        if isinstance(type_, VectorType):
            size = element_bytes(type_.element_type)
            return [self._load(self.byte + size * i, type_.element_type) for i in range(type_.element_count())]
        return self._load(self.byte, type_)

    def store(self, value: Any, type_: Attribute) -> None:
        """Write a scalar or vector."""
        if isinstance(type_, VectorType):
            size = element_bytes(type_.element_type)
            for index, part in enumerate(value):
                self._store(self.byte + size * index, part, type_.element_type)
        else:
            self._store(self.byte, value, type_)

    def _place(self, byte: int, size: int) -> int:
        place = self.swizzle(byte) if self.swizzle is not None else byte
        assert isinstance(place, int)
        if not 0 <= place <= len(self.memory.data) - size:
            raise IRError(f"access of {size} bytes at {place} in a memory of {len(self.memory.data)}")
        return place

    def _load(self, byte: int, type_: Attribute) -> Any:
        size = element_bytes(type_)
        place = self._place(byte, size)
        if self.memory.undefined and any(i in self.memory.undefined for i in range(place, place + size)):
            return POISON
        return decoded(bytes(self.memory.data[place : place + size]), type_)

    def _store(self, byte: int, value: Any, type_: Attribute) -> None:
        size = element_bytes(type_)
        place = self._place(byte, size)
        span = range(place, place + size)
        if value is POISON:
            self.memory.undefined.update(span)
            return
        self.memory.undefined.difference_update(span)
        self.memory.data[place : place + size] = encoded(value, type_)


def round_to(value: Any, type_: Attribute) -> Any:
    """A number as a value of a scalar type."""
    if isinstance(value, _Poison):
        return value
    if isinstance(type_, IntegerType | IndexType):
        width = type_.width.data if isinstance(type_, IntegerType) else 64
        value &= (1 << width) - 1
        return value - (1 << width) if width > 1 and value >> (width - 1) else value
    if type_ == f64:
        return float(value)
    return decoded(encoded(value, type_), type_)


def encoded(value: Any, type_: Attribute) -> bytes:
    size = element_bytes(type_)
    if type_ == f32:
        return struct.pack("<f", ctypes.c_float(value).value)
    if type_ == f64:
        return struct.pack("<d", value)
    if type_ == f16:
        try:
            return struct.pack("<e", value)
        except OverflowError:
            return struct.pack("<e", math.copysign(math.inf, value))
    if type_ == bf16:
        bits = int.from_bytes(struct.pack("<f", ctypes.c_float(value).value), "little")
        rounded = bits if math.isnan(value) else bits + 0x7FFF + (bits >> 16 & 1)
        return (rounded >> 16 & 0xFFFF).to_bytes(2, "little")
    return (int(value) & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def decoded(data: bytes, type_: Attribute) -> Any:
    if type_ in (f16, f32, f64):
        return struct.unpack({2: "<e", 4: "<f", 8: "<d"}[len(data)], data)[0]
    if type_ == bf16:
        return struct.unpack("<f", b"\0\0" + data)[0]
    if isinstance(type_, IntegerType | IndexType):
        return round_to(int.from_bytes(data, "little"), type_)
    return int.from_bytes(data, "little")  # narrow floats stay bits
