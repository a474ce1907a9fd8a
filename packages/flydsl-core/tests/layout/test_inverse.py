"""Complement and inverses."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from layout_strategies import image, injective_layouts, layouts, size

from flydsl.base.errors import LayoutError
from flydsl.layout import Layout, complement, cosize, left_inverse, parse, right_inverse


@given(injective_layouts(divisible=False), st.integers(1, 300))
def test_copies_placed_by_the_complement_do_not_overlap(layout: Layout, codomain: int) -> None:
    rest = complement(layout, codomain)
    both = [i + j for j in image(rest) for i in image(layout)]
    assert len(set(both)) == len(both)


@given(injective_layouts(divisible=False), st.integers(1, 300))
def test_the_complement_is_ordered(layout: Layout, codomain: int) -> None:
    offsets = image(complement(layout, codomain))
    assert offsets == sorted(offsets)


@given(injective_layouts(), st.integers(1, 300))
def test_layout_and_complement_together_reach_the_codomain(layout: Layout, codomain: int) -> None:
    assert cosize(layout) + cosize(complement(layout, codomain)) - 1 >= codomain


@given(injective_layouts(limit=64), st.integers(1, 300))
def test_where_strides_divide_the_complement_covers_every_index(layout: Layout, codomain: int) -> None:
    both = {i + j for j in image(complement(layout, codomain)) for i in image(layout)}
    assert set(range(codomain)) <= both


@given(layouts(), st.integers(1, 300))
def test_the_complement_of_overlapping_modes_is_refused_never_empty(layout: Layout, codomain: int) -> None:
    try:
        rest = complement(layout, codomain)
    except LayoutError as error:
        assert "not injective" in error.condition  # noqa: PT017
        assume(False)
    assert size(rest) > 0


@given(injective_layouts())
def test_the_default_codomain_is_the_cosize(layout: Layout) -> None:
    assert complement(layout) == complement(layout, cosize(layout))


def test_a_dynamic_mode_alone_has_a_complement() -> None:
    assert str(complement(parse("?:1"), parse("?{div=8}"))) == "?:?"
    assert str(complement(parse("8:1"), parse("?"))) == "?:8"


@pytest.mark.parametrize("text", ["(4,8):(?,1)", "(4,?):(?,?)"])
def test_a_complement_needs_static_strides(text: str) -> None:
    with pytest.raises(LayoutError, match="static"):
        complement(parse(text), 128)


def test_a_complement_of_negative_or_basis_strides_is_refused() -> None:
    for text in ("4:-1", "(4,8):(-8,1)", "4:1E0"):
        with pytest.raises(LayoutError, match=r"integers >= 0|static"):
            complement(parse(text), 128)


@given(layouts())
def test_the_right_inverse_is_undone_by_the_layout(layout: Layout) -> None:
    inverse = right_inverse(layout)
    assert [layout(inverse(i)) for i in range(size(inverse))] == list(range(size(inverse)))


@given(injective_layouts(gaps=False))
def test_a_compact_layout_has_a_full_inverse_on_both_sides(layout: Layout) -> None:
    indexes = list(range(size(layout)))
    assert [right_inverse(layout)(i) for i in image(layout)] == indexes
    assert [left_inverse(layout)(i) for i in image(layout)] == indexes
    assert size(right_inverse(layout)) == size(layout)


@given(injective_layouts())
def test_the_left_inverse_undoes_an_injective_layout(layout: Layout) -> None:
    inverse = left_inverse(layout)
    assert [inverse(layout(i)) for i in range(size(layout))] == list(range(size(layout)))


@given(layouts())
def test_the_left_inverse_finds_a_source_of_every_index_or_is_refused(layout: Layout) -> None:
    try:
        inverse = left_inverse(layout)
    except LayoutError:
        assume(False)
    assert [layout(inverse(index)) for index in image(layout)] == image(layout)


def test_dynamic_modes_are_left_out_of_a_right_inverse() -> None:
    assert str(right_inverse(parse("(4,?):(1,?)"))) == "4:1"
    assert str(right_inverse(parse("(?,4):(4,1)"))) == "4:?"
