"""Swizzles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import Concrete, number

from flydsl.base.errors import LayoutError
from flydsl.layout import CoordSwizzle, Swizzle, crd2idx, make_composed_layout, make_identity_layout

swizzles = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)).map(
    lambda t: Swizzle(t[0], t[1], t[0] + t[2])
)


@given(swizzles)
def test_a_swizzle_permutes_and_undoes_itself(swizzle: Swizzle) -> None:
    span = range(1 << (swizzle.mask + swizzle.base + swizzle.shift))
    found = [swizzle(i) for i in span]
    assert sorted(found) == list(span)
    assert [swizzle(i) for i in found] == list(span)


@given(swizzles, st.integers(0, 1 << 12))
def test_a_swizzle_keeps_the_bits_below_base(swizzle: Swizzle, index: int) -> None:
    assert (swizzle(index) ^ index) % (1 << swizzle.base) == 0


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 63), st.integers(0, 63))
def test_a_coordinate_swizzle_is_the_documented_formula(mask: int, row: int, col: int, i: int, j: int) -> None:
    swizzle = CoordSwizzle(mask, row, (0,), col, (1,))
    expected = (i, j ^ (((i >> row) & ((1 << mask) - 1)) << col))
    assert swizzle((i, j)) == expected
    assert tuple(map(number, swizzle((Concrete(i), Concrete(j))))) == expected
    assert crd2idx((i, j), swizzle) == expected


def test_a_coordinate_swizzle_reaches_into_nested_modes() -> None:
    swizzle = CoordSwizzle(2, 0, (0, 1), 0, (1,))
    assert swizzle(((7, 3), 0)) == ((7, 3), 3)
    layout = make_composed_layout(swizzle, (0, 0), make_identity_layout(((8, 4), 4)))
    assert layout(((7, 3), 1)) == ((7, 3), 2)


@pytest.mark.parametrize("numbers", [(3, 0, 2), (-1, 0, 0), (1.0, 0, 1), (1, None, 1), (True, 0, 1)])
def test_malformed_swizzles_are_refused(numbers: tuple[object, ...]) -> None:
    with pytest.raises(LayoutError):
        Swizzle(*numbers)


@pytest.mark.parametrize(
    "numbers",
    [(1, 0, (0,), 0, (0,)), (1, 0, (), 0, (1,)), (1, 0, [0], 0, (1,)), (-1, 0, (0,), 0, (1,)), (1, 0, 0, 0, 1)],
)
def test_malformed_coordinate_swizzles_are_refused(numbers: tuple[object, ...]) -> None:
    with pytest.raises(LayoutError):
        CoordSwizzle(*numbers)


@pytest.mark.parametrize("coord", [(1,), 1, ((1, 2), 3)])
def test_a_coordinate_without_the_modes_is_refused(coord: object) -> None:
    with pytest.raises(LayoutError):
        crd2idx(coord, CoordSwizzle(1, 0, (0,), 0, (1,)))
