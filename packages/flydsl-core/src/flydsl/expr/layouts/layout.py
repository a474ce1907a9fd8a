"""Layouts, composed layouts, swizzles and tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, overload

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.int_tuple import IntTuple, as_int_tuple
from flydsl.expr.layouts.value import StructuredValue

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import (
        CoordLike,
        FullCoord,
        IntLike,
        LayoutLike,
        ShapeLike,
        StrideLike,
        TilerLike,
    )
    from flydsl.expr.values.traced_types import Structure

__all__ = [
    "ComposedLayout",
    "Layout",
    "LayoutValue",
    "Swizzle",
    "Tile",
    "as_layout",
    "composed_get_inner",
    "composed_get_offset",
    "composed_get_outer",
    "make_layout",
    "make_tile",
]


class LayoutValue(StructuredValue):
    """Base of plain and composed layouts: call it with a coordinate, index it by mode."""

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
        """Whether there is a single mode that is not a tuple."""
        return not isinstance(self.payload.shape, tuple)

    @property
    def shape(self) -> IntTuple:
        """The shape."""
        return layout_part(self, "shape")

    @property
    def stride(self) -> IntTuple:
        """The strides, congruent with the shape."""
        return layout_part(self, "stride")

    @overload
    def __call__(self, *coord: FullCoord) -> IntTuple: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, *coord: CoordLike) -> Self: ...
    def __call__(self, *coord: CoordLike) -> IntTuple | Self:
        """The offset of a coordinate; with None in the coordinate, the layout of the modes that it keeps."""
        given = as_int_tuple(coord[0] if len(coord) == 1 else coord)
        return self._apply("slice", given) if has_free_mode(coord) else given._apply("crd2idx", self)

    def __getitem__(self, mode: int) -> Self:
        return self._get(mode)  # type: ignore[return-value]

    def get_flat_coord(self, index: IntLike) -> IntTuple:
        """The flat coordinate of a linear index."""
        return as_int_tuple(index)._apply("get_flat_coord", self)

    def get_hier_coord(self, index: IntLike) -> IntTuple:
        """The hierarchical coordinate of a linear index."""
        return as_int_tuple(index)._apply("idx2crd", self)

    def get_1d_coord(self, index: CoordLike) -> IntTuple:
        """The column-major linear coordinate."""
        return as_int_tuple(index)._apply("get_1d_coord", self)


class Layout(LayoutValue):
    """`shape:stride`, a function from coordinates to offsets in elements."""

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
    """`inner(offset + outer(coordinate))`: a layout or swizzle applied after another layout."""

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
        """The inner layout or swizzle, which is applied last."""
        return _part(self, "inner")

    @property
    def offset(self) -> IntTuple:
        """The offset added between the outer and the inner layout."""
        return _part(self, "offset")

    @property
    def outer(self) -> Layout:
        """The outer layout, which is applied first."""
        return _part(self, "outer")


class Swizzle(StructuredValue):
    """The permutation S<mask,base,shift> of offsets, which XORs `mask` bits with those `shift` positions higher."""

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
    """One divisor for each mode: an int, a layout, None (keep the mode) or a nested tile."""

    __slots__ = ()

    @property
    def rank(self) -> int:
        """Number of modes."""
        return self.payload.rank  # type: ignore[no-any-return]

    def unpack(self) -> tuple[object, ...]:
        """The elements, one by one."""
        return tuple(self.payload.modes)


def make_layout(shape: ShapeLike, stride: StrideLike = None) -> Layout:
    """The layout `shape:stride`, strides in elements and congruent with the shape.

    Without strides it is compact and column-major: mode 0 has stride 1.
    """
    strides = () if stride is None else (as_int_tuple(stride),)
    return as_int_tuple(shape)._apply("make_layout", *strides)


def make_tile(*args: TilerLike) -> Tile:
    """A tile with one divisor for each mode: a static int, a static layout, None (keep the mode) or a nested tile.

    Raises FrontendError for dynamic divisors.
    """
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


def has_free_mode(coord: CoordLike) -> bool:
    """Whether a coordinate keeps a mode: whether there is a None in it."""
    if isinstance(coord, tuple | list):
        return any(has_free_mode(item) for item in coord)
    return coord is None


def composed_get_inner(input: LayoutLike) -> Swizzle | LayoutValue:
    """The inner layout or swizzle, which is applied last."""
    return _composed("composed_get_inner", input).inner


def composed_get_offset(input: LayoutLike) -> IntTuple:
    """The offset added between the outer and the inner layout."""
    return _composed("composed_get_offset", input).offset


def composed_get_outer(input: LayoutLike) -> Layout:
    """The outer layout, which is applied first."""
    return _composed("composed_get_outer", input).outer


def box_static(payload: object) -> Structure:
    """The value of a static algebra object."""
    for kind, value in _VALUES.items():
        if isinstance(payload, kind):
            return value(payload)  # type: ignore[return-value]
    return IntTuple(payload)  # type: ignore[return-value]


def layout_part(value: StructuredValue, part: str) -> IntTuple:
    """The `shape` or `stride` of a layout or tensor."""
    layout = getattr(value.payload, "layout", value.payload)
    known = getattr(layout, part, None)
    if known is not None and algebra.is_static(known):
        return IntTuple(known)
    return value._apply(f"get_{part}")


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


def _composed(function: str, value: LayoutLike) -> ComposedLayout:
    layout = as_layout(value)
    if not isinstance(layout, ComposedLayout):
        raise FrontendError(f"{function} needs a composed layout, found {layout!r}; see fx.make_composed_layout")
    return layout


def _part(composed: ComposedLayout, which: str) -> Structure:
    if composed.is_static:
        return box_static(getattr(composed.payload, which))
    return composed._apply(f"composed_get_{which}")


_VALUES: dict[type[Any], type[StructuredValue]] = {
    algebra.Layout: Layout,
    algebra.ComposedLayout: ComposedLayout,
    algebra.Swizzle: Swizzle,
    algebra.Tile: Tile,
}
