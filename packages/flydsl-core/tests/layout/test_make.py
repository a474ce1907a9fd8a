"""Constructors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import extents, image, injective_layouts, shapes, size

from flydsl.base.errors import LayoutError
from flydsl.layout import (
    IntTuple,
    Layout,
    make_composed_layout,
    make_identity_layout,
    make_layout,
    make_layout_like,
    make_ordered_layout,
    map_leaves,
    parse,
)
from flydsl.layout.int_tuple import text, unflatten


@given(shapes(), st.data())
def test_an_ordered_layout_is_compact_in_the_order_of_its_leaves(shape: IntTuple, data: st.DataObject) -> None:
    leaves = extents(shape)
    ranks = data.draw(st.permutations(range(len(leaves))))
    layout = make_ordered_layout(shape, unflatten(iter(ranks), shape))
    assert sorted(image(layout)) == list(range(size(layout)))
    by_rank = [extents(layout.stride)[ranks.index(r)] for r in range(len(leaves))]
    assert by_rank == sorted(by_rank)


@given(shapes())
def test_a_leaf_order_is_column_major(shape: IntTuple) -> None:
    assert make_ordered_layout(shape, 0) == make_layout(shape)


def test_dynamic_orders_come_after_static_ones_by_position() -> None:
    assert str(make_ordered_layout((2, 3, 4, 5), parse("(?,1,?,0)"))) == "(2,3,4,5):(15,5,30,1)"


def test_dynamic_extents_are_multiplied() -> None:
    assert (
        str(make_ordered_layout(parse("(?,?{i64 div=4},8)"), (2, 0, 1)))
        == "(?,?{i64 div=4},8):(?{i64 div=32},1,?{i64 div=4})"
    )


@given(injective_layouts())
def test_a_layout_like_another_is_compact_and_ordered_alike(layout: Layout) -> None:
    like = make_layout_like(layout)
    assert like.shape == layout.shape
    assert sorted(image(like)) == list(range(size(layout)))
    order = sorted(range(size(layout)), key=image(layout).__getitem__)
    assert sorted(range(size(layout)), key=image(like).__getitem__) == order


@given(shapes())
def test_an_identity_layout_has_unit_basis_strides(shape: IntTuple) -> None:
    layout = make_identity_layout(shape)
    if isinstance(shape, tuple):
        assert all(str(d).startswith("1E") for d in map_flat(layout.stride))
    else:
        assert layout == make_layout(shape, 1)


def map_flat(value: IntTuple) -> list[object]:
    found: list[object] = []
    map_leaves(lambda part: (found.append(part), part)[1], value)
    return found


def test_an_identity_layout_of_nested_and_dynamic_extents() -> None:
    assert str(make_identity_layout(parse("(?,(4,?))"))) == "(?,(4,?)):(1E0,(1E1E0,1E1E1))"


def test_a_composed_layout_is_made_of_inner_offset_and_outer() -> None:
    assert str(make_composed_layout(parse("S<1,2,3>"), 4, parse("8:1"))) == "S<1,2,3> o 4 o 8:1"
    assert text(make_composed_layout(parse("4:1"), parse("?"), parse("8:1")).offset) == "?"


@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((2, 3), (0, 1, 2)),
        ((2, 3), (0, (1, 2))),
        (4, (0,)),
        ((2, 3), (0, None)),
        ((2, 3), parse("(0,1E0)")),
        ((2.0, 3), 0),
    ],
)
def test_malformed_orders_are_refused(shape: object, order: object) -> None:
    with pytest.raises(LayoutError):
        make_ordered_layout(shape, order)


@pytest.mark.parametrize("ref", [None, 4, (4, 8), "4:1", parse("[4|8]")])
def test_a_reference_must_be_a_layout(ref: object) -> None:
    with pytest.raises(LayoutError):
        make_layout_like(ref)
