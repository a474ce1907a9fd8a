"""Register fragments."""

from __future__ import annotations

import pytest
from hypothesis import given
from layout_strategies import image, injective_layouts, size

from flydsl.layout import Layout, cosize, make_fragment_layout_like, parse


@given(injective_layouts())
def test_a_fragment_has_a_place_for_every_element_and_no_more(layout: Layout) -> None:
    fragment = make_fragment_layout_like(layout)
    assert sorted(image(fragment)) == list(range(size(layout)))
    assert cosize(fragment) == size(layout)


@given(injective_layouts())
def test_the_first_mode_of_a_fragment_is_compact(layout: Layout) -> None:
    fragment = make_fragment_layout_like(layout)
    if isinstance(layout.shape, tuple) and len(layout.shape) > 1:
        assert image(fragment[0]) == list(range(size(layout[0])))


@pytest.mark.parametrize(
    ("layout", "fragment"),
    [
        ("((4,1),1,1):((1,0),0,0)", "((4,1),1,1):((1,0),0,0)"),
        ("((4,1),2,2):((1E1,0),1E0,2E0)", "((4,1),2,2):((1,0),4,8)"),
        ("((4,2),2,2):((1,0),0,0)", "((4,2),2,2):((1,4),8,16)"),
        ("(8,2,4):(1,64,8)", "(8,2,4):(1,32,8)"),
        ("(8,?):(1,8)", "(8,?):(1,8)"),
        ("S<2,1,3> o 0 o (8,2,4):(1,64,8)", "(8,2,4):(1,32,8)"),
        ("8:4", "8:1"),
        ("(4,3,4):(1,1,1)", "(4,3,4):(1,4,12)"),
        ("(4,2,(2,2)):(1,6,(1,6))", "(4,2,(2,2)):(1,8,(4,16))"),
        ("(2,(2,2),2):(0,(0,3),0)", "(2,(2,2),2):(1,(2,8),4)"),
    ],
)
def test_fragments_of_partitioned_tensors(layout: str, fragment: str) -> None:
    assert str(make_fragment_layout_like(parse(layout))) == fragment
