"""What numeric types say of themselves."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.registry import numeric_types
from flydsl.expr.numeric import Float, Integer, NumericMeta


@pytest.mark.parametrize("dtype", numeric_types(), ids=lambda dtype: dtype.__name__)
def test_facts_of_a_type_agree(dtype):
    assert type(dtype) is NumericMeta
    assert dtype.is_float is issubclass(dtype, Float)
    assert dtype.is_integer is issubclass(dtype, Integer)
    assert 2**dtype.log_width >= dtype.width > 2**dtype.log_width // 2
    assert dtype.zero == 0
    assert type(dtype.zero) is (float if dtype.is_float else int)
    assert (dtype.signed is None) is dtype.is_float
    if dtype.numpy_dtype is not None and dtype.width > 1:
        assert dtype.numpy_dtype.itemsize * 8 == dtype.width
        assert dtype.is_float or dtype.signed is (dtype.numpy_dtype.kind == "i")
    assert dtype(1).is_float is dtype.is_float


def test_types_with_a_numpy_counterpart():
    assert fx.Float16.numpy_dtype == np.float16
    assert fx.Boolean.numpy_dtype == np.bool_
    assert fx.BFloat16.numpy_dtype is None


def test_is_static_is_a_value_and_may_be_called():
    scalar = fx.Int32(3)
    assert scalar.is_static
    assert scalar.is_static() is True
    assert repr(scalar.is_static) == "True"


def test_python_values():
    assert type(fx.Numeric.from_python_value(True)) is fx.Boolean
    assert type(fx.Numeric.from_python_value(2**40)) is fx.Int64
    with pytest.raises(FrontendError, match="takes a bool, int or float"):
        fx.Numeric.from_python_value("3")


def test_wide_and_unsigned_types_wrap():
    assert fx.Uint128(fx.Int32(-1)).value == 2**128 - 1
    assert fx.Int128(fx.Uint128(2**127)).value == -(2**127)
    assert fx.Index(fx.Int32(-1)).value == 2**64 - 1
