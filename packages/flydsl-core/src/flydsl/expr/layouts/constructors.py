"""Constructors of layouts from shapes, orders and other layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.evaluate import apply, layout_of
from flydsl.expr.layouts.int_tuple import as_int_tuple
from flydsl.expr.layouts.layout import ComposedLayout, Layout, LayoutValue, Swizzle, Tile, as_layout, box_static
from flydsl.expr.layouts.value import StructuredValue

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from flydsl.expr.values.operand_types import IntTupleLike, LayoutLike, LayoutSource, ShapeLike
    from flydsl.expr.values.traced_types import Structure

__all__ = [
    "make_composed_layout",
    "make_fragment_layout_like",
    "make_identity_layout",
    "make_layout_like",
    "make_layout_tv",
    "make_ordered_layout",
    "static",
]


def static(
    result_type: Attribute | algebra.Layout | algebra.ComposedLayout | algebra.Swizzle | algebra.Tile,
) -> Structure:
    """The value of a fully static fly type or algebra object, as in `fx.static(fx.SwizzleType.get(3, 3, 3))`."""
    payload: Any = getattr(result_type, "value", result_type)
    if not algebra.is_static(payload):
        raise FrontendError(f"static needs a fully static type, found {payload}")
    return box_static(payload)


def make_ordered_layout(shape: ShapeLike, order: IntTupleLike) -> Layout:
    """A compact layout of `shape` whose strides grow in the order of the leaves of `order`, smallest first."""
    return apply("make_ordered_layout", as_int_tuple(shape), as_int_tuple(order))


def make_identity_layout(shape: ShapeLike) -> Layout:
    """The layout of `shape` that maps every coordinate to itself; its strides are basis elements."""
    return apply("make_identity_layout", as_int_tuple(shape))


def make_layout_like(ref: LayoutLike) -> Layout:
    """A compact layout with the shape of `ref`, whose modes are in the order of its strides."""
    return apply("make_layout_like", as_layout(ref))


def make_fragment_layout_like(tensor: LayoutSource) -> Layout:
    """The compact register layout of a fragment with the shape of a layout or tensor."""
    return apply("make_fragment_layout_like", layout_of(tensor))


def make_composed_layout(
    inner: Swizzle | LayoutValue | algebra.Swizzle | algebra.Layout,
    offset_or_outer: IntTupleLike | LayoutLike,
    outer: LayoutLike = None,
) -> ComposedLayout:
    """The composed layout `inner(offset + outer(coordinate))`; the offset defaults to 0."""
    offset: Any
    offset, outer = (0, offset_or_outer) if outer is None else (offset_or_outer, outer)
    inner = inner if isinstance(inner, StructuredValue) else static(inner)
    return apply("make_composed_layout", inner, as_int_tuple(offset), as_layout(outer))


def make_layout_tv(thr_layout: LayoutLike, val_layout: LayoutLike) -> tuple[Tile, Layout]:
    """The tile, and its (thread, value) layout, of one `val_layout` for each thread of `thr_layout`.

    Raises FrontendError if one of the layouts is dynamic.
    """
    thr, val = as_layout(thr_layout), as_layout(val_layout)
    if not (thr.is_static and val.is_static):
        raise FrontendError(f"make_layout_tv needs static layouts, found {thr!r} and {val!r}")
    tile, layout_tv = algebra.make_layout_tv(thr.payload, val.payload)
    return Tile(tile), Layout(layout_tv)
