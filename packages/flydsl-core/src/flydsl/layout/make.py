"""Constructors of layouts: by shape and stride, by order, like another layout, identity, composed."""

from __future__ import annotations

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.int_tuple import IntTuple, checked, checked_shape, compact, flat, product, unflatten
from flydsl.layout.layout import AnyLayout, ComposedLayout, Inner, Layout, check_layout, unchecked
from flydsl.layout.leaf import Basis, Leaf


def make_layout(shape: object, stride: object = None) -> Layout:
    """`shape:stride`; compact column-major without a stride."""
    return Layout(shape, stride)


def make_composed_layout(inner: Inner, offset: object, outer: AnyLayout) -> ComposedLayout:
    """`inner o offset o outer`."""
    return ComposedLayout(inner, checked("make_composed_layout", offset, "offset"), outer)


def make_identity_layout(shape: object) -> Layout:
    """The layout that sends a coordinate to itself: basis strides; `n:1` for a leaf."""
    extents = checked_shape("make_identity_layout", shape)
    return unchecked(extents, _identity(extents, ()))


def _identity(shape: IntTuple, path: tuple[int, ...]) -> IntTuple:
    if isinstance(shape, tuple):
        return tuple([_identity(part, (*path, mode)) for mode, part in enumerate(shape)])
    return Basis(1, path) if path else 1


def make_ordered_layout(shape: object, order: object) -> Layout:
    """Compact strides that grow with `order`; an order leaf over a tuple of the shape means column-major inside.

    Dynamic orders come after static ones, by position. Parts of equal static order start at the same stride.
    """
    extents = checked_shape("make_ordered_layout", shape)
    ranks = checked("make_ordered_layout", order, "order")
    if any(isinstance(part, Basis) for part in flat(ranks)):
        raise LayoutError("make_ordered_layout", (shape, order), "an order is an integer")
    return unchecked(extents, ordered_strides(extents, ranks))


def ordered_strides(shape: IntTuple, order: IntTuple) -> IntTuple:
    """Compact strides in the order of the leaves of `order`: integers first, then all others by position."""
    groups: list[tuple[Leaf, IntTuple]] = []
    _pair(shape, order, groups)
    keys = [(0, o) if type(o) is int else (1, number) for number, (o, _) in enumerate(groups)]
    starts: dict[tuple[int, int], Leaf] = {}
    start: Leaf = 1
    for key in sorted(set(keys)):
        starts[key] = start
        for other, (_, part) in zip(keys, groups, strict=True):
            if other == key:
                start = leaf.mul(start, product(part))
    strides = iter([compact(part, starts[key]) for key, (_, part) in zip(keys, groups, strict=True)])
    return _regroup(order, strides)


def _pair(shape: IntTuple, order: IntTuple, out: list[tuple[Leaf, IntTuple]]) -> None:
    if not isinstance(order, tuple):
        out.append((order, shape))
        return
    if not isinstance(shape, tuple) or len(shape) != len(order):
        raise LayoutError("make_ordered_layout", (shape, order), "the order must be a coarser structure of the shape")
    for part, where in zip(shape, order, strict=True):
        _pair(part, where, out)


def _regroup(order: IntTuple, strides: object) -> IntTuple:
    if isinstance(order, tuple):
        return tuple([_regroup(part, strides) for part in order])
    return next(strides)  # type: ignore[call-overload,no-any-return]


def make_layout_like(ref: AnyLayout) -> Layout:
    """The same shape, compact in the order of the strides of `ref`; modes of stride 0 count as size 1."""
    plain = outer_layout("make_layout_like", ref)
    shapes, strides = flat(plain.shape), flat(plain.stride)
    counted = [1 if d == 0 else s for s, d in zip(shapes, strides, strict=True)]
    ordered = ordered_strides(tuple(counted), tuple(strides))
    return unchecked(plain.shape, unflatten(iter(flat(ordered)), plain.shape))


def outer_layout(op: str, layout: AnyLayout) -> Layout:
    while isinstance(layout, ComposedLayout):
        layout = layout.outer
    return check_layout(op, layout)
