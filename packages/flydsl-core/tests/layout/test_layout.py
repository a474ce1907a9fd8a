"""The types: construction, equality, calls, modes."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import Concrete, image, layouts, number, oracle, size, with_dynamic_leaves

from flydsl.base.errors import LayoutError
from flydsl.layout import STAR, ComposedLayout, Dyn, Layout, Swizzle, Tile, parse


@given(layouts())
def test_calling_with_a_number_walks_the_coordinates_column_major(layout: Layout) -> None:
    assert [layout(i) for i in range(size(layout))] == oracle(layout)


@given(layouts(), st.data())
def test_calling_with_a_dynamic_number_gives_the_same_index(layout: Layout, data: st.DataObject) -> None:
    i = data.draw(st.integers(0, size(layout) - 1))
    assert number(layout(Concrete(i))) == layout(i)


@given(layouts(), st.data())
def test_dynamic_extents_and_strides_give_the_same_index(layout: Layout, data: st.DataObject) -> None:
    assert image(data.draw(with_dynamic_leaves(layout))) == image(layout)


@given(layouts())
def test_layouts_are_equal_by_value_and_survive_pickling(layout: Layout) -> None:
    again = Layout(layout.shape, layout.stride)
    assert again == layout
    assert hash(again) == hash(layout)
    assert pickle.loads(pickle.dumps(layout)) == layout
    assert layout != parse("7:7")
    assert layout != "7:7"


def test_coordinates_are_given_as_arguments_or_as_a_tuple() -> None:
    layout = parse("((4,2),8):((1,16),4)")
    assert layout(1, 3) == layout((1, 3)) == layout(((1, 0), 3)) == 13


def test_the_stride_defaults_to_compact_column_major() -> None:
    assert str(Layout((4, (2, 3)))) == "(4,(2,3)):(1,(4,8))"
    assert str(Layout((Dyn(), Dyn(64, 8), 4))) == "(?,?{i64 div=8},4):(1,?,?{i64 div=8})"


def test_modes_rank_and_depth() -> None:
    layout = parse("((4,2),8):((1,16),4)")
    assert (layout.rank, layout.depth, len(layout)) == (2, 2, 2)
    assert [str(mode) for mode in layout] == ["(4,2):(1,16)", "8:4"]
    assert layout[-1] == layout[1]
    assert parse("8:4")[0] == parse("8:4")
    assert (parse("8:4").rank, parse("8:4").depth) == (1, 0)


def test_static_and_plain_are_told_apart() -> None:
    assert parse("(4,8):(1,4)").is_static
    assert not parse("(4,8):(1,?)").is_static
    assert parse("(4,8):(1,?)").is_plain
    assert not Layout(4, Concrete(8)).is_plain
    assert not ComposedLayout(Swizzle(1, 0, 1), Concrete(8), Layout(4)).is_plain
    assert not Tile((4, Layout(4, Concrete(2)))).is_plain


@pytest.mark.parametrize(
    ("shape", "stride"),
    [
        ((4, 8), (1,)),
        ((4, 8), 1),
        (4, (1,)),
        ((4, -8), None),
        (4.0, 1),
        ((4, None), (1, 2)),
        ((4, STAR), (1, 2)),
        (4, None.__class__),
        (True, 1),
        ((), ()),
        ([4, 8], [1, 4]),
        (parse("1E0"), 1),
        ("4", 1),
        ((4, 8), (1, None)),
    ],
)
def test_malformed_layouts_are_refused(shape: object, stride: object) -> None:
    with pytest.raises(LayoutError) as caught:
        Layout(shape, stride)
    assert caught.value.op == "make_layout"


@pytest.mark.parametrize("mode", [2, -3, 1.0, None, "0", True])
def test_a_mode_that_is_not_there_is_refused(mode: object) -> None:
    for value in (parse("(4,8):(1,4)"), parse("S<1,0,1> o 0 o (4,8):(1,4)"), parse("[4|8]")):
        with pytest.raises(LayoutError):
            value[mode]


@pytest.mark.parametrize("coord", [(1, 2, 3), (1, (2, 3)), 1.5, None, (1, None), "1", [1, 2], (1, parse("1E0"))])
def test_a_malformed_coordinate_is_refused(coord: object) -> None:
    with pytest.raises(LayoutError):
        parse("(4,8):(1,4)")(coord)


def test_zero_extents_are_layouts_whose_call_is_refused_where_it_divides() -> None:
    empty = parse("(0,4):(1,0)")
    assert empty((0, 3)) == 0
    with pytest.raises(LayoutError, match="division by zero"):
        empty(1)


def test_layouts_are_immutable() -> None:
    with pytest.raises(AttributeError):
        parse("4:1").shape = 8


def test_a_composed_layout_applies_outer_offset_and_inner() -> None:
    layout = parse("S<2,1,3> o 4 o (8,8):(1,8)")
    swizzle = parse("S<2,1,3>")
    assert [layout(i) for i in range(64)] == [swizzle(4 + i) for i in range(64)]
    assert [layout(i, j) for j in range(8) for i in range(8)] == [layout(i) for i in range(64)]
    assert (layout.rank, layout.depth, layout.shape, layout.stride) == (2, 1, (8, 8), (1, 8))


def test_composed_layouts_nest_on_both_sides() -> None:
    inner = parse("[S<1,0,2> o 1 o 64:1] o 3 o 8:4")
    assert [inner(i) for i in range(8)] == [inner.inner(3 + 4 * i) for i in range(8)]


@pytest.mark.parametrize(
    "parts", [(None, 0, Layout(4)), (Swizzle(1, 0, 1), None, Layout(4)), (Layout(4), 0, 4), (4, 0, 4)]
)
def test_malformed_composed_layouts_are_refused(parts: tuple[object, object, object]) -> None:
    with pytest.raises(LayoutError):
        ComposedLayout(*parts)


def test_a_swizzle_refuses_a_coordinate() -> None:
    with pytest.raises(LayoutError, match="linear index"):
        parse("S<1,0,1> o 0 o (4,8):(1E0,1E1)")(3)


def test_tiles_take_extents_stars_layouts_and_nested_tiles() -> None:
    tile = Tile((8, None, Layout(4), (2, 2)))
    assert str(tile) == "[8|*|4:1|[2|2]]"
    assert tile.rank == len(tile) == len(list(tile)) == 4
    assert tile.is_static
    assert not Tile((Dyn(),)).is_static
    assert not Tile((Concrete(4), (2, 2))).is_static
    assert not Tile((parse("4:?"),)).is_static
    assert Tile((8, 4)) == Tile((8, 4))


@pytest.mark.parametrize("modes", [(), (0,), (-4,), (4.0,), ("8",), (parse("1E0"),), ([4],)])
def test_malformed_tiles_are_refused(modes: object) -> None:
    with pytest.raises(LayoutError):
        Tile(modes)
