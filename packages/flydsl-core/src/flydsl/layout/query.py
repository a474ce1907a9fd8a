"""Questions about layouts: sizes and profiles of domain and codomain, coordinate to index and back."""

from __future__ import annotations

from flydsl.base.errors import LayoutError
from flydsl.layout import int_tuple, leaf
from flydsl.layout.coord import column_major, coordinate_to_index, index_to_coordinate
from flydsl.layout.int_tuple import IntTuple, checked, flat, map_leaves, plus, product
from flydsl.layout.layout import AnyLayout, ComposedLayout, Layout, Tile, as_coord, check_layout
from flydsl.layout.leaf import Basis, Dyn, Leaf
from flydsl.layout.swizzle import CoordSwizzle, Swizzle


def size(value: AnyLayout | IntTuple) -> Leaf:
    """The number of elements of a layout or shape."""
    if isinstance(value, (Layout, ComposedLayout)):
        return product(value.shape)
    return product(checked("size", value))


def rank(value: AnyLayout | Tile | IntTuple) -> int:
    """The number of modes; 1 for a leaf."""
    return value.rank if isinstance(value, (Layout, ComposedLayout, Tile)) else int_tuple.rank(_tuple("rank", value))


def depth(value: AnyLayout | IntTuple) -> int:
    """The levels of nesting; 0 for a leaf."""
    return value.depth if isinstance(value, (Layout, ComposedLayout)) else int_tuple.depth(_tuple("depth", value))


def is_static(value: AnyLayout | Tile | Swizzle | CoordSwizzle | IntTuple) -> bool:
    """No leaf is dynamic."""
    return not leaves(value)


def leaves(value: AnyLayout | Tile | Swizzle | CoordSwizzle | IntTuple) -> list[Dyn]:
    """The dynamic leaves: shape then stride of a layout; outer, offset, inner of a composed one; entries of a tile.

    Swizzles have none.
    """
    if isinstance(value, Layout):
        return int_tuple.leaves((value.shape, value.stride))
    if isinstance(value, ComposedLayout):
        inner = leaves(value.inner) if isinstance(value.inner, (Layout, ComposedLayout)) else []
        return [*leaves(value.outer), *int_tuple.leaves(value.offset), *inner]
    if isinstance(value, Tile):
        return [leaf for mode in value.modes for leaf in leaves(mode)]
    if isinstance(value, (Swizzle, CoordSwizzle)):
        return []
    return int_tuple.leaves(_tuple("leaves", value))


def _tuple(op: str, value: object) -> IntTuple:
    return checked(op, value, star=True)


def coprofile(layout: AnyLayout) -> IntTuple:
    """The structure of the codomain: 0 for indexes, a tuple of zeros for coordinates."""
    if isinstance(layout, ComposedLayout):
        inner = layout.inner
        return coprofile(inner if isinstance(inner, (Layout, ComposedLayout)) else layout.outer)
    profile: IntTuple = 0
    for d in flat(check_layout("coprofile", layout).stride):
        profile = plus(profile, Basis(0, d.path) if isinstance(d, Basis) else 0)
    return profile


def coshape(layout: AnyLayout) -> IntTuple:
    """1 + the largest index; one such number per coordinate for basis strides."""
    if isinstance(layout, ComposedLayout):
        return _composed_cosize(layout)
    check_layout("coshape", layout)
    total = coprofile(layout)
    shapes, strides = flat(layout.shape), flat(layout.stride)
    if 0 in shapes:
        return total
    for s, d in zip(shapes, strides, strict=True):
        total = plus(total, leaf.mul(leaf.sub(s, 1), abs(d) if type(d) is int else d))
    return map_leaves(lambda extent: leaf.add(extent, 1), total)


def _composed_cosize(layout: ComposedLayout) -> Leaf:
    """A bound: a swizzle permutes whole blocks of 2^(base + mask) indexes."""
    reached = plus(layout.offset, coshape(layout.outer))
    if isinstance(layout.inner, Swizzle) and not isinstance(reached, tuple):
        block = 1 << (layout.inner.base + layout.inner.mask)
        return leaf.mul(leaf.ceil_div(reached, block), block)
    inner = layout.inner
    extent = product(inner.shape) if isinstance(inner, Layout) else None
    if isinstance(inner, Layout) and type(reached) is int and type(extent) is int and reached <= extent:
        return cosize(inner)
    raise LayoutError("cosize", (layout,), "the codomain of this composition is not known")


def cosize(layout: AnyLayout) -> Leaf:
    """1 + the largest index: the elements of storage that the layout needs."""
    return product(coshape(layout))


def crd2idx(coord: object, layout: AnyLayout | Swizzle | CoordSwizzle) -> IntTuple:
    """The index at a coordinate (a coordinate, for basis strides), or a swizzled index or coordinate."""
    value = as_coord("crd2idx", coord)
    if isinstance(layout, Layout):
        return coordinate_to_index(value, layout.shape, layout.stride)
    if isinstance(layout, ComposedLayout):
        return layout(value)
    if isinstance(layout, CoordSwizzle):
        return layout(value)
    if not isinstance(layout, Swizzle) or isinstance(value, tuple):
        condition = "a coordinate and a layout, or an index and a swizzle, are needed"
        raise LayoutError("crd2idx", (coord, layout), condition)
    return layout(value)


def idx2crd(index: object, layout: Layout) -> IntTuple:
    """The coordinate at an index: one that the layout sends there, or (index / stride) % extent where there is none."""
    check_layout("idx2crd", layout)
    return index_to_coordinate(as_coord("idx2crd", index), layout.shape, layout.stride)


def get_flat_coord(index: object, layout: Layout) -> IntTuple:
    """The coordinate at an index, with one column-major number per mode."""
    coord = idx2crd(index, layout)
    if not isinstance(coord, tuple) or not isinstance(layout.shape, tuple):
        return coord
    return tuple(map(column_major, coord, layout.shape))


def get_1d_coord(index: object, layout: Layout) -> Leaf:
    """The column-major number of the coordinate at an index."""
    return column_major(idx2crd(index, layout), layout.shape)
