"""Every operation on awkward layouts: what it gives does what it is defined to do, or it is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from layout_postconditions import POSTCONDITIONS, is_coordinate
from layout_strategies import (
    Concrete,
    awkward_layouts,
    injective_layouts,
    number,
    oracle,
    static_layout,
    with_dynamic_leaves,
)

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.layout import STAR, Layout, Tile, map_leaves

WIDTHS = [(16, 8), (8, 16), (32, 8), (8, 32), (6, 8), (8, 6), (16, 4), (4, 16), (1, 32)]


@st.composite
def tilers(draw: st.DrawFn, rank: int) -> Layout | Tile:
    """A layout, or a tile with any entries."""
    small = awkward_layouts(limit=16)
    if draw(st.booleans()):
        return draw(small)
    entry = st.one_of(st.just(STAR), st.sampled_from([1, 2, 3, 4, 8]), small)
    return Tile(tuple(draw(st.lists(entry, min_size=1, max_size=rank))))


@st.composite
def arguments(draw: st.DrawFn, op: str) -> tuple[Any, ...]:
    layout = draw(awkward_layouts(16 if op == "tile_to_shape" else 64))
    if op == "composition":
        return layout, draw(awkward_layouts())
    if op == "complement":
        return layout, draw(st.integers(0, 300))
    if op == "recast_layout":
        return layout, *draw(st.sampled_from(WIDTHS))
    if op == "idx2crd":
        return layout, draw(st.integers(0, 100))
    if op == "tile_to_shape":
        shape = draw(st.lists(st.integers(1, 16), min_size=layout.rank, max_size=layout.rank))
        order = draw(st.lists(st.integers(0, layout.rank), min_size=layout.rank, max_size=layout.rank))
        return layout, tuple(shape), tuple(order)
    if op.endswith("_divide"):
        return layout, draw(tilers(layout.rank))
    if op.endswith("_product"):
        return layout, draw(awkward_layouts(limit=16))
    return (layout,)


@pytest.mark.parametrize("op", sorted(POSTCONDITIONS))
@given(data=st.data())
def test_a_result_does_what_the_operation_promises(op: str, data: st.DataObject) -> None:
    args = data.draw(arguments(op))
    try:
        result = getattr(fl, op)(*(reversed(args) if op == "idx2crd" else args))
    except LayoutError:
        return
    assert POSTCONDITIONS[op](result, *args), result


@given(awkward_layouts(), st.data())
def test_every_index_of_a_layout_has_a_coordinate(layout: Layout, data: st.DataObject) -> None:
    assume(
        0 not in [d for s, d in zip(fl.flatten((layout.shape,)), fl.flatten((layout.stride,)), strict=True) if s > 1]
    )
    index = data.draw(st.sampled_from(oracle(layout)))
    assert is_coordinate(fl.idx2crd(index, layout), layout, index)
    assert fl.crd2idx(fl.get_flat_coord(index, layout), layout) == index
    assert layout(fl.get_1d_coord(index, layout)) == index


@pytest.mark.parametrize("extents_known", [True, False])
@given(data=st.data())
def test_a_coordinate_of_an_index_of_run_time_is_right_or_refused(extents_known: bool, data: st.DataObject) -> None:
    """That strides do not interleave cannot be seen where an extent is known at run time only: the caller's to keep."""
    layout = data.draw(awkward_layouts() if extents_known else injective_layouts(divisible=False, limit=64))
    index = data.draw(st.sampled_from(oracle(layout)))
    if not extents_known:
        layout = data.draw(with_dynamic_leaves(layout, stride=False))
    try:
        coord = fl.idx2crd(Concrete(index), layout)
    except LayoutError:
        return
    assert is_coordinate(map_leaves(number, coord), static_layout(layout), index)


def test_a_padded_matrix_with_a_pitch_known_at_run_time_has_its_coordinates() -> None:
    for shape, stride in [((4, 7), (Concrete(9), 1)), ((4, 7), (1, Concrete(5)))]:
        layout = Layout((Concrete(4), Concrete(7)), stride)
        for i in range(4):
            for j in range(7):
                index = number(fl.crd2idx((i, j), layout))
                assert map_leaves(number, fl.idx2crd(Concrete(index), layout)) == (i, j), shape


@pytest.mark.parametrize(
    ("op", "args"),
    [
        ("logical_product", ("(8,2):(9,64)", "(8,1):(1,1)")),
        ("logical_product", ("(4,8):(10,12)", "2:2")),
        ("blocked_product", ("(2,2):(8,9)", "3:1")),
        ("raked_product", ("(6,4):(16,9)", "3:1")),
        ("tile_to_shape", ("(2,4):(7,8)", "(4,8)", "(1,0)")),
        ("tile_to_shape", ("(8,8):(1,8)", "(16,16)", "(0,0)")),
        ("logical_divide", ("5:2", "(5,2):(6,2)")),
        ("zipped_divide", ("8:2", "(5,2):(1,6)")),
        ("idx2crd", ("-1", "1:0")),
        ("idx2crd", ("-1", "8:1")),
        ("idx2crd", ("?", "(2,3):(4,3)")),
    ],
)
def test_where_no_layout_is_right_the_operation_is_refused(op: str, args: tuple[str, ...]) -> None:
    with pytest.raises(LayoutError) as caught:
        getattr(fl, op)(*map(fl.parse, args))
    assert caught.value.operands


@pytest.mark.parametrize(
    ("index", "layout", "coord"),
    [
        ("50", "((2,8,4)):((1,2,49))", "((1,0,1))"),
        ("6", "(2,3):(4,3)", "(0,2)"),
        ("10", "(4,8):(9,1)", "(1,1)"),
        ("-3", "(4,2):(-1,4)", "(3,0)"),
        ("-7", "(4,2):(-1,-5)", "(2,1)"),
        ("(7,3)", "(4,(2,8)):(1E0,(4E0,1E1))", "(3,(1,3))"),
    ],
)
def test_coordinates_that_plain_division_misses(index: str, layout: str, coord: str) -> None:
    assert fl.idx2crd(fl.parse(index), fl.parse(layout)) == fl.parse(coord)


def test_copies_that_need_more_room_than_their_elements_fill() -> None:
    result = fl.logical_product(fl.parse("(2,2,2):(1,5,19)"), 4)
    assert len(set(oracle(result))) == 32
