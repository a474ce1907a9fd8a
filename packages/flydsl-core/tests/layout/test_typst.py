"""Pictures as Typst."""

from __future__ import annotations

import re

from flydsl.layout import Tile, make_layout_tv, parse
from flydsl.layout.render import picture, picture_tv
from flydsl.layout.typst import typst

CELL = re.compile(r'table.cell\(fill: rgb\("(#[0-9a-f]{6})"\), "([^"]*)"\)')


def test_every_cell_of_a_layout_is_there_in_its_row() -> None:
    text = typst(picture(parse("(4,3):(3,1)")))
    rows = [line for line in text.splitlines() if "table.cell" in line]
    assert [[label for _, label in CELL.findall(row)] for row in rows] == [
        [str(3 * row + column) for column in range(3)] for row in range(4)
    ]
    assert "columns: 4" in text
    assert len({colour for colour, _ in CELL.findall(text)}) == 8


def test_colours_may_be_given() -> None:
    assert CELL.findall(typst(picture(parse("2:5")), lambda index: f"#0000{index:02x}")) == [
        *(("#000000", "0"), ("#000005", "5")),
    ]
    tile, tv = make_layout_tv(parse("2:1"), parse("2:1"))
    shown = typst(picture_tv(tv, tile), lambda thread, value: f"#{thread:02x}{value:02x}00")
    assert set(CELL.findall(shown)) == {(f"#0{t}0{v}00", f"T{t} V{v}") for t in range(2) for v in range(2)}


def test_cells_that_nobody_holds_are_white_and_titles_are_strings() -> None:
    shown = typst(picture_tv(parse("(2,1):(1,0)"), Tile((4,))), lambda thread, value: "#ff0000")
    assert [colour for colour, _ in CELL.findall(shown)] == ["#ff0000", "#ff0000", "#ffffff", "#ffffff"]
    assert shown.startswith('#strong("(2,1):(1,0) in [4]")')
