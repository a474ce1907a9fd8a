"""Change of the element's width."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from layout_strategies import extents, image, injective_layouts, layouts, size

from flydsl.base.errors import LayoutError
from flydsl.layout import Layout, parse, recast_layout
from flydsl.layout.recast import downcast, upcast

factors = st.sampled_from([1, 2, 4, 8])


@given(injective_layouts(), factors)
def test_wider_elements_cover_all_narrow_ones(layout: Layout, factor: int) -> None:
    try:
        wide = upcast(layout, factor)
    except LayoutError:
        assume(False)
    assert {index // factor for index in image(layout)} <= set(image(wide))


@st.composite
def vectorised(draw: st.DrawFn) -> tuple[Layout, int]:
    """An injective layout whose contiguous runs are whole multiples of a factor, and the factor."""
    layout, factor = draw(injective_layouts()), draw(factors)
    strides = extents(layout.stride)
    assume(1 in strides)
    return downcast(layout, factor), factor


@given(vectorised())
def test_whole_vectors_become_one_element_each(case: tuple[Layout, int]) -> None:
    layout, factor = case
    ones = [s for s, d in zip(extents(layout.shape), extents(layout.stride), strict=True) if d == 1]
    assume(len(ones) == 1)
    wide = recast_layout(layout, 8, 8 * factor)
    assert size(wide) * factor == size(layout)
    assert sorted({index // factor for index in image(layout)}) == sorted(image(wide))
    assert recast_layout(wide, 8 * factor, 8) == layout


@given(layouts())
def test_the_same_width_changes_nothing(layout: Layout) -> None:
    assert recast_layout(layout, 16, 16) == layout


@pytest.mark.parametrize(
    ("layout", "old", "new", "result"),
    [
        ("(8,4):(1,8)", 16, 32, "(4,4):(1,4)"),
        ("(8,4):(4,1)", 32, 16, "(8,8):(8,1)"),
        ("(16,4):(1,16)", 6, 8, "(12,4):(1,12)"),
        ("(8,4):(0,1)", 16, 32, "(8,2):(0,1)"),
        ("(2,4):(1,-2)", 16, 32, "(1,4):(1,-1)"),
        ("(2,2):(1,2)", 8, 32, "(1,1):(1,1)"),
        ("(1,4,16):(1,1,4)", 16, 8, "(1,8,16):(2,1,8)"),
        ("(1,6):(0,64)", 16, 8, "(2,6):(1,128)"),
        ("(?,8):(?{i64 div=8},1)", 16, 32, "(?,4):(?{i64 div=4},1)"),
        ("(?,8):(8,1)", 32, 8, "(?,32):(32,1)"),
        ("?:1", 16, 32, "?:1"),
        ("(?,8):(?{i64},1)", 32, 16, "(?,16):(?{i64 div=2},1)"),
        ("S<3,4,3> o 0 o (8,64):(64,1)", 16, 32, "S<3,3,3> o 0 o (8,32):(32,1)"),
        ("S<3,3,3> o 8 o (8,64):(64,1)", 16, 8, "S<3,4,3> o 16 o (8,128):(128,1)"),
    ],
)
def test_recasts(layout: str, old: int, new: int, result: str) -> None:
    assert str(recast_layout(parse(layout), old, new)) == result


@pytest.mark.parametrize(
    ("layout", "old", "new"),
    [
        ("(3,4):(1,3)", 16, 32),
        ("6:64", 16, 8),
        ("6:64", 8, 16),
        ("8:-1", 16, 32),
        ("7:1", 16, 32),
        ("4:2", 16, 32),
        ("2:0", 8, 32),
        ("(?,8):(?{i64},1)", 16, 32),
        ("8:1E0", 16, 32),
        ("8:1E0", 32, 16),
        ("8:1", 0, 8),
        ("8:1", 8.0, 8),
        ("8:1", 8, None),
        ("S<3,0,3> o 0 o 64:1", 16, 32),
        ("S<3,3,3> o 1 o 64:1", 16, 32),
        ("S<3,3,3> o 0 o 64:1", 16, 48),
        ("8:1 o 0 o 8:1", 16, 32),
    ],
)
def test_what_does_not_divide_is_refused(layout: str, old: int, new: int) -> None:
    with pytest.raises(LayoutError):
        recast_layout(parse(layout), old, new)
