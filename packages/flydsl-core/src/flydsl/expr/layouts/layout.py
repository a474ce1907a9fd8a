"""Shapes and strides in, layout, swizzle and tile values out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.int_tuple import IntTuple, as_int_tuple
from flydsl.expr.layouts.value import StructuredValue

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import CoordLike, IntLike, LayoutLike, ShapeLike, StrideLike, TilerLike
    from flydsl.expr.values.traced_types import Structure

__all__ = [
    "ComposedLayout",
    "Layout",
    "LayoutValue",
    "Swizzle",
    "Tile",
    "as_layout",
    "make_layout",
    "make_tile",
]


class LayoutValue(StructuredValue):
    """What plain and composed layouts share: call it with a coordinate, index it by mode."""

    __slots__ = ()

    @property
    def rank(self) -> int:
        """Number of modes."""
        return self.payload.rank  # type: ignore[no-any-return]

    @property
    def depth(self) -> int:
        """Nesting depth of the shape."""
        return self.payload.depth  # type: ignore[no-any-return]

    @property
    def is_leaf(self) -> bool:
        """Whether there is one mode, which is no tuple."""
        return not isinstance(self.payload.shape, tuple)

    @property
    def shape(self) -> IntTuple:
        """The shape."""
        from flydsl.expr.layouts.modes import get_shape

        return get_shape(self)

    @property
    def stride(self) -> IntTuple:
        """The strides, congruent with the shape."""
        from flydsl.expr.layouts.modes import get_stride

        return get_stride(self)

    def __call__(self, *coord: CoordLike) -> Any:
        from flydsl.expr.layouts.modes import crd2idx

        return crd2idx(coord[0] if len(coord) == 1 else coord, self)

    def __getitem__(self, mode: int) -> Any:
        from flydsl.expr.layouts.modes import get_

        return get_(self, mode)

    def get_flat_coord(self, index: IntLike) -> IntTuple:
        """The flat coordinate of a linear index."""
        from flydsl.expr.layouts.modes import get_flat_coord

        return get_flat_coord(index, self)

    def get_hier_coord(self, index: IntLike) -> IntTuple:
        """The hierarchical coordinate of a linear index."""
        from flydsl.expr.layouts.modes import idx2crd

        return idx2crd(index, self)

    def get_1d_coord(self, index: CoordLike) -> IntTuple:
        """The column-major linear coordinate."""
        from flydsl.expr.layouts.modes import get_1d_coord

        return get_1d_coord(index, self)


class Layout(LayoutValue):
    """shape:stride, a function from coordinates to offsets."""

    __slots__ = ()

    @property
    def is_static_shape(self) -> bool:
        """Whether the shape is known while tracing."""
        return algebra.is_static(self.payload.shape)

    @property
    def is_static_stride(self) -> bool:
        """Whether the strides are known while tracing."""
        return algebra.is_static(self.payload.stride)


class ComposedLayout(LayoutValue):
    """inner o offset o outer: a layout or swizzle applied after another layout."""

    __slots__ = ()

    @property
    def is_static_inner(self) -> bool:
        """Whether the inner part is known while tracing."""
        return algebra.is_static(self.payload.inner)

    @property
    def is_static_offset(self) -> bool:
        """Whether the offset is known while tracing."""
        return algebra.is_static(self.payload.offset)

    @property
    def is_static_outer(self) -> bool:
        """Whether the outer layout is known while tracing."""
        return algebra.is_static(self.payload.outer)

    @property
    def inner(self) -> Swizzle | LayoutValue:
        """The layout or swizzle that is applied last."""
        return _part(self, "inner")

    @property
    def offset(self) -> IntTuple:
        """The offset added between the two."""
        return _part(self, "offset")

    @property
    def outer(self) -> Layout:
        """The layout that is applied first."""
        return _part(self, "outer")


class Swizzle(StructuredValue):
    """An XOR permutation S<mask,base,shift> of offsets."""

    __slots__ = ()

    @property
    def mask(self) -> int:
        """Number of bits that are XORed."""
        return self.payload.mask  # type: ignore[no-any-return]

    @property
    def base(self) -> int:
        """Position of the lowest bit that changes."""
        return self.payload.base  # type: ignore[no-any-return]

    @property
    def shift(self) -> int:
        """Distance between the bits read and the bits changed."""
        return self.payload.shift  # type: ignore[no-any-return]


class Tile(StructuredValue):
    """One divisor a mode: an int, a layout, None (keep the mode) or a nested tile."""

    __slots__ = ()

    @property
    def rank(self) -> int:
        """Number of modes."""
        return self.payload.rank  # type: ignore[no-any-return]

    def unpack(self) -> tuple[Any, ...]:
        """The elements, one by one."""
        return tuple(self.payload.modes)


def make_layout(shape: ShapeLike, stride: StrideLike = None) -> Layout:
    """shape:stride; without strides the compact column-major layout."""
    from flydsl.expr.layouts.evaluate import apply

    shape = as_int_tuple(shape)
    if stride is None:
        return apply("make_layout", shape)
    return apply("make_layout", shape, as_int_tuple(stride))


def make_tile(*args: TilerLike) -> Tile:
    """A tile of static ints, static layouts, None and nested tiles, one a mode."""
    modes = args[0] if len(args) == 1 and isinstance(args[0], tuple | list) else args
    return Tile(algebra.Tile(tuple(_tile_element(mode) for mode in modes)))


def as_layout(value: LayoutLike) -> LayoutValue:
    """`value` as a layout: a layout stays, an int tuple becomes a compact one."""
    if isinstance(value, LayoutValue):
        return value
    if isinstance(value, algebra.Layout):
        return Layout(value)
    if isinstance(value, algebra.ComposedLayout):
        return ComposedLayout(value)
    return make_layout(value)


def _tile_element(mode: TilerLike) -> Any:
    if mode is None:
        return algebra.STAR
    if isinstance(mode, StructuredValue):
        if not mode.is_static:
            raise FrontendError(f"a tile is static, found the dynamic {mode!r}; divide by a layout instead")
        return mode.payload
    if isinstance(mode, tuple | list):
        return algebra.Tile(tuple(_tile_element(item) for item in mode))
    return mode.__index__() if hasattr(mode, "__index__") else mode


def _part(composed: ComposedLayout, which: str) -> Structure:
    from flydsl.expr.layouts.evaluate import apply, box_static

    if composed.is_static:
        return box_static(getattr(composed.payload, which))  # type: ignore[no-any-return]
    return apply(f"composed_get_{which}", composed)
