"""What arguments of functions become: scalars and vectors of the language, or an error that names the function."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.operands import (
    as_numeric,
    check_keywords,
    float_operand,
    integer_operand,
    is_static,
    shaping,
)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(True, fx.Boolean), (3, fx.Int32), (1 << 40, fx.Int64), (1.5, fx.Float32), (fx.Int8(1), fx.Int8)],
)
def test_numbers_of_python_have_their_default_type(value, dtype):
    assert as_numeric(value).dtype is dtype


def test_an_ssa_value_is_a_scalar_of_its_type(emitted):
    assert emitted(lambda x: as_numeric(x.ir_value()), fx.Float16).result.dtype is fx.Float16
    with pytest.raises(
        FrontendError, match=r"expected a scalar, found str; convert it with fx.Int32\(...\) or the like"
    ):
        as_numeric("text")


def test_integers_become_floats_as_in_a_true_division(emitted):
    assert float_operand(2).dtype is fx.Float32
    assert float_operand(fx.Int64(2)).dtype is fx.Float64
    for dtype in (fx.Boolean, fx.Uint8, fx.Int32, fx.Int64, fx.Index):
        found = emitted(float_operand, dtype).result.dtype
        assert found is float_operand(dtype(1)).dtype
        assert found is (fx.Float64 if dtype.width > 32 else fx.Float32)


def test_floats_are_refused_where_integers_are_needed():
    with pytest.raises(FrontendError, match=r"ctpop needs integers, found Float32; convert with .to\(fx.Int32\)"):
        integer_operand("ctpop", 1.5)


def test_a_result_has_the_shape_of_the_vectors(emitted):
    def run(x):
        vector = fx.Vector.filled(3, x, fx.Int32)
        return shaping("f", x, vector) is vector, shaping("f", vector, x) is vector, shaping("f", x) is x

    assert emitted(run, fx.Int32).result == (True, True, True)

    def wrong(x):
        return shaping("f", fx.Vector.filled(3, x, fx.Int32), fx.Vector.filled(2, x, fx.Int32))

    with pytest.raises(FrontendError, match=r"f needs vectors of one shape, found \(3,\) and \(2,\)"):
        emitted(wrong, fx.Int32)


def test_what_is_known_while_tracing(emitted):
    assert is_static(fx.Int32(3))
    assert emitted(lambda x: is_static(x), fx.Int32).result is False


def test_unknown_keywords_are_refused_and_builders_arguments_are_not():
    check_keywords("f", {"loc": 1, "ip": 2})
    with pytest.raises(FrontendError, match="f has no argument 'axis'"):
        check_keywords("f", {"axis": 1})
