"""Conditions: static ones are Python's, dynamic ones one Boolean."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.control.truth import as_condition, is_dynamic, truth


@pytest.mark.parametrize("value", [0, 3, "", "x", [], fx.Int32(0), fx.Float32(0.5), fx.Boolean(False)])
def test_static_values_have_the_truth_of_their_number(value):
    assert not is_dynamic(value)
    assert truth(value) is bool(value.value if hasattr(value, "value") else value)


def test_a_dynamic_number_is_a_condition(computed):
    call = computed(lambda x: as_condition(x), fx.Int32)
    assert [call(x) for x in (0, 5, -1)] == [False, True, True]


def test_an_ssa_value_is_a_condition(computed):
    call = computed(lambda x: as_condition(x.ir_value()) & is_dynamic(x.ir_value()), fx.Int32)
    assert [call(x) for x in (0, 5)] == [False, True]


def test_a_vector_is_no_condition(emitted):
    def ask(x):
        as_condition(fx.Vector.filled(4, x, fx.Int32))

    with pytest.raises(FrontendError, match="a condition must be one Boolean"):
        emitted(ask, fx.Int32)


def test_a_value_of_the_kernel_is_dynamic(emitted):
    def ask(x):
        return is_dynamic(x), is_dynamic(fx.make_shape(x)), is_dynamic(fx.full(4, x, fx.Int32))

    assert emitted(ask, fx.Int32).result == (True, True, True)
