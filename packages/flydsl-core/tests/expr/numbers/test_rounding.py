"""Conversions with a rounding mode: static ones and those of run time agree, and are the neighbours they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError

MODE = fx.RoundingMode
VALUES = [
    1.0,
    1 + 2.0**-11,
    1 + 2.0**-12,
    -1 - 2.0**-12,
    1 + 3 * 2.0**-12,
    65519.0,
    65520.0,
    70000.0,
    -70000.0,
    2.0**-25,
    0.0,
]


def expected(value, mode):
    """The neighbour of a number in Float16."""
    near = float(np.float16(value))
    if near == value or mode is MODE.to_nearest_even:
        return near
    low, high = near, near
    if near > value:
        low = float(np.nextafter(np.float16(near), np.float16(-math.inf)))
    else:
        high = float(np.nextafter(np.float16(near), np.float16(math.inf)))
    if mode is MODE.downward or (mode is MODE.toward_zero and value > 0):
        return low
    if mode is MODE.upward or mode is MODE.toward_zero:
        return high
    if math.isinf(near):
        return near
    other = high if near == low else low
    return max(near, other, key=abs) if abs(near - value) == abs(other - value) else near


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("mode", list(MODE))
def test_both_ways_give_the_neighbour_of_the_mode(computed, mode):
    call = computed(lambda x: x.to(fx.Float16, rounding_mode=mode), fx.Float32)
    for value in map(float, map(np.float32, VALUES)):
        assert call(value) == expected(value, mode), value
        assert fx.Float32(value).to(fx.Float16, rounding_mode=mode).value == expected(value, mode), value


@pytest.mark.parametrize(
    ("mode", "results"),
    [
        (MODE.downward, [2, -3]), (MODE.upward, [3, -2]), (MODE.toward_zero, [2, -2]),
        (MODE.to_nearest_even, [2, -2]), (MODE.to_nearest_away, [3, -3]),
    ],
)  # fmt: skip
def test_floats_to_integers(computed, mode, results):
    call = computed(lambda x: x.to(fx.Int32, rounding_mode=mode), fx.Float32)
    assert [call(2.5), call(-2.5)] == results


def test_what_is_no_mode(emitted):
    with pytest.raises(FrontendError, match="rounding_mode takes one of fx.RoundingMode.to_nearest_even, .*, found 9"):
        emitted(lambda x: x.to(fx.Float16, rounding_mode=9), fx.Float32)
    with pytest.raises(FrontendError, match="Int64 to Float32 rounds to nearest even only"):
        emitted(lambda x: x.to(fx.Float32, rounding_mode=MODE.upward), fx.Int64)
