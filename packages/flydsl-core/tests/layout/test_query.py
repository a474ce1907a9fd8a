"""Sizes, codomains, coordinates and indexes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import (
    Concrete,
    extents,
    image,
    injective_layouts,
    layouts,
    number,
    size,
    split_column_major,
    static,
)

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.layout import Layout, crd2idx, get_1d_coord, get_flat_coord, idx2crd, make_identity_layout, parse
from flydsl.layout.coord import column_major
from flydsl.layout.int_tuple import congruent, text


@given(layouts())
def test_size_and_cosize_count_elements_and_storage(layout: Layout) -> None:
    assert fl.size(layout) == fl.size(layout.shape) == len(image(layout))
    assert fl.cosize(layout) == fl.coshape(layout) == 1 + max(image(layout))
    assert fl.coprofile(layout) == 0


@given(layouts())
def test_the_codomain_of_an_identity_layout_is_its_shape(layout: Layout) -> None:
    identity = make_identity_layout(layout.shape)
    assert congruent(fl.coprofile(identity), layout.shape)
    assert set(extents(fl.coprofile(identity))) == {0}
    assert fl.coshape(identity) == layout.shape
    assert fl.cosize(identity) == size(layout)


@given(layouts(), st.data())
def test_an_identity_layout_sends_coordinates_to_themselves(layout: Layout, data: st.DataObject) -> None:
    coord = split_column_major(data.draw(st.integers(0, size(layout) - 1)), layout.shape)
    identity = make_identity_layout(layout.shape)
    assert crd2idx(coord, identity) == coord
    assert idx2crd(coord, identity) == coord


@given(layouts(), st.data())
def test_every_form_of_a_coordinate_has_the_same_index(layout: Layout, data: st.DataObject) -> None:
    i = data.draw(st.integers(0, size(layout) - 1))
    coord = split_column_major(i, layout.shape)
    assert column_major(coord, layout.shape) == i
    assert crd2idx(coord, layout) == crd2idx(i, layout) == layout(i)
    if isinstance(coord, tuple):
        modes = tuple(column_major(c, s) for c, s in zip(coord, layout.shape, strict=True))
        assert crd2idx(modes, layout) == layout(i)


@given(injective_layouts(), st.data())
def test_an_index_leads_back_to_its_coordinate(layout: Layout, data: st.DataObject) -> None:
    i = data.draw(st.integers(0, size(layout) - 1))
    index = layout(i)
    assert idx2crd(index, layout) == split_column_major(i, layout.shape)
    assert get_1d_coord(index, layout) == i
    assert crd2idx(get_flat_coord(index, layout), layout) == index
    assert number(get_1d_coord(Concrete(index), layout)) == i


@given(layouts(), st.data())
def test_dynamic_coordinates_have_the_index_of_the_static_ones(layout: Layout, data: st.DataObject) -> None:
    coord = split_column_major(data.draw(st.integers(0, size(layout) - 1)), layout.shape)
    dynamic = fl.map_leaves(lambda c: Concrete(c) if data.draw(st.booleans()) else c, coord)
    assert number(crd2idx(dynamic, layout)) == crd2idx(coord, layout)
    assert static(crd2idx(dynamic, make_identity_layout(layout.shape))) == coord


@pytest.mark.parametrize(
    ("coord", "layout", "index"),
    [
        ("?", "((16,8),4):((32,1),8)", "?"),
        ("?{div=128}", "(16,8):(32,1)", "?"),
        ("(?,?{div=4})", "(8,64):(?{i64},1)", "?{i64}"),
        ("(0,?{div=64})", "(128,128):(128,1)", "?{div=64}"),
        ("?", "(16,8):(4E1,1E0)", "(?,?{div=4})"),
        ("(3,0)", "(8,8):(1E0,1E1)", "(3,0)"),
        ("3", "8:1E1", "(0,3)"),
        ("(0,0)", "(8,8):(1E0,1E1)", "(0,0)"),
    ],
)
def test_index_types(coord: str, layout: str, index: str) -> None:
    assert text(crd2idx(parse(coord), parse(layout))) == index


def test_the_cosize_of_a_swizzled_layout_holds_every_index() -> None:
    for source in ("S<3,3,3> o 0 o 65:1", "S<2,1,3> o 4 o (8,8):(1,8)", "S<0,0,0> o 0 o 5:1"):
        layout = parse(source)
        assert max(layout(i) for i in range(fl.size(layout))) < fl.cosize(layout)
    assert fl.cosize(parse("S<3,3,3> o 0 o (8,64):(64,1)")) == 512
    assert fl.cosize(parse("8:4 o 0 o 8:1")) == 29
    with pytest.raises(LayoutError, match="not known"):
        fl.cosize(parse("8:4 o 4 o 8:1"))


def test_the_cosize_of_an_empty_layout_is_zero_and_of_negative_strides_counts_their_range() -> None:
    assert fl.cosize(parse("(0,4):(1,1)")) == 0
    assert fl.cosize(parse("(0,4):(4,1)")) == 0
    assert fl.cosize(parse("4:-2")) == 7


def test_dynamic_sizes() -> None:
    assert text(fl.size(parse("(?{div=4},8):(1,?)"))) == "?{div=32}"
    assert text(fl.cosize(parse("(8,?):(1,8)"))) == "?"
    assert text(fl.coshape(parse("(?,?):(1E0,1E1)"))) == "(?,?)"


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (idx2crd, (5, "(3,4):(0,4)")),
        (idx2crd, ("(1,2)", "(3,4):(1,3)")),
        (idx2crd, (5, "(3,4):(1E0,1E1)")),
        (idx2crd, ("((1,2),3)", "(3,4):(1E0,1E1)")),
        (idx2crd, (5, "S<1,0,1> o 0 o (3,4):(1,3)")),
        (get_1d_coord, (5, "3:0")),
        (crd2idx, ("(1,2,3)", "(3,4):(1,3)")),
        (crd2idx, ("(1,(1,1))", "(3,4):(1,3)")),
        (crd2idx, ("(1,2)", "S<1,0,1>")),
        (crd2idx, ("(1,*)", "(3,4):(1,3)")),
        (crd2idx, ("1", "(3,4):(1,1E0)")),
    ],
)
def test_impossible_questions_are_refused(function: object, arguments: tuple[object, str]) -> None:
    coord, layout = arguments
    with pytest.raises(LayoutError):
        function(parse(coord) if isinstance(coord, str) else coord, parse(layout))
