"""The meaning of arithmetic against NumPy, ml_dtypes and Python."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from flydsl.base.arithmetic import (
    floor_division,
    maximum,
    maximum_number,
    minimum,
    minimum_number,
    quotient,
    remainder,
    rounding,
    to_odd,
    truncated_quotient,
    truncated_remainder,
    wrapped,
)

FLOATS = [0.0, -0.0, 1.0, -2.5, 0.1, 7.0, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize(("name", "kind"), [("f16", np.float16), ("f32", np.float32), ("f64", np.float64)])
def test_floats_and_integers_are_rounded_once(name: str, kind: type[np.floating]) -> None:
    with np.errstate(over="ignore"):
        for value in (0.1, -1e39, 65519.0, 65520.0, 2.0**-149 * 1.5, math.inf):
            assert rounding(name)(value) == float(kind(value))
    for power in range(9, 120, 7):
        for offset in (-1, 0, 1):
            number = (1 << power) + (1 << (power - np.finfo(kind).nmant - 1 if power > 60 else 0)) + offset
            nearest = rounding(name)(number)
            if math.isfinite(nearest):
                with np.errstate(over="ignore"):
                    up, down = (float(np.nextafter(kind(nearest), kind(s * np.inf))) for s in (1, -1))
                distance = abs(Fraction(nearest) - number)
                finite = [other for other in (up, down) if math.isfinite(other)]
                assert all(distance <= abs(Fraction(other) - number) for other in finite)


def test_integers_beyond_a_double_are_rounded_once_to_narrow_formats() -> None:
    assert rounding("f32")(2**60 + 2**36 + 1) == 2.0**60 + 2.0**37
    assert rounding("bf16")(16842753) == 16908288
    assert rounding("f8E8M0FNU")((3 << 60) - 1) == 2.0**61
    assert rounding("f16")(10**400) == math.inf


def test_rounding_to_odd_keeps_what_was_lost() -> None:
    assert to_odd(2.0**60, 0.0) == 2.0**60
    assert to_odd(2.0**60, 1.0) == math.nextafter(2.0**60, math.inf)
    assert to_odd(math.nextafter(1.0, 2.0), 1e-30) == math.nextafter(1.0, 2.0)


@pytest.mark.parametrize(("a", "b"), list(itertools.product([-7, -1, 0, 1, 9], [-3, -1, 2, 9])))
def test_integers_are_divided_as_in_c(a: int, b: int) -> None:
    assert truncated_quotient(a, b) == math.trunc(Fraction(a, b))
    assert truncated_remainder(a, b) == math.fmod(a, b)


def test_integers_wrap() -> None:
    assert [wrapped(200, 8), wrapped(200, 8, signed=False), wrapped(-1, 8, signed=False), wrapped(3, 1)] == [
        *(-56, 200, 255, 1)
    ]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(FLOATS, FLOATS)))
def test_floats_are_divided_as_in_numpy(a: float, b: float) -> None:
    with np.errstate(all="ignore"):
        x, y = np.float64(a), np.float64(b)
        np.testing.assert_equal(quotient(a, b), float(x / y))
        np.testing.assert_equal(remainder(a, b), float(np.fmod(x, y)))
        np.testing.assert_equal(floor_division(a, b, float), (float(x // y), float(np.remainder(x, y))))


@pytest.mark.parametrize(("a", "b"), list(itertools.product(FLOATS, FLOATS)))
def test_extremes_order_zeros_and_treat_nan_as_named(a: float, b: float) -> None:
    ordered = sorted((a, b), key=lambda x: (x, math.copysign(1.0, x)))
    expected = (math.nan, math.nan) if a != a or b != b else tuple(ordered)
    numbers = (b, b) if a != a else (a, a) if b != b else expected
    assert repr((minimum(a, b), maximum(a, b))) == repr(expected)
    assert repr((minimum_number(a, b), maximum_number(a, b))) == repr(numbers)
