"""Coalescing: the same function with fewest modes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import image, layouts, size

from flydsl.base.errors import LayoutError
from flydsl.layout import Layout, coalesce, parse


@given(layouts())
def test_coalesce_keeps_the_function(layout: Layout) -> None:
    assert image(coalesce(layout)) == image(layout)


@given(layouts())
def test_coalesce_leaves_nothing_to_merge(layout: Layout) -> None:
    result = coalesce(layout)
    modes = list(result)
    assert result.depth <= 1
    assert all(mode.shape != 1 for mode in modes) or str(result) == "1:0"
    assert all(a.shape * a.stride != b.stride for a, b in pairwise(modes))


@given(layouts())
def test_coalesce_by_a_flat_pattern_works_mode_by_mode(layout: Layout) -> None:
    result = coalesce(layout, (1,) * layout.rank if isinstance(layout.shape, tuple) else 1)
    assert result.rank == layout.rank
    assert [image(mode) for mode in result] == [image(mode) for mode in layout]
    assert all(mode.depth <= 1 for mode in result)


@given(layouts(), st.data())
def test_coalesce_by_a_short_pattern_leaves_later_modes_alone(layout: Layout, data: st.DataObject) -> None:
    if not isinstance(layout.shape, tuple):
        return
    kept = data.draw(st.integers(1, layout.rank))
    result = coalesce(layout, (1,) * kept)
    assert list(result)[kept:] == list(layout)[kept:]
    assert size(result) == size(layout)


def test_dynamic_modes_are_not_merged() -> None:
    assert str(coalesce(parse("(2,?,4,8):(1,2,?,?)"))) == "(2,?,4,8):(1,2,?,?)"
    assert str(coalesce(parse("(2,4,?):(1,2,8)"))) == "(8,?):(1,8)"


def test_basis_strides_along_one_path_are_merged() -> None:
    assert str(coalesce(parse("(2,4,8):(1E0,2E0,1E1)"))) == "(8,8):(1E0,1E1)"


def test_a_composed_layout_is_coalesced_in_its_outer_part() -> None:
    assert str(coalesce(parse("S<2,1,3> o 4 o (4,8):(1,4)"))) == "S<2,1,3> o 4 o 32:1"


def test_a_pattern_with_more_modes_than_the_layout_is_refused() -> None:
    with pytest.raises(LayoutError, match="must not have more modes"):
        coalesce(parse("(2,4):(1,2)"), (1, 1, 1))
