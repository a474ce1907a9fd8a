"""Composition: R(i) = A(B(i))."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from layout_strategies import extents, image, injective_layouts, layouts, size

from flydsl.base.errors import LayoutError
from flydsl.layout import (
    STAR,
    Layout,
    Tile,
    composition,
    crd2idx,
    int_tuple_product_like,
    make_identity_layout,
    parse,
)


def compatible(coarse: object, fine: object) -> bool:
    try:
        return int_tuple_product_like(fine, coarse) == coarse
    except LayoutError:
        return False


@given(layouts(), layouts())
def test_composition_is_the_composed_function_or_an_error(a: Layout, b: Layout) -> None:
    try:
        result = composition(a, b)
    except LayoutError:
        assume(False)
    assert image(result) == [a(b(i)) for i in range(size(b))]


@given(layouts(), layouts())
def test_composition_keeps_the_structure_of_the_right_operand(a: Layout, b: Layout) -> None:
    try:
        result = composition(a, b)
    except LayoutError:
        assume(False)
    unwrapped = b.shape
    while isinstance(unwrapped, tuple) and len(unwrapped) == 1:
        unwrapped = unwrapped[0]
    assert size(result) == size(b)
    if not isinstance(unwrapped, tuple):
        assert compatible(unwrapped, result.shape)
    else:
        assert result.rank == len(unwrapped)


@given(injective_layouts(powers_of_two=True), injective_layouts(powers_of_two=True))
def test_powers_of_two_always_compose(a: Layout, b: Layout) -> None:
    result = composition(a, b)
    assert image(result) == [a(b(i)) for i in range(size(b))]


@given(layouts(), st.data())
def test_composition_with_a_tile_composes_mode_by_mode(a: Layout, data: st.DataObject) -> None:
    entries = [data.draw(st.sampled_from([STAR, *_divisors(size(mode))])) for mode in a]
    tile = Tile(tuple(entries[: data.draw(st.integers(1, len(entries)))]))
    try:
        result = composition(a, tile)
    except LayoutError:
        assume(False)
    modes = list(result) if isinstance(a.shape, tuple) else [result]
    for mode, ours, entry in zip(a, modes, [*tile, *[STAR] * (a.rank - tile.rank)], strict=True):
        count = size(mode) if entry is STAR else entry
        assert image(ours) == image(mode)[:count]


def _divisors(n: int) -> list[int]:
    return [d for d in range(1, n + 1) if n % d == 0]


@given(injective_layouts(powers_of_two=True), st.data())
def test_a_basis_stride_picks_the_mode_of_its_path(a: Layout, data: st.DataObject) -> None:
    identity = make_identity_layout(a.shape)
    assert image(composition(a, identity)) == image(a)


@given(injective_layouts(powers_of_two=True))
def test_composing_an_identity_layout_yields_coordinates(b: Layout) -> None:
    assume(isinstance(b.shape, tuple))
    identity = make_identity_layout((16, 64))
    result = composition(identity, b)
    for i in range(size(b)):
        found = crd2idx(i, result)
        found = found if isinstance(found, tuple) else (found,)
        assert found + (0,) * (2 - len(found)) == identity(b(i))


def test_a_swizzle_composed_with_a_layout_stays_composed() -> None:
    assert str(composition(parse("S<2,1,3>"), parse("(4,8):(1,4)"))) == "S<2,1,3> o 0 o (4,8):(1,4)"


def test_a_composed_layout_is_composed_in_its_outer_part() -> None:
    a = parse("S<2,1,3> o 4 o (8,8):(1,8)")
    b = parse("(4,2):(2,32)")
    assert [composition(a, b)(i) for i in range(8)] == [a(b(i)) for i in range(8)]


def test_a_composed_right_operand_is_kept_as_the_outer_part() -> None:
    a, b = parse("(8,8):(8,1)"), parse("S<2,1,3> o 4 o (4,8):(1,4)")
    result = composition(a, b)
    assert [result(i) for i in range(32)] == [a(b(i)) for i in range(32)]


@pytest.mark.parametrize(
    ("a", "b", "condition"),
    [
        ("(4,6,8):(2,3,5)", "3:2", "divisible"),
        ("(4,6):(2,3)", "2:6", "neither a multiple"),
        ("(3,2):(16,32)", "4:2", "does not divide the extent"),
        ("(4,4):(1,10)", "(2,2):(2,3)", "carry past"),
        ("(4,4):(1,10)", "4:-1", "neither a multiple"),
        ("(4,4):(1,10)", "(2,2):(1E0,1E2)", "no mode for the basis path"),
        ("(4,4):(1,10)", "(2,2):(1E0,1)", "mix indexes with coordinates"),
        ("((4,2),4):((1,4),10)", "(2,2):(1E0,1E0E1)", "mix indexes with coordinates"),
    ],
)
def test_what_is_no_layout_is_refused_with_the_condition(a: str, b: str, condition: str) -> None:
    with pytest.raises(LayoutError, match=condition) as caught:
        composition(parse(a), parse(b))
    assert caught.value.op == "composition"
    assert [str(operand) for operand in caught.value.operands] == [a, b]


def test_carries_inside_the_last_mode_are_no_carries() -> None:
    a, b = parse("(4,4):(1,10)"), parse("(3,3):(4,4)")
    assert image(composition(a, b)) == [a(b(i)) for i in range(9)]


def test_indexes_past_the_end_continue_along_the_last_mode() -> None:
    a, b = parse("(4,1):(1,100)"), parse("8:1")
    assert image(composition(a, b)) == [0, 1, 2, 3, 100, 101, 102, 103]
    assert extents(composition(a, b).shape) == (4, 2)
