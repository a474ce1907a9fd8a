"""Powers: multiplied out for static exponents, one operation otherwise."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, 10])
def test_static_exponents_are_multiplied_out(computed, emitted, exponent):
    call = computed(lambda x: x**exponent, fx.Int32)
    assert [call(x) for x in (-2, 0, 3)] == [x**exponent for x in (-2, 0, 3)]
    run = emitted(lambda x: x**exponent, fx.Int32)
    assert "math.ipowi" not in run.names
    assert run.names.count("arith.muli") <= 2 * max(1, exponent.bit_length())


def test_a_dynamic_exponent_is_one_operation(computed, emitted):
    call = computed(lambda x, n: fx.ipowi(x, n), fx.Int32, fx.Int32)
    assert [call(3, 4), call(2, -1), call(-1, -3), call(0, 0)] == [81, 0, -1, 1]
    assert emitted(lambda x, n: x**n, fx.Int32, fx.Int32).names == ["math.ipowi"]


def test_floats(computed):
    assert computed(lambda x, y: x**y, fx.Float64, fx.Float64)(2.0, -0.5) == 2.0**-0.5
    assert computed(lambda x, n: fx.fpowi(x, n), fx.Float64, fx.Int8)(1.5, 3) == 3.375
    assert computed(lambda x: 2.0**x, fx.Float32)(3.0) == 8.0


def test_an_integer_to_a_negative_static_power_is_refused(emitted):
    with pytest.raises(FrontendError, match="an integer to the power of -2: use a static exponent >= 0, fx.ipowi"):
        emitted(lambda x: x**-2, fx.Int32)
