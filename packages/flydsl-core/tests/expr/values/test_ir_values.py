"""Conversions between values of the language and SSA values."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import f32, i1, i32

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.values.ir_values import as_dsl_value, as_ir_value


@pytest.mark.parametrize(("number", "type_"), [(7, i32), (True, i1), (1.5, f32)])
def test_a_python_number_becomes_a_constant_of_its_default_type(emitted, number, type_):
    run = emitted(lambda: as_ir_value(number))
    assert run.result.type == type_
    assert len(run.ops) == 1
    assert "arith.constant" in run.ops[0]


def test_static_values_stay_on_request(emitted):
    layout = fx.make_layout(4, 1)

    def use():
        return [as_ir_value(value, keep_static=True) for value in (7, fx.Int32(8), layout)]

    run = emitted(use)
    assert run.result[:2] == [7, 8]
    assert run.result[2] is layout
    assert run.ops == []


def test_dynamic_values_and_ssa_values_are_themselves(emitted):
    def use(x):
        ssa = as_ir_value(x, keep_static=True)
        return x.ir_value(), ssa, as_ir_value(ssa), as_ir_value(ssa, keep_static=True)

    first, *others = emitted(use, fx.Int32).result
    assert all(other is first for other in others)


def test_other_objects_have_no_ir_value():
    with pytest.raises(FrontendError, match="'text' has no IR value; pass a number, a value of the language or an SSA"):
        as_ir_value("text")


def test_an_ssa_value_is_boxed_by_its_type_or_its_exemplar(emitted):
    def use(x):
        ssa = x.ir_value()
        return as_dsl_value(ssa), as_dsl_value(ssa, x), as_dsl_value(ssa, fx.Uint32)

    plain, alike, of_class = emitted(use, fx.Uint32).result
    assert [value.dtype for value in (plain, alike, of_class)] == [fx.Int32, fx.Uint32, fx.Uint32]
    assert plain.ir_value() is alike.ir_value()


def test_numbers_become_scalars_of_the_exemplar_and_others_stay():
    assert as_dsl_value(3).dtype is fx.Int32
    converted = as_dsl_value(3, fx.Int64(1))
    assert (converted.dtype, int(converted)) == (fx.Int64, 3)
    layout = fx.make_layout(4, 1)
    assert as_dsl_value(layout) is layout


def test_an_exemplar_must_be_a_value_of_the_language(emitted):
    def use(x):
        with pytest.raises(FrontendError, match="'text' is not a value of the language"):
            as_dsl_value(x.ir_value(), "text")

    emitted(use, fx.Int32)
