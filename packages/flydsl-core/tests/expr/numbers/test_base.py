"""The base of numeric types: static and dynamic scalars, conversions, bits, and what Python may ask of them."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from xdsl.dialects.builtin import f16, i32

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def test_a_scalar_knows_its_type_and_whether_it_is_static(emitted):
    static = fx.Uint8(7)
    assert static.is_static
    assert static.is_static()
    assert (static.dtype, static.shape, repr(static)) == (fx.Uint8, None, "Uint8(7)")

    def use(x):
        assert not x.is_static
        assert not x.is_static()
        return repr(x), x.ir_type

    text, type_ = emitted(use, fx.Int32).result
    assert (text, type_) == ("Int32(?)", i32)


@pytest.mark.parametrize(
    ("number", "dtype"),
    [(True, fx.Boolean), (5, fx.Int32), (1 << 31, fx.Int64), (-(1 << 31), fx.Int32), (0.5, fx.Float32)],
)
def test_python_numbers_have_default_types(number, dtype):
    scalar = fx.Numeric.from_python_value(number)
    assert scalar.dtype is dtype
    assert scalar.value == number


def test_other_values_have_none():
    with pytest.raises(FrontendError, match="from_python_value takes a bool, int or float, found '1'"):
        fx.Numeric.from_python_value("1")


def test_numeric_types_by_mlir_type():
    assert fx.Numeric.from_ir_type(i32) is fx.Int32
    assert fx.Numeric.from_ir_type(f16) is fx.Float16
    vector = fx.Float32x4.ir_type
    with pytest.raises(
        FrontendError, match=r"vector<4xf32> is not the type of a scalar; use one such as fx.Int32.ir_ty"
    ):
        fx.Numeric.from_ir_type(vector)


def test_conversions_follow_c(computed):
    call = computed(lambda x: (x.to(fx.Int8), x.to(fx.Uint8), x.to(fx.Float32)), fx.Int32)
    assert call(200) == [-56, 200, 200.0]
    truncated = computed(lambda x: x.to(fx.Int32), fx.Float32)
    assert [truncated(2.9), truncated(-2.9)] == [2, -2]


def test_a_rounding_mode_chooses_the_neighbour(computed):
    def both(x):
        return x.to(fx.BFloat16, rounding_mode=fx.RoundingMode.toward_zero), x.to(fx.BFloat16)

    call = computed(both, fx.Float32)
    assert call(1 + 3 * 2**-8) == [1 + 2**-7, 1 + 2**-6]


def test_bits_are_read_as_another_type_of_the_same_width(computed, emitted):
    call = computed(lambda x: x.bitcast(fx.Uint32), fx.Float32)
    for number in (-1.5, 0.1, float("inf")):
        assert call(number) == struct.unpack("<I", struct.pack("<f", number))[0]
    message = "cannot bitcast Float32 of 32 bits to Int16 of 16 bits; the widths must be equal"
    with pytest.raises(FrontendError, match=message):
        emitted(lambda x: x.bitcast(fx.Int16), fx.Float32)


def test_bits_are_read_as_a_vector(computed):
    assert computed(lambda x: x.bitcast(fx.Int8x4), fx.Int32)(0x7F_02_FF_01) == [1, -1, 2, 127]


def test_extremes_of_floats_propagate_nan(computed):
    call = computed(lambda x, y: (x.maximumf(y), x.minimumf(y), x.addf(y)), fx.Float32, fx.Float32)
    assert call(1.5, -2.0) == [1.5, -2.0, -0.5]
    assert np.isnan(call(float("nan"), 1.0)).all()


def test_powers_of_two_and_logical_shifts(computed):
    assert computed(lambda x: x.exp2(), fx.Float32)(3.0) == 8.0
    assert computed(lambda x: x.shrui(28), fx.Int32)(-1) == 15


@pytest.mark.parametrize(
    ("dtype", "size"), [(fx.Boolean, 1), (fx.Int8, 1), (fx.Float16, 2), (fx.Float64, 8), (fx.Int128, 16), (fx.Int4, 1)]
)
def test_sizes_are_whole_bytes_and_alignments_are_sizes(dtype, size):
    assert dtype.__dsl_size_of__() == dtype.__dsl_align_of__() == size


def test_static_numbers_are_python_numbers_and_keys():
    assert int(fx.Int32(7)) == fx.Int32(7).__index__() == 7
    assert float(fx.Float32(0.5)) == 0.5
    assert [bool(fx.Boolean(value)) for value in (True, False)] == [True, False]
    assert {7: "seven"}[fx.Int32(7)] == "seven"
    with pytest.raises(FrontendError, match="a Float32 cannot be an index"):
        fx.Float32(1).__index__()


@pytest.mark.parametrize(
    ("use", "what"),
    [
        (bool, "a Python condition needs .*; branch with an if statement"),
        (int, r"int\(\) needs .*; keep it as it is, or convert with fx\.Int32"),
        (float, r"float\(\) needs .*or call fx\.sqrt and the like"),
        (range, "an index of Python code needs .*; count with fx.range_constexpr"),
        (hash, "a key of a dict or set needs .*; choose with if and elif"),
    ],
)
def test_dynamic_numbers_are_refused_where_python_needs_one(emitted, use, what):
    with pytest.raises(FrontendError, match=what) as caught:
        emitted(use, fx.Int32)
    assert "known while tracing, found a dynamic Int32" in str(caught.value)
    assert getattr(caught.value, "is_condition", False) == (use is bool)


def test_a_scalar_travels_as_one_ssa_value(emitted):
    def use(x):
        (value,) = x.__extract_to_ir_values__()
        again = x.__construct_from_ir_values__([value])
        assert again.dtype is fx.Uint16
        assert again.ir_value() is value

    emitted(use, fx.Uint16)
