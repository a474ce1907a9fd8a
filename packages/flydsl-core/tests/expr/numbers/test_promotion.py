"""The typing rules of the language, as a table."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from flydsl.expr import numeric
from flydsl.expr.numbers.promotion import arithmetic_type, python_number, python_type, true_division_type
from flydsl.expr.numbers.registry import numeric_types
from flydsl.expr.numeric import Boolean, Float32, Float64, Int32, Int64, Numeric

ALL = numeric_types()
INTEGERS = [dtype for dtype in ALL if not dtype.is_float and dtype is not Boolean]
FLOATS = [dtype for dtype in ALL if dtype.is_float]


def named(name: str) -> type[Numeric]:
    return getattr(numeric, name)


@pytest.mark.parametrize(
    "value, dtype",
    [
        (True, "Boolean"),
        (0, "Int32"),
        (-(2**31), "Int32"),
        (2**31 - 1, "Int32"),
        (2**31, "Int64"),
        (-(2**31) - 1, "Int64"),
        (0.5, "Float32"),
    ],
)
def test_python_numbers_have_default_types(value: object, dtype: str) -> None:
    assert python_type(value) is named(dtype)


@pytest.mark.parametrize(
    "lhs, rhs, result",
    [
        ("Boolean", "Boolean", "Int32"),
        ("Boolean", "Int8", "Int32"),
        ("Int8", "Int8", "Int8"),
        ("Int8", "Int16", "Int16"),
        ("Int8", "Uint8", "Uint8"),
        ("Int32", "Uint32", "Uint32"),
        ("Uint32", "Int64", "Int64"),
        ("Int32", "Uint64", "Uint64"),
        ("Int16", "Float16", "Float16"),
        ("Uint8", "BFloat16", "BFloat16"),
        ("Boolean", "Float16", "Float32"),
        ("Int32", "Float16", "Float32"),
        ("Uint32", "BFloat16", "Float32"),
        ("Int32", "Float32", "Float32"),
        ("Int64", "Float16", "Float64"),
        ("Int64", "BFloat16", "Float64"),
        ("Uint64", "Float32", "Float64"),
        ("Int128", "Float64", "Float64"),
        ("Int16", "Float8E5M2", "Float32"),
        ("Float16", "BFloat16", "Float32"),
        ("Float16", "Float32", "Float32"),
        ("BFloat16", "Float64", "Float64"),
        ("Float8E4M3FN", "Float8E5M2", "Float32"),
        ("Float8E4M3FN", "Float16", "Float16"),
    ],
)
def test_two_types_combine_to(lhs: str, rhs: str, result: str) -> None:
    assert arithmetic_type(named(lhs), named(rhs)) is named(result)
    assert arithmetic_type(named(rhs), named(lhs)) is named(result)


@pytest.mark.parametrize("lhs, rhs", list(itertools.combinations_with_replacement(INTEGERS, 2)))
def test_the_wider_integer_wins_and_equal_widths_of_mixed_sign_are_unsigned(
    lhs: type[Numeric], rhs: type[Numeric]
) -> None:
    result = arithmetic_type(lhs, rhs)
    assert result.width == max(lhs.width, rhs.width)
    if lhs.width == rhs.width:
        assert result.is_signed == (lhs.is_signed and rhs.is_signed)


@pytest.mark.parametrize("lhs, rhs", list(itertools.product(FLOATS, INTEGERS)))
def test_a_float_wins_over_integers_that_are_no_wider(lhs: type[Numeric], rhs: type[Numeric]) -> None:
    result = arithmetic_type(lhs, rhs)
    assert result.is_float
    assert result.width >= min(64, max(lhs.width, rhs.width))
    assert (result is lhs) == (rhs.width <= lhs.width or lhs is Float64)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_true_division_of_integers_gives_a_float_of_their_width(dtype: type[Numeric]) -> None:
    assert true_division_type(dtype, Int32) is (Float32 if dtype.width <= 32 else Float64)
    assert true_division_type(dtype, Int64) is (Float64)


@pytest.mark.parametrize(
    "given, expected",
    [
        (np.float32(1.5), 1.5),
        (np.float16(0.25), 0.25),
        (np.int64(-3), -3),
        (np.uint8(255), 255),
        (Fraction(1, 4), 0.25),
        (np.array(2), 2),
        (np.array(2.5, np.float32), 2.5),
        (np.array(True), True),
        (np.bool_(True), True),
    ],
)
def test_a_number_of_another_library_is_one_of_python(given, expected):
    found = python_number(given)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("value", [True, 3, 2.5, "3", None, Decimal(1), 1j, np.ones(1)], ids=repr)
def test_what_is_no_other_number_stays_as_it_is(value):
    assert python_number(value) is value
