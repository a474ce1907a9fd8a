"""Pictures of layouts."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from layout_strategies import layouts, oracle, size

from flydsl.base.errors import LayoutError
from flydsl.layout import Layout, Tile, make_layout_tv, parse
from flydsl.layout.render import MAX_CELLS, picture, picture_tv, svg, table

SVG = "{http://www.w3.org/2000/svg}"


def body(text: str) -> list[list[str]]:
    """The cells of a table."""
    return [re.split(r"\s{2,}", line.split("|")[1].strip()) for line in text.splitlines()[3:]]


@given(layouts())
def test_a_table_holds_every_index_at_its_coordinate(layout: Layout) -> None:
    rows = body(table(picture(layout)))
    indexes = oracle(layout)
    assert len(rows) * len(rows[0]) == size(layout)
    assert [int(row[c]) for c in range(len(rows[0])) for row in rows] == indexes


def test_a_table_has_a_title_and_numbers() -> None:
    assert table(picture(parse("(2,3):(1,2)"))) == (
        "(2,3):(1,2)\n"
        "  | 0  1  2\n"
        "-----------\n"
        "0 | 0  2  4\n"
        "1 | 1  3  5"
    )  # fmt: skip


def test_coordinates_are_shown_as_such() -> None:
    assert body(table(picture(parse("(2,2):(1E1,1E0)")))) == [["(0,0)", "(1,0)"], ["(0,1)", "(1,1)"]]


def test_a_swizzled_layout_shows_banks_of_its_element_width() -> None:
    layout = parse("S<3,3,3> o 0 o (8,64):(64,1)")
    rows = body(table(picture(layout, 16)))
    for r in range(8):
        for c in range(64):
            index = layout((r, c))
            assert rows[r][c] == f"{index} b{index * 2 // 4 % 32}"
    first_column = {cell.split(" b")[1] for cell in (row[0] for row in rows)}
    assert len(first_column) == 8


def test_every_place_of_a_tile_shows_its_thread_and_value() -> None:
    tile, tv = make_layout_tv(parse("(2,4):(4,1)"), parse("(1,2):(1,1)"))
    rows = body(table(picture_tv(tv, tile)))
    for thread in range(8):
        for value in range(2):
            place = tv((thread, value))
            assert rows[place % tile[0]][place // tile[0]] == f"T{thread} V{value}"


def test_shared_and_empty_places_are_marked() -> None:
    rows = body(table(picture_tv(parse("(4,1):(0,0)"), Tile((2,)))))
    assert rows == [["T0 V0 +3"], ["-"]]


@pytest.mark.parametrize("source", ["(4,8):(1,4)", "S<2,1,3> o 0 o (8,8):(8,1)", "(2,2):(1E0,1E1)", "8:1"])
def test_an_svg_is_well_formed_with_a_box_for_every_place(source: str) -> None:
    layout = parse(source)
    root = ElementTree.fromstring(svg(picture(layout)))
    assert root.tag == f"{SVG}svg"
    count = 1
    for mode in layout:
        count *= mode.shape
    assert len(root.findall(f"{SVG}rect")) == count
    assert root.findall(f"{SVG}text")[0].text == source


def test_equal_banks_have_equal_colours() -> None:
    shown = picture(parse("S<3,0,3> o 0 o (8,8):(8,1)"), 32)
    boxes = ElementTree.fromstring(svg(shown)).findall(f"{SVG}rect")
    fills = dict(
        zip((number for row in shown.cells for _, number in row), (box.get("fill") for box in boxes), strict=True)
    )
    assert len(set(fills.values())) == len(fills) == 32


def test_notebooks_get_a_picture_where_there_is_one() -> None:
    assert parse("(4,8):(1,4)")._repr_svg_().startswith("<svg")
    assert parse("S<1,0,1> o 0 o (4,8):(1,4)")._repr_svg_().startswith("<svg")
    assert parse("(4,?):(1,4)")._repr_svg_() is None


@pytest.mark.parametrize("bad", [parse("(4,?):(1,4)"), parse("0:1"), Layout(MAX_CELLS + 1), None, "4:1", 4])
def test_what_has_no_picture_is_refused(bad: object) -> None:
    with pytest.raises(LayoutError):
        picture(bad)


@pytest.mark.parametrize("tile", [parse("[8|*]"), parse("[?]"), parse("[2|2|2]"), Tile((MAX_CELLS, 2)), None])
def test_a_tile_without_a_picture_is_refused(tile: object) -> None:
    with pytest.raises(LayoutError):
        picture_tv(parse("(4,2):(1,4)"), tile)


def test_the_element_width_is_checked() -> None:
    with pytest.raises(LayoutError, match="element width"):
        picture(parse("S<1,0,1> o 0 o 8:1"), 0)
