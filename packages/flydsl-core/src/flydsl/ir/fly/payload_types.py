"""Types whose payload is one value of the layout algebra."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import flydsl.layout as fl
from flydsl.ir.fly.access import (
    BasisAccess,
    ComposedLayoutAccess,
    CoordSwizzleAccess,
    IntTupleAccess,
    LayoutAccess,
    SwizzleAccess,
    TileAccess,
)
from flydsl.ir.fly.base import FlyType
from flydsl.ir.fly.reader import Reader
from flydsl.layout.int_tuple import text as tuple_text


class PayloadType(FlyType):
    """Base of the types that hold one layout value, in `value`."""

    value: Any

    def body(self) -> str:
        return tuple_text(self.value) if isinstance(self.value, tuple) else str(self.value)


@dataclass(frozen=True, eq=False, repr=False)
class IntTupleType(IntTupleAccess, PayloadType):
    """`!fly.int_tuple<(4,(?,8))>`: a nested tuple of integers; an SSA value carries its dynamic leaves."""

    name: ClassVar[str] = "fly.int_tuple"
    value: fl.IntTuple

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.payload(fl.parse_int_tuple_at))


@dataclass(frozen=True, eq=False, repr=False)
class LayoutType(LayoutAccess, PayloadType):
    """`!fly.layout<(4,8):(1,4)>`: a shape and congruent strides."""

    name: ClassVar[str] = "fly.layout"
    value: fl.Layout

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.payload(fl.parse_layout_at))


@dataclass(frozen=True, eq=False, repr=False)
class SwizzleType(SwizzleAccess, PayloadType):
    """`!fly.swizzle<S<3,3,3>>`: an XOR of index bits."""

    name: ClassVar[str] = "fly.swizzle"
    value: fl.Swizzle

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.payload(fl.parse_swizzle_at))


@dataclass(frozen=True, eq=False, repr=False)
class CoordSwizzleType(CoordSwizzleAccess, PayloadType):
    """`!fly.coord_swizzle<CS<...>>`: an XOR of one coordinate by another."""

    name: ClassVar[str] = "fly.coord_swizzle"
    value: fl.CoordSwizzle

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.payload(fl.parse_coord_swizzle_at))


@dataclass(frozen=True, eq=False, repr=False)
class ComposedLayoutType(ComposedLayoutAccess, PayloadType):
    """`!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>`: `inner(offset + outer(coordinate))`."""

    name: ClassVar[str] = "fly.composed_layout"
    value: fl.ComposedLayout

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.payload(fl.parse_composed_layout_at))


@dataclass(frozen=True, eq=False, repr=False)
class TileType(TileAccess, PayloadType):
    """`!fly.tile<[32:1|4:1]>`: what a divide takes of each mode; `*` leaves a mode alone."""

    name: ClassVar[str] = "fly.tile"
    value: fl.Tile

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.payload(fl.parse_tile_at))


@dataclass(frozen=True, eq=False, repr=False)
class BasisType(BasisAccess, PayloadType):
    """`!fly.basis<1E0>`: a value along a mode."""

    name: ClassVar[str] = "fly.basis"
    value: fl.Basis

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.payload(fl.parse_basis_at))


def payload_type(value: object) -> PayloadType:
    """The type of a layout value."""
    make: Callable[[Any], PayloadType] = _PAYLOAD_TYPES.get(type(value), IntTupleType)
    return make(value)


_PAYLOAD_TYPES: dict[type, Any] = {
    fl.Layout: LayoutType,
    fl.ComposedLayout: ComposedLayoutType,
    fl.Swizzle: SwizzleType,
    fl.CoordSwizzle: CoordSwizzleType,
    fl.Tile: TileType,
}
