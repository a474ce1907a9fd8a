"""The layout algebra: int tuples, layouts, swizzles and tiles in plain Python, as defined by the Fly dialect."""

from __future__ import annotations

from flydsl.layout.int_tuple import (
    IntTuple,
    ceil_div,
    depth,
    elem_less,
    equal,
    flatten,
    int_tuple_add,
    int_tuple_div,
    int_tuple_mod,
    int_tuple_mul,
    int_tuple_product,
    int_tuple_product_each,
    int_tuple_product_like,
    int_tuple_sub,
    is_static,
    leaves,
    map_leaves,
    rank,
    shape_div,
)
from flydsl.layout.layout import AnyLayout, ComposedLayout, Layout, Tile
from flydsl.layout.leaf import STAR, Basis, Dyn, Leaf, Star
from flydsl.layout.parse import (
    parse,
    parse_any_layout,
    parse_any_layout_at,
    parse_basis,
    parse_basis_at,
    parse_composed_layout,
    parse_composed_layout_at,
    parse_coord_swizzle,
    parse_coord_swizzle_at,
    parse_int_tuple,
    parse_int_tuple_at,
    parse_layout,
    parse_layout_at,
    parse_swizzle,
    parse_swizzle_at,
    parse_tile,
    parse_tile_at,
)
from flydsl.layout.swizzle import CoordSwizzle, Swizzle
