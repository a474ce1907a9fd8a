"""Division in four groupings."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from layout_strategies import image, injective_layouts, layouts, size

from flydsl.base.errors import LayoutError
from flydsl.layout import (
    STAR,
    Layout,
    Tile,
    flat_divide,
    logical_divide,
    map_leaves,
    parse,
    tiled_divide,
    zipped_divide,
)

DIVISIONS = (logical_divide, zipped_divide, tiled_divide, flat_divide)


@given(injective_layouts(powers_of_two=True), injective_layouts(powers_of_two=True, limit=32))
def test_a_division_is_tile_then_rest_of_the_same_elements(layout: Layout, tiler: Layout) -> None:
    result = logical_divide(layout, tiler)
    tile, rest = result
    assert image(tile) == [layout(tiler(i)) for i in range(size(tiler))]
    assert [t + r for r in image(rest) for t in image(tile)] == image(result)
    assert set(image(layout)) <= set(image(result))


@given(layouts(), layouts())
def test_any_accepted_division_loses_no_place_that_tiler_and_complement_cover(layout: Layout, tiler: Layout) -> None:
    try:
        result = logical_divide(layout, tiler)
    except LayoutError:
        assume(False)
    assert image(result[0]) == [layout(tiler(i)) for i in range(size(tiler))]


@st.composite
def divided(draw: st.DrawFn) -> tuple[Layout, Tile]:
    """A layout, and a tile of extents that divide its modes."""
    modes = [draw(injective_layouts(gaps=False, limit=16)) for _ in range(draw(st.integers(1, 3)))]
    scale, parts = 1, []
    for mode in modes:
        parts.append((mode.shape, map_leaves(lambda d, scale=scale: d * scale, mode.stride)))
        scale *= size(mode)
    layout = Layout(tuple(s for s, _ in parts), tuple(d for _, d in parts))
    entries = [draw(st.sampled_from([d for d in range(1, size(mode) + 1) if size(mode) % d == 0])) for mode in modes]
    return layout, Tile(tuple(entries[: draw(st.integers(1, len(entries)))]))


@given(divided())
def test_all_groupings_hold_the_elements_of_the_layout_once(case: tuple[Layout, Tile]) -> None:
    layout, tile = case
    for divide in DIVISIONS:
        try:
            result = divide(layout, tile)
        except LayoutError:
            assume(False)
        assert sorted(image(result)) == sorted(image(layout))


@given(divided())
def test_a_tiled_mode_counts_tile_plus_rest_times_extent(case: tuple[Layout, Tile]) -> None:
    layout, tile = case
    try:
        tiles, rests = zipped_divide(layout, tile)
    except LayoutError:
        assume(False)
    for number, extent in enumerate(tile):
        mode = layout[number]
        for t in range(extent):
            for r in range(size(mode) // extent):
                assert tiles[number](t) + rests[number](r) == mode(t + r * extent)
    assert list(rests)[tile.rank :] == list(layout)[tile.rank :]


@given(divided())
def test_tiled_and_flat_are_regroupings_of_zipped(case: tuple[Layout, Tile]) -> None:
    layout, tile = case
    try:
        tiles, rests = zipped_divide(layout, tile)
    except LayoutError:
        assume(False)
    assert list(tiled_divide(layout, tile)) == [tiles, *rests]
    assert list(flat_divide(layout, tile)) == [*tiles, *rests]


def test_a_mode_under_a_star_is_left_alone() -> None:
    layout = parse("(8,(4,2),16):(1,(8,32),64)")
    assert logical_divide(layout, Tile((4, STAR)))[1] == layout[1]
    assert str(zipped_divide(layout, Tile((4, STAR)))) == "((4,4),(2,2,16)):((1,8),(4,32,64))"


def test_a_mode_under_a_star_that_is_not_divided_yet_cannot_be_zipped() -> None:
    with pytest.raises(LayoutError, match="under \\* must have two modes"):
        zipped_divide(parse("(8,16):(1,8)"), Tile((4, STAR)))


def test_nested_tiles_divide_nested_modes() -> None:
    layout = parse("((8,4),16):((1,8),32)")
    assert str(zipped_divide(layout, parse("[[4|2]|8]"))) == "(((4,2),8),((2,2),2)):(((1,8),32),((4,16),256))"


def test_dynamic_extents_are_divided_rounding_up() -> None:
    result = flat_divide(parse("(?,?):(?{i64},1)"), parse("[8|64]"))
    assert str(result) == "(8,64,?,?):(?{i64},1,?{i64 div=8},64)"


def test_a_composed_layout_is_divided_in_its_outer_part() -> None:
    layout = parse("S<2,1,3> o 4 o (8,8):(1,8)")
    assert str(zipped_divide(layout, Tile((4, 2)))) == "S<2,1,3> o 4 o ((4,2),(2,4)):((1,8),(4,16))"


@pytest.mark.parametrize("divide", DIVISIONS)
def test_a_tile_with_more_modes_than_the_layout_is_refused(divide: object) -> None:
    with pytest.raises(LayoutError, match="the tile has 3 modes, the layout 2") as caught:
        divide(parse("(8,8):(1,8)"), Tile((4, 2, 2)))
    assert caught.value.op == divide.__name__


def test_an_extent_and_a_tuple_are_tilers_too() -> None:
    layout = parse("(8,8):(1,8)")
    assert logical_divide(layout, 4) == logical_divide(layout, parse("4:1"))
    assert logical_divide(layout, (4, 2)) == logical_divide(layout, Tile((4, 2)))
