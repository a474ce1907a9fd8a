"""Elements that threads exchange: numbers, vectors, records and tuples."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import flydsl.expr as fx
from flydsl.extension.coop.elements import chosen, element, exchanged


@fx.struct
class Pair:
    """A key and a value."""

    key: fx.Int32
    value: fx.Float32


class Point(NamedTuple):
    """A tuple with names."""

    x: Any
    y: Any


def test_python_numbers_become_numerics() -> None:
    assert (element(3).dtype, element(2.5).dtype) == (fx.Int32, fx.Float32)
    first, second = element((1, 2.0))
    assert (first.dtype, second.dtype) == (fx.Int32, fx.Float32)
    assert isinstance(element(Point(1, 2)), Point)
    with pytest.raises(TypeError, match="threads combine numbers, vectors, records and tuples"):
        element("text")


def test_every_number_of_an_element_moves() -> None:
    moved = exchanged(Pair(1, 2.0), lambda part: part + part)
    assert isinstance(moved, Pair)
    assert (moved.key.value, moved.value.value) == (2, 4.0)  # type: ignore[union-attr, attr-defined]
    nested = exchanged((fx.Int32(1), (fx.Int32(2), Point(fx.Int32(3), fx.Int32(4)))), lambda part: part * 10)
    assert (nested[0].value, nested[1][0].value, nested[1][1].y.value) == (10, 20, 40)


def test_vectors_move_lane_by_lane(computed: Any) -> None:
    def twice(a: Any, b: Any) -> Any:
        vector = fx.Vector.from_elements([a, b, a, b], fx.Int16).reshape((2, 2))
        result = exchanged(vector, lambda part: part + fx.Int16(1))
        assert result.shape == (2, 2)
        return result

    assert computed(twice, fx.Int16, fx.Int16)(3, 4) == [4, 5, 4, 5]


def test_one_of_two_is_chosen(computed: Any) -> None:
    def choose(condition: Any, a: Any) -> Any:
        one = chosen(condition, Pair(a, 1.0), Pair(-a, 2.0))
        return one.key, one.value

    run = computed(choose, fx.Boolean, fx.Int32)
    assert (run(1, 5), run(0, 5)) == ([5, 1.0], [-5, 2.0])
