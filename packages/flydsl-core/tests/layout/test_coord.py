"""Coordinates and indices: each computes the other, by the definition of a layout's index."""

from __future__ import annotations

from itertools import product

import pytest

from flydsl.base.errors import LayoutError
from flydsl.layout import Basis
from flydsl.layout.coord import column_major, coordinate_to_index, index_to_coordinate

SHAPE, STRIDE = (4, (2, 3)), (6, (3, 1))
COORDINATES = [(i, (j, k)) for i, j, k in product(range(4), range(2), range(3))]


def test_an_index_is_the_sum_of_coordinates_times_strides() -> None:
    for i, (j, k) in COORDINATES:
        assert coordinate_to_index((i, (j, k)), SHAPE, STRIDE) == 6 * i + 3 * j + k


def test_a_number_is_split_column_major() -> None:
    for coord in COORDINATES:
        number = column_major(coord, SHAPE)
        i, (j, k) = coord
        assert number == i + 4 * (j + 2 * k)
        assert coordinate_to_index(number, SHAPE, STRIDE) == 6 * i + 3 * j + k


def test_the_coordinate_at_an_index_gives_the_index() -> None:
    for coord in COORDINATES:
        assert index_to_coordinate(coordinate_to_index(coord, SHAPE, STRIDE), SHAPE, STRIDE) == coord


def test_basis_strides_give_coordinates() -> None:
    stride = (Basis(1, (0,)), Basis(2, (1,)))
    assert coordinate_to_index((3, 4), (5, 6), stride) == (3, 8)
    assert index_to_coordinate((3, 8), (5, 6), stride) == (3, 4)


def test_an_extent_of_one_has_the_coordinate_zero_whatever_the_stride() -> None:
    assert index_to_coordinate(7, (1, 8), (0, 1)) == (0, 7)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (coordinate_to_index, ((1, 2, 3), SHAPE, STRIDE), "the coordinate must have the rank of the shape"),
        (column_major, ((1, 2, 3), SHAPE), "the coordinate must have the rank of the shape"),
        (index_to_coordinate, (3, 4, 0), "a mode of stride 0 has no unique coordinate"),
        (index_to_coordinate, ((1, 2), 4, 1), "the index must be an integer, found a coordinate"),
        (index_to_coordinate, (3, 4, Basis(1, (0,))), "a basis stride needs a coordinate with its mode"),
    ],
)
def test_what_has_no_answer(function: object, arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        function(*arguments)  # type: ignore[operator]
