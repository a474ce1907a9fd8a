"""Text in, objects out, and back to the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import layouts, shapes

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.layout import STAR, Basis, Dyn, IntTuple, Layout, Swizzle, Tile, map_leaves, parse
from flydsl.layout.int_tuple import text

TEXTS = [
    "(4,(?,8))",
    "(*,?)",
    "?{i64 div=8}",
    "?{i64}",
    "?{div=16}",
    "(8)",
    "1E0",
    "4E1",
    "?E0",
    "2E0E1",
    "(?,(1E0,*))",
    "-4",
    "(4,8):(1,4)",
    "(?,?):(?{i64},1)",
    "(?,?):(1E0,1E1)",
    "((8)):((1))",
    "4:-1",
    "S<3,3,3>",
    "CS<3,0,[0],3,[1]>",
    "CS<2,1,[0, 1],3,[1]>",
    "CS<0,0,[],0,[]>",
    "S<3,4,3> o 0 o (8,8):(1,8)",
    "S<3,4,3> o 0 o 8:1 o 3 o 8:1",
    "S<3,4,3> o 0 o 8:1 o 3 o [8:1 o 1 o 8:1]",
    "4:1 o 0 o [S<1,2,3> o 0 o 4:1]",
    "CS<3,0,[0],3,[1]> o (0,0) o (8,8):(1E0,1E1)",
    "[8|64]",
    "[32:1|4:1]",
    "[*|8]",
    "[[8|4]|2]",
    "[?|(2,2):(1,?)]",
]


def spelled(value: object) -> str:
    return text(value) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize("source", TEXTS)
def test_text_is_read_and_written_back(source: str) -> None:
    assert spelled(parse(source)) == source


@pytest.mark.parametrize("source", TEXTS)
def test_blanks_are_allowed_between_the_parts(source: str) -> None:
    spaced = source
    for token in "(),:|[]":
        spaced = spaced.replace(token, f" {token} ")
    assert spelled(parse(spaced)) == source


leaf_values = st.one_of(
    st.integers(-5, 99),
    st.builds(Dyn, st.sampled_from([32, 64]), st.integers(1, 64)),
    st.just(STAR),
    st.builds(Basis, st.integers(-3, 9), st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple)),
)


@given(shapes(), st.data())
def test_any_int_tuple_is_read_back(shape: IntTuple, data: st.DataObject) -> None:
    value = map_leaves(lambda _: data.draw(leaf_values), shape)
    assert parse(spelled(value)) == value


@given(layouts(), layouts())
def test_any_layout_and_tile_is_read_back(a: Layout, b: Layout) -> None:
    assert parse(str(a)) == a
    composed = fl.make_composed_layout(Swizzle(1, 2, 3), 4, fl.make_composed_layout(a, 0, b))
    assert parse(str(composed)) == composed
    tile = Tile((a, 4, (b, None)))
    assert parse(str(tile)) == tile


def test_at_forms_give_the_place_where_they_stopped() -> None:
    source = "f32, global, (8,64):(?{i64},1), align<16>"
    layout, end = fl.parse_layout_at(source, 13)
    assert str(layout) == "(8,64):(?{i64},1)"
    assert source[end:] == ", align<16>"
    assert fl.parse_int_tuple_at("x(4,8)y", 1) == ((4, 8), 6)
    assert fl.parse_basis_at("2E0E1>") == (Basis(2, (0, 1)), 5)
    assert fl.parse_swizzle_at("S<3,3,3>>")[1] == 8
    assert fl.parse_coord_swizzle_at("CS<3,0,[0],3,[1]>>")[1] == 17
    assert fl.parse_composed_layout_at("S<1,2,3> o 0 o 4:1>")[1] == 18
    assert fl.parse_any_layout_at("4:1>")[1] == 3
    assert fl.parse_tile_at("[8|4]>")[1] == 5


def test_whole_forms_read_one_kind() -> None:
    assert fl.parse_int_tuple("(4,8)") == (4, 8)
    assert fl.parse_basis("4E1") == Basis(4, (1,))
    assert str(fl.parse_layout("4:1")) == "4:1"
    assert str(fl.parse_any_layout("S<1,2,3> o 0 o 4:1")) == "S<1,2,3> o 0 o 4:1"
    assert str(fl.parse_composed_layout("S<1,2,3> o 0 o 4:1")) == "S<1,2,3> o 0 o 4:1"
    assert str(fl.parse_swizzle("S<1,2,3>")) == "S<1,2,3>"
    assert str(fl.parse_coord_swizzle("CS<3,0,[0],3,[1]>")) == "CS<3,0,[0],3,[1]>"
    assert str(fl.parse_tile("8")) == "[8]"


@pytest.mark.parametrize(
    "source",
    [
        "",
        "(",
        "(4",
        "(4,)",
        "()",
        "4,",
        "(4,8",
        "(4,8):",
        "(4,8):(1)",
        "(4,8):(1,4) x",
        ":",
        "4:",
        "S<1,2>",
        "S<1,2,3> o",
        "S<1,2,3> o 0",
        "S<1,2,3> o 0 o",
        "S<3,0,1>",
        "CS<1,2,[],3,[1]>",
        "[",
        "[]",
        "[8",
        "[8|",
        "[8|]",
        "[(4,8)]",
        "[1E0]",
        "?{i16}",
        "?{div=0}",
        "4.0",
        "four",
        "-",
        "[0]",
        "[S<1,2,3> o 0 o 4:1] o",
        "(-4):(1)",
        "*:1",
    ],
)
def test_malformed_text_is_refused(source: str) -> None:
    with pytest.raises(LayoutError):
        parse(source)


@pytest.mark.parametrize("source", [None, 4, b"4:1", parse("4:1")])
def test_what_is_no_text_is_refused(source: object) -> None:
    with pytest.raises(LayoutError, match="text is needed"):
        parse(source)


@given(st.text(alphabet="0123456789(),:?*E[]|So<>{}i64div= -", max_size=24))
def test_any_text_parses_or_is_refused(source: str) -> None:
    try:
        value = parse(source)
    except LayoutError:
        return
    assert parse(spelled(value)) == value
