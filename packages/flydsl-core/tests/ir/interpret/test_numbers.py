"""Numbers are rounded once, to nearest even, in every format; bytes and values are each other's image."""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import Float8E4M3FNType, Float8E5M2Type, bf16, f16, f32, f64, i1, i8, i64
from xdsl.ir import Attribute

from flydsl.ir.interpret.math_operations import multiply_add
from flydsl.ir.interpret.numbers import codec, rounder, wrapper

doubles = st.floats(allow_nan=False, width=64)
singles = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(doubles)
def test_halves_and_singles_are_numpys(value: float) -> None:
    with np.errstate(over="ignore"):
        assert rounder(f16)(value) == float(np.float16(value))
        assert rounder(f32)(value) == float(np.float32(value))


@cache
def finite_values(type_: Attribute) -> list[tuple[float, int]]:
    """Every finite value of a format in order, and whether its last bit is set."""
    how = codec(type_)
    patterns = [(how.read(bits.to_bytes(how.size, "little"), 0), bits & 1) for bits in range(1 << 8 * how.size)]
    return sorted(pattern for pattern in patterns if math.isfinite(pattern[0]))


@pytest.mark.parametrize("type_", [bf16, Float8E5M2Type(), Float8E4M3FNType()])
@given(st.floats(-400, 400))
def test_small_floats_become_the_nearest_value_ties_to_even(type_: Attribute, value: float) -> None:
    every = finite_values(type_)
    place = bisect_left(every, (value, 0))
    around = every[max(0, place - 3) : place + 3]
    distances = {number: abs(Fraction(number) - Fraction(value)) for number, _ in around}
    found = rounder(type_)(value)
    assert distances[found] == min(distances.values())
    ties = {number: odd for number, odd in around if distances[number] == distances[found]}
    assert len(ties) == 1 or ties[found] == 0


@pytest.mark.parametrize("type_", [bf16, f16, Float8E5M2Type(), Float8E4M3FNType(), i8, i1])
def test_every_pattern_of_bits_survives(type_: Attribute) -> None:
    how = codec(type_)
    for bits in range(2 if type_ == i1 else 1 << 8 * how.size):
        value = how.read(bits.to_bytes(how.size, "little"), 0)
        data = bytearray(how.size)
        how.write(data, 0, value)
        assert int.from_bytes(data, "little") == bits or math.isnan(value)


@given(singles, singles, singles)
def test_a_fused_product_rounds_once(a: float, b: float, c: float) -> None:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    found = multiply_add(f32)(a, b, c)
    if math.isinf(found):
        assert abs(exact) >= Fraction(float(np.finfo(np.float32).max))
        return
    error = abs(Fraction(found) - exact)
    with np.errstate(over="ignore"):  # infinity is the neighbour of the largest
        neighbours = [np.nextafter(np.float32(found), np.float32(side)) for side in (-np.inf, np.inf)]
    for neighbour in neighbours:
        if np.isfinite(neighbour):
            assert error <= abs(Fraction(float(neighbour)) - exact)


@given(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100), st.floats(-1e200, 1e200))
def test_a_fused_product_of_doubles_rounds_once(a: float, b: float, c: float) -> None:
    assert multiply_add(f64)(a, b, c) == float(Fraction(a) * Fraction(b) + Fraction(c))


@given(st.integers(-(1 << 70), 1 << 70))
def test_integers_wrap(value: int) -> None:
    assert wrapper(8)(value) == int(np.array(value & 255, np.uint8).view(np.int8))
    assert (wrapper(64)(value) - value) % (1 << 64) == 0
    assert rounder(i64)(value) == wrapper(64)(value)
    assert wrapper(1)(value) == value & 1
