"""Static folding gives what the device would compute: NumPy is the device here."""

from __future__ import annotations

import math
import operator
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flydsl.base.errors import FrontendError
from flydsl.expr import numeric
from flydsl.expr.numbers.folding import bfloat16_bits, wrap_static
from flydsl.expr.numeric import Boolean, Float16, Float32, Float64, Int8, Int32, Uint8, Uint32, as_numeric

INTEGERS = ["Int8", "Int16", "Int32", "Int64", "Uint8", "Uint16", "Uint32", "Uint64"]
OPERATORS = ["add", "sub", "mul", "and_", "or_", "xor", "floordiv"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
values = st.integers(-(2**70), 2**70)


def low_bits(name: str, value: int) -> numeric.Numeric:
    """A number of a type by its bits."""
    dtype = getattr(numeric, name)
    return dtype.wrap(wrap_static(dtype, value))


@given(st.sampled_from(INTEGERS), st.sampled_from(OPERATORS), values, values)
def test_integers_wrap_as_in_numpy(name: str, function: str, a: int, b: int) -> None:
    dtype, kind = getattr(numeric, name), np.dtype(name.lower()).type
    x, y = low_bits(name, a), low_bits(name, b)
    if function == "floordiv" and (y.value == 0 or (dtype.is_signed and y.value == -1)):
        return
    with np.errstate(over="ignore"):
        expected = getattr(operator, function)(kind(x.value), kind(y.value))
    result = getattr(operator, function)(x, y)
    assert type(result) is dtype
    assert result.value == int(expected)


@given(st.sampled_from(INTEGERS), values, st.integers(0, 63))
def test_shifts_are_arithmetic_for_signed_and_logical_for_unsigned(name: str, a: int, count: int) -> None:
    dtype, kind = getattr(numeric, name), np.dtype(name.lower()).type
    x, by = low_bits(name, a), count % dtype.width
    assert (x >> dtype(by)).value == int(kind(x.value) >> kind(by))
    assert (x << dtype(by)).value == int(kind(x.value) << kind(by))


@given(st.sampled_from(INTEGERS), values, values)
def test_the_remainder_has_the_sign_of_the_dividend(name: str, a: int, b: int) -> None:
    kind = np.dtype(name.lower()).type
    x, y = low_bits(name, a), low_bits(name, b)
    if y.value == 0 or y.value == -1:
        return
    assert (x % y).value == int(np.fmod(kind(x.value), kind(y.value)))


@given(st.sampled_from(INTEGERS), st.sampled_from(INTEGERS), st.sampled_from(COMPARISONS), values, values)
def test_operands_are_converted_to_their_common_type_before_a_comparison(
    first: str, second: str, function: str, a: int, b: int
) -> None:
    x, y = low_bits(first, a), low_bits(second, b)
    common = (x + y).dtype
    expected = getattr(operator, function)(wrap_static(common, x.value), wrap_static(common, y.value))
    result = getattr(operator, function)(x, y)
    assert type(result) is Boolean
    assert result.value is expected


def test_mixed_signs_follow_c() -> None:
    assert (Int32(-1) // Uint32(2)).value == 2**31 - 1
    assert not (Int32(-1) < Uint32(1)).value
    assert (Uint8(200) + Int8(100)).value == 44


floats = st.floats(width=32, allow_nan=False)


@given(st.sampled_from(["add", "sub", "mul", "truediv"]), floats, floats)
def test_float32_rounds_once_after_each_operation(function: str, a: float, b: float) -> None:
    if function == "truediv" and b == 0:
        return
    with np.errstate(all="ignore"):
        expected = getattr(operator, function)(np.float32(a), np.float32(b))
    result = getattr(operator, function)(Float32(a), Float32(b)).value
    assert struct.pack("<d", result) == struct.pack("<d", float(expected)) or (
        math.isnan(result) and np.isnan(expected)
    )


@given(st.floats())
def test_conversions_to_narrow_floats_are_numpys(value: float) -> None:
    with np.errstate(over="ignore"):
        for dtype, kind in ((Float16, np.float16), (Float32, np.float32), (Float64, np.float64)):
            np.testing.assert_equal(dtype(Float64(value)).value, float(kind(value)))


@given(st.floats(width=32))
def test_bfloat16_rounds_to_nearest_even(value: float) -> None:
    bits = bfloat16_bits(value)
    if math.isnan(value):
        assert bits & 0x7FFF > 0x7F80
        return
    candidates = [struct.unpack("<f", struct.pack("<I", (bits + delta & 0xFFFF) << 16))[0] for delta in (-1, 0, 1)]
    if math.isfinite(candidates[1]):
        distance = abs(candidates[1] - value)
        others = [abs(c - value) for c in (candidates[0], candidates[2]) if math.isfinite(c)]
        assert all(distance < other or (distance == other and bits % 2 == 0) for other in others)


def test_literals_keep_their_precision_until_they_meet_a_type() -> None:
    assert (as_numeric(0.1) * Float64(1.0)).value == 0.1
    assert (as_numeric(0.1) * Float32(1.0)).value == float(np.float32(0.1))


@pytest.mark.parametrize("function", ["floordiv", "mod"])
def test_division_of_integers_by_a_static_zero_is_an_error(function: str) -> None:
    with pytest.raises(FrontendError, match=f"{function} of .* by zero"):
        getattr(operator, function)(Int32(1), Int32(0))


@pytest.mark.parametrize("a", [1.5, -1.5, 0.0, math.inf, math.nan])
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_division_of_floats_by_a_static_zero_is_that_of_ieee_754(a: float, zero: float) -> None:
    with np.errstate(all="ignore"):
        expected = float(np.float32(a) / np.float32(zero))
    x, y = Float32(a), Float32(zero)
    np.testing.assert_equal([(x / y).value, (x // y).value], [expected] * 2)
    assert math.isnan((x % y).value)


@pytest.mark.parametrize("count", [-1, 32, 10**9])
def test_a_shift_out_of_range_is_an_error(count: int) -> None:
    with pytest.raises(FrontendError, match="shift by 0 to 31"):
        Int32(1) << Int32(count)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_float_without_an_integer_cannot_become_one(value: float) -> None:
    with pytest.raises(FrontendError, match="cannot convert"):
        Int32(value)


def test_minimum_and_maximum_propagate_nan() -> None:
    import flydsl.expr as fx

    for function in (fx.min, fx.max):
        for pair in ((math.nan, 1.0), (1.0, math.nan)):
            assert math.isnan(function(*pair).value)


def test_a_number_becomes_bfloat16_with_one_rounding() -> None:
    just_above_a_tie = 1 + 2**-8 + 2**-40
    assert numeric.BFloat16(just_above_a_tie).value == 1 + 2**-7
    assert bfloat16_bits(-just_above_a_tie) == 0xBF81
