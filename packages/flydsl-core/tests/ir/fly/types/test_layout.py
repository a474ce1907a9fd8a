"""Types of layouts, swizzles and tiles: made from loose arguments, and asked for their parts."""

from __future__ import annotations

import flydsl.layout as fl
from flydsl.ir.fly.types import (
    ComposedLayoutType,
    CoordSwizzleType,
    IntTupleType,
    LayoutType,
    SwizzleType,
    TileType,
    payload_type,
)


def test_payload_type_follows_the_kind_of_value() -> None:
    assert payload_type((4, fl.Dyn())) == IntTupleType((4, fl.Dyn()))
    assert payload_type(fl.Layout((4, 8))) == LayoutType(fl.Layout((4, 8), (1, 4)))
    assert str(payload_type(fl.Swizzle(3, 3, 3))) == "!fly.swizzle<S<3,3,3>>"


def test_layout_without_strides_is_compact() -> None:
    layout = LayoutType.get((4, 8))
    assert str(layout) == "!fly.layout<(4,8):(1,4)>"
    assert (layout.shape, layout.stride) == (IntTupleType((4, 8)), IntTupleType((1, 4)))


def test_shape_and_strides_are_known_apart_from_each_other() -> None:
    layout = LayoutType.get((4, 8), (fl.Dyn(), 1))
    assert (layout.is_static_shape, layout.is_static_stride, layout.is_static) == (True, False, False)
    assert (layout.rank, layout.depth, layout.is_leaf) == (2, 1, False)


def test_parts_of_a_composed_layout() -> None:
    composed = ComposedLayoutType.get(SwizzleType.get(3, 4, 3), fl.Dyn(), LayoutType.get((8, 8)))
    assert composed.inner == SwizzleType.get(3, 4, 3)
    assert composed.offset == IntTupleType(fl.Dyn())
    assert composed.outer == LayoutType.get((8, 8))
    assert (composed.is_static_inner, composed.is_static_offset, composed.is_static_outer) == (True, False, True)
    assert not composed.is_static


def test_parts_of_swizzles() -> None:
    swizzle = SwizzleType.get(2, 4, 3)
    assert (swizzle.mask, swizzle.base, swizzle.shift, swizzle.is_static) == (2, 4, 3, True)
    coords = CoordSwizzleType.get(3, 0, 0, 3, (1, 0))
    assert (coords.mask, coords.base_row, coords.mode_row, coords.base_col, coords.mode_col) == (3, 0, (0,), 3, (1, 0))


def test_modes_of_a_tile_are_numbers_layouts_tiles_and_open_ones() -> None:
    tile = TileType.get([4, None, LayoutType.get(8), [2, 2]])
    assert str(tile) == "!fly.tile<[4|*|8:1|[2|2]]>"
    assert (tile.rank, tile.is_leaf) == (4, False)
    assert [tile.at(mode) for mode in (0, 2, 3)] == [IntTupleType(4), LayoutType.get(8), TileType.get([2, 2])]
