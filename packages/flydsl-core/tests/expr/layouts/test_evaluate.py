"""Functions of the algebra by name: evaluated on static values, one operation on dynamic ones."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl import layout as fl
from flydsl.expr.layouts.evaluate import apply, as_divisor, layout_of, payload_of, structured


def test_static_operands_are_evaluated_without_a_trace():
    result = apply("select", fx.make_layout((2, 3, 4), (12, 4, 1)), indices=[2, 0])
    assert isinstance(result, fx.Layout)
    assert result.payload == fl.Layout((4, 2), (1, 12))


def test_one_dynamic_operand_makes_one_operation_with_its_attributes(emitted):
    def use(n):
        return apply("select", fx.make_layout((n, 3), (3, 1)), indices=[1, 0])

    run = emitted(use, fx.Int32)
    assert run.names[-1] == "fly.select"
    assert "indices = array<i32: 1, 0>" in run.ops[-1]
    assert str(run.result.payload) == "(3,?):(1,3)"


def test_structured_values_stay_and_python_tuples_become_int_tuples():
    layout = fx.make_layout(4, 1)
    assert structured(layout) is layout
    converted = structured((2, (3, 4)))
    assert isinstance(converted, fx.IntTuple)
    assert converted.to_py_value() == (2, (3, 4))


def test_the_layout_of_a_shape_is_compact():
    assert layout_of((2, 3)).payload == fl.Layout((2, 3), (1, 2))
    assert layout_of(fl.Layout(4, 2)).payload == fl.Layout(4, 2)


@pytest.mark.parametrize(
    ("value", "text"), [(4, "[4]"), ((4, None), "[4|*]"), ([2, 8], "[2|8]"), (fl.Layout(4, 2), "4:2")]
)
def test_divisors_are_layouts_or_tiles(value, text):
    assert str(as_divisor(value).payload) == text


def test_the_payload_of_a_tensor_is_its_layout(emitted):
    tensor = emitted(lambda: fx.make_rmem_tensor(fx.make_layout((4, 2), (2, 1)), fx.Float32)).result
    assert payload_of(tensor) == fl.Layout((4, 2), (2, 1))
    assert payload_of((4, 2)) == (4, 2)
    assert payload_of(fx.make_layout(4, 3)) == fl.Layout(4, 3)
