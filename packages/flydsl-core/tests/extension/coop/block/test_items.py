"""Items of a thread, and results of the same form."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.extension.coop.block.items import folded, items_of
from flydsl.extension.coop.operators import operator_of


def test_one_item_several_and_their_forms() -> None:
    items, formed = items_of(3, fx.Float32)
    assert ([item.value for item in items], formed(items)) == ([3.0], items[0])
    items, formed = items_of((1, fx.Int32(2)), fx.Int32)
    assert [item.value for item in items] == [1, 2]
    assert formed(items) == tuple(items)
    items, formed = items_of([1, 2, 3], fx.Int32)
    assert formed(items) == items


def test_a_vector_keeps_its_shape(computed: Any) -> None:
    def run(a: Any, b: Any) -> Any:
        items, formed = items_of(fx.Vector.from_elements([a, b, b, a], fx.Int32).reshape((2, 2)), fx.Int32)
        result = formed([item * 2 for item in items])
        assert (len(items), result.shape) == (4, (2, 2))
        return result

    assert computed(run, fx.Int32, fx.Int32)(3, 4) == [6, 8, 8, 6]


def test_items_are_combined_in_order() -> None:
    operator = operator_of(lambda a, b: a * 10 + b, fx.Int32(0))
    assert folded(operator, [fx.Int32(k) for k in (1, 2, 3)]).value == 123


def test_items_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="the block algorithm is one of Float32, found"):
        items_of(fx.Int32(1), fx.Float32)
