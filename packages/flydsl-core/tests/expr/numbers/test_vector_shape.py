"""Shapes of vectors: nested extents, coordinates, orders and broadcasts."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.expr.numbers.vector_shape import (
    as_shape,
    broadcast_indices,
    coordinate_index,
    is_dynamic_index,
    leaves,
    number_of,
    position_in,
    row_major_indices,
)

NESTED = ((2, 3), 4)


def test_an_index_is_dynamic_when_only_the_kernel_knows_it(emitted: Any) -> None:
    assert not any(map(is_dynamic_index, (3, fx.Int32(3), slice(2))))
    assert emitted(lambda x: is_dynamic_index(x), fx.Int32).result


def test_shapes_are_nested_tuples() -> None:
    assert [as_shape(shape) for shape in (4, [2, 3], ([2, 2], fx.Int32(4)), (np.int64(3),))] == [
        (4,),
        (2, 3),
        ((2, 2), 4),
        (3,),
    ]
    assert (number_of(NESTED), leaves(NESTED), number_of(()), leaves(5)) == (24, (2, 3, 4), 1, (5,))


def test_coordinates_count_mode_0_first() -> None:
    found = [coordinate_index(((i, j), k), NESTED) for k, j, i in product(range(4), range(3), range(2))]
    assert found == list(range(24))
    assert coordinate_index((5, 3), NESTED) == 23
    assert coordinate_index((-1, 0), NESTED) == 5
    assert coordinate_index(7, NESTED) == 7


@pytest.mark.parametrize("coord", [(1,), ((1, 2, 3), 0), (6, 0), (0, 4)], ids=repr)
def test_what_is_no_coordinate_is_refused(coord: Any) -> None:
    with pytest.raises(TypeError, match="is no coordinate of the shape|is out of range"):
        coordinate_index(coord, NESTED)


def test_positions_are_integers_in_range() -> None:
    assert [position_in(index, 4) for index in (0, 3, -1, fx.Int32(2))] == [0, 3, 3, 2]
    for index in (4, -5, "a", 1.0):
        with pytest.raises(TypeError):
            position_in(index, 4)  # type: ignore[arg-type]


def test_both_orders_have_the_same_elements_at_the_same_coordinates() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(x.reshape(-1)[row_major_indices(x.shape)], x.reshape(-1, order="F"))


def test_extents_of_one_repeat() -> None:
    x = np.arange(8).reshape(2, 1, 4, order="F")
    indices = broadcast_indices(((2, 1), 4), ((2, 3), 4))
    expected = np.broadcast_to(x, (2, 3, 4)).reshape(-1, order="F")
    np.testing.assert_array_equal(x.reshape(-1, order="F")[indices], expected)
    assert broadcast_indices((2, 4), (2, 5)) is None
    assert broadcast_indices((2, 4), (2, 4, 1)) is None
