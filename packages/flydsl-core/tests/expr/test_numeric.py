"""Numeric types: static values are numbers of Python, dynamic ones operations."""

from __future__ import annotations

import inspect
import pydoc

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.registry import numeric_types

ALL = numeric_types()


@pytest.mark.parametrize("dtype", ALL)
def test_every_type_holds_python_numbers_and_has_an_ir_type(dtype):
    scalar = dtype(1)
    assert scalar.is_static
    assert scalar.dtype is dtype
    assert str(dtype.ir_type_of()) == dtype.mlir_name
    assert repr(scalar).startswith(dtype.__name__)


@pytest.mark.parametrize("abstract", [fx.Numeric, fx.Integer, fx.Float])
def test_tools_can_look_at_abstract_classes(abstract):
    assert dict(inspect.getmembers(abstract))["mlir_name"] == ""
    assert "class " in pydoc.render_doc(abstract)
    with pytest.raises(FrontendError, match="has no MLIR type; use fx.Int32"):
        _ = abstract.ir_type


def test_numeric_itself_is_abstract():
    with pytest.raises(FrontendError, match="abstract"):
        fx.Numeric(1)


def test_static_scalars_are_python_numbers_where_python_asks():
    assert list(range(fx.Int32(3))) == [0, 1, 2]
    assert [10, 20, 30][fx.Int64(1)] == 20
    assert int(fx.Float32(2.5)) == 2
    assert float(fx.Int32(2)) == 2.0
    assert not fx.Boolean(0)
    assert {fx.Int32(1): "one"}[fx.Int32(1)] == "one"


def test_a_float_is_no_index():
    with pytest.raises(FrontendError, match="cannot be an index"):
        [1, 2][fx.Float32(1)]


def test_unary_operators_keep_the_type():
    assert (~fx.Int8(5)).value == -6
    assert type(~fx.Uint8(5)) is fx.Uint8
    assert (~fx.Uint8(5)).value == 250
    assert (~fx.Boolean(True)).value is False
    assert abs(fx.Int8(-5)).value == 5
    assert abs(fx.Float32(-2.5)).value == 2.5
    assert abs(fx.Uint32(7)).value == 7
    assert str((-fx.Float32(0.0)).value) == "-0.0"
    assert (-fx.Int8(-128)).value == -128


def test_bits_of_a_boolean_with_a_literal_stay_a_boolean():
    flag = fx.Boolean(True)
    assert type(flag & 1) is fx.Boolean
    assert type(flag ^ 1) is fx.Boolean
    assert type(flag | 6) is fx.Int32
    assert (fx.Int32(2) & True).value == 0


def test_integer_powers_multiply_out():
    assert (fx.Int32(3) ** 5).value == 243
    assert (fx.Int32(3) ** 0).value == 1
    assert (2 ** fx.Int32(10)).value == 1024
    with pytest.raises(FrontendError, match="static exponent"):
        fx.Int32(3) ** -1


def test_operators_with_other_objects_are_errors_that_name_both_sides():
    with pytest.raises(FrontendError, match="add is not defined between Int32 and str"):
        fx.Int32(1) + "1"
    with pytest.raises(FrontendError, match="and needs integers"):
        fx.Float32(1) & fx.Int32(1)


def test_a_dynamic_scalar_is_no_python_number(emitted):
    def use(x):
        for function in (bool, int, float, lambda v: [1][v]):
            with pytest.raises(FrontendError, match="known while tracing, found a dynamic Int32"):
                function(x)

    emitted(use, fx.Int32)


def test_a_bitcast_needs_equal_widths(emitted):
    def use(x):
        with pytest.raises(FrontendError, match="cannot bitcast"):
            x.bitcast(fx.Float64)
        return x.bitcast(fx.Int32), x.bitcast(fx.Uint32)

    assert emitted(use, fx.Float32).names == ["arith.bitcast", "arith.bitcast"]
    assert emitted(lambda x: x.bitcast(fx.Uint32), fx.Int32).names == []
