"""Types of layouts, composed layouts, swizzles and tiles.

`get` takes types, layout values, values of the language, Python ints and nested tuples of them; None stands for `*`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import flydsl.layout as fl
from flydsl.ir.fly.types.int_tuple import IntTupleType
from flydsl.ir.fly.types.payload import PayloadType, StructuredType, payload


@dataclass(frozen=True, eq=False, repr=False)
class LayoutType(StructuredType):
    """`!fly.layout<(4,8):(1,4)>`: a shape and congruent strides."""

    name: ClassVar[str] = "fly.layout"
    parse_at = staticmethod(fl.parse_layout_at)
    value: fl.Layout

    @classmethod
    def get(cls, shape: object, stride: object = None) -> Self:
        """The type of `shape:stride`; without strides, of the compact column-major layout."""
        if stride is None:
            return cls(fl.make_layout(payload(shape)))
        return cls(fl.Layout(payload(shape), payload(stride)))

    @property
    def shape(self) -> IntTupleType:
        """The type of the shape."""
        return IntTupleType(self.value.shape)

    @property
    def stride(self) -> IntTupleType:
        """The type of the strides."""
        return IntTupleType(self.value.stride)

    @property
    def is_static_shape(self) -> bool:
        """Whether the shape is known."""
        return bool(fl.is_static(self.value.shape))

    @property
    def is_static_stride(self) -> bool:
        """Whether the strides are known."""
        return bool(fl.is_static(self.value.stride))


@dataclass(frozen=True, eq=False, repr=False)
class SwizzleType(PayloadType):
    """`!fly.swizzle<S<3,3,3>>`: an XOR of index bits."""

    name: ClassVar[str] = "fly.swizzle"
    parse_at = staticmethod(fl.parse_swizzle_at)
    value: fl.Swizzle

    @classmethod
    def get(cls, mask: int, base: int, shift: int) -> Self:
        """The type of the swizzle `S<mask,base,shift>`; `fx.static` makes it a value."""
        return cls(fl.Swizzle(mask, base, shift))

    @property
    def mask(self) -> int:
        """Number of bits that are XORed."""
        return self.value.mask

    @property
    def base(self) -> int:
        """Position of the lowest bit that changes."""
        return self.value.base

    @property
    def shift(self) -> int:
        """Distance between the bits read and the bits changed."""
        return self.value.shift


@dataclass(frozen=True, eq=False, repr=False)
class CoordSwizzleType(PayloadType):
    """`!fly.coord_swizzle<CS<...>>`: an XOR of one coordinate by another."""

    name: ClassVar[str] = "fly.coord_swizzle"
    parse_at = staticmethod(fl.parse_coord_swizzle_at)
    value: fl.CoordSwizzle

    @classmethod
    def get(
        cls, mask: int, base_row: int, mode_row: int | Sequence[int], base_col: int, mode_col: int | Sequence[int]
    ) -> Self:
        """The type of the swizzle that XORs bits of one mode (an index or path) into another."""
        row, col = ((mode,) if isinstance(mode, int) else tuple(mode) for mode in (mode_row, mode_col))
        return cls(fl.CoordSwizzle(mask, base_row, row, base_col, col))

    @property
    def mask(self) -> int:
        """Number of bits that are XORed."""
        return self.value.mask

    @property
    def base_row(self) -> int:
        """Position of the bits that are read."""
        return self.value.base_row

    @property
    def mode_row(self) -> tuple[int, ...]:
        """The mode that is read."""
        return tuple(self.value.mode_row)

    @property
    def base_col(self) -> int:
        """Position of the bits that are changed."""
        return self.value.base_col

    @property
    def mode_col(self) -> tuple[int, ...]:
        """The mode that is changed."""
        return tuple(self.value.mode_col)


@dataclass(frozen=True, eq=False, repr=False)
class ComposedLayoutType(StructuredType):
    """`!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>`: `inner(offset + outer(coordinate))`."""

    name: ClassVar[str] = "fly.composed_layout"
    parse_at = staticmethod(fl.parse_composed_layout_at)
    value: fl.ComposedLayout

    @classmethod
    def get(cls, inner: object, offset: object, outer: object) -> Self:
        """The type of `inner o offset o outer`."""
        return cls(fl.ComposedLayout(payload(inner), payload(offset), payload(outer)))

    @property
    def inner(self) -> PayloadType:
        """The type of what is applied last."""
        return payload_type(self.value.inner)

    @property
    def offset(self) -> IntTupleType:
        """The type of the offset between the two."""
        return IntTupleType(self.value.offset)

    @property
    def outer(self) -> PayloadType:
        """The type of what is applied first."""
        return payload_type(self.value.outer)

    @property
    def is_static_inner(self) -> bool:
        """Whether the inner part is known."""
        return bool(fl.is_static(self.value.inner))

    @property
    def is_static_offset(self) -> bool:
        """Whether the offset is known."""
        return bool(fl.is_static(self.value.offset))

    @property
    def is_static_outer(self) -> bool:
        """Whether the outer layout is known."""
        return bool(fl.is_static(self.value.outer))


@dataclass(frozen=True, eq=False, repr=False)
class TileType(PayloadType):
    """`!fly.tile<[32:1|4:1]>`: what a divide takes of each mode; `*` leaves a mode alone."""

    name: ClassVar[str] = "fly.tile"
    parse_at = staticmethod(fl.parse_tile_at)
    value: fl.Tile

    @classmethod
    def get(cls, modes: object) -> Self:
        """The type of a tile with these modes."""
        return cls(_tile(modes if isinstance(modes, tuple | list) else (modes,)))

    def at(self, mode: int) -> PayloadType:
        """The type of one mode."""
        return payload_type(self.value.modes[mode])

    @property
    def rank(self) -> int:
        """Number of modes."""
        return self.value.rank

    @property
    def is_leaf(self) -> bool:
        """Whether there is one mode."""
        return self.rank == 1


def payload_type(value: object) -> PayloadType:
    """The type of a layout value."""
    make: Callable[[Any], PayloadType] = _PAYLOAD_TYPES.get(type(value), IntTupleType)
    return make(value)


def _tile(modes: Sequence[object]) -> fl.Tile:
    return fl.Tile(tuple(_tile(mode) if isinstance(mode, tuple | list) else payload(mode) for mode in modes))


_PAYLOAD_TYPES: Mapping[type, Callable[[Any], PayloadType]] = {
    fl.Layout: LayoutType,
    fl.ComposedLayout: ComposedLayoutType,
    fl.Swizzle: SwizzleType,
    fl.CoordSwizzle: CoordSwizzleType,
    fl.Tile: TileType,
}
