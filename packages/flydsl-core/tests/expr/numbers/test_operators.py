"""Operators of numbers and vectors against Python and NumPy."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError

INTEGERS = [-7, -1, 0, 1, 3, 100]
BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip


@pytest.mark.parametrize("operation", list(BINARY.values()), ids=list(BINARY))
def test_integers_are_those_of_python(computed, operation):
    call = computed(operation, fx.Int32, fx.Int32)
    static = computed(lambda x: operation(x, 3), fx.Int32)
    reflected = computed(lambda x: operation(3, x), fx.Int32)
    for a in INTEGERS:
        assert static(a) == operation(a, 3)
        assert reflected(a) == operation(3, a)
        for b in INTEGERS:
            assert call(a, b) == operation(a, b)


def test_quotients_are_rounded_down_and_remainders_have_the_sign_of_the_dividend(computed):
    call = computed(lambda a, b: (a // b, a % b, a / b), fx.Int32, fx.Int32)
    for a in INTEGERS:
        for b in (-3, -1, 2, 7):
            assert call(a, b) == [a // b, math.fmod(a, b), float(np.float32(a / b))]


@pytest.mark.parametrize(
    ("dtype", "a", "b", "expected"),
    [
        (fx.Uint8, 200, 100, (44, 100, 2, 0)),
        (fx.Int8, 100, 100, (-56, 0, 1, 0)),
        (fx.Uint32, 1, 2, (3, (1 << 32) - 1, 0, 1)),
    ],
)
def test_integers_wrap_at_their_width(computed, dtype, a, b, expected):
    call = computed(lambda x, y: (x + y, x - y, x // y, x % y), dtype, dtype)
    assert tuple(call(a, b)) == expected


@pytest.mark.parametrize(("dtype", "shifted"), [(fx.Int8, -1), (fx.Uint8, 15)])
def test_shifts_to_the_right_keep_the_sign_of_signed_numbers(computed, dtype, shifted):
    assert computed(lambda x: x >> 4, dtype)(-16 if dtype.is_signed else 240) == shifted


def test_floats_are_rounded_once_to_their_type(computed):
    call = computed(lambda x, y: (x + y, x * y, x / y, -x, abs(x)), fx.Float32, fx.Float32)
    x, y = np.float32(-1.1), np.float32(0.7)
    assert call(float(x), float(y)) == [float(v) for v in (x + y, x * y, x / y, -x, abs(x))]


def test_operators_of_vectors_go_lane_by_lane(computed):
    def run(x):
        v = fx.Vector.from_elements([x, x + 1, x + 2], fx.Int32)
        return v * 2 + v, v < 6, 10 - v

    assert computed(run, fx.Int32)(4) == [[12, 15, 18], [True, True, False], [6, 5, 4]]


def test_vectors_of_other_shapes_do_not_go_together(emitted):
    def run(x):
        return fx.Vector.filled(2, x, fx.Int32) + fx.Vector.filled(3, x, fx.Int32)

    with pytest.raises(FrontendError, match="shape"):
        emitted(run, fx.Int32)


def test_static_operands_stay_static():
    assert (fx.Int32(3) + 4).value == 7
    assert (fx.Int32(7) // 2).is_static
    assert (fx.Float32(1) / 4).value == 0.25


def test_numbers_of_other_types_are_refused(emitted):
    with pytest.raises((FrontendError, TypeError)):
        emitted(lambda x: x + "text", fx.Int32)
    with pytest.raises((FrontendError, TypeError)):
        emitted(lambda x: x & 1.5, fx.Float32)


def test_a_choice_takes_the_first_where_the_condition_holds(computed):
    call = computed(lambda x, y: (x < y).select(x, y * 2), fx.Int32, fx.Int32)
    assert [call(1, 2), call(5, 2)] == [1, 4]


def test_booleans_shifted_by_booleans_stay_booleans(emitted):
    one = fx.Boolean(True)
    assert ((one << fx.Boolean(False)).dtype, (one >> fx.Boolean(False)).value) == (fx.Boolean, True)
    assert emitted(lambda a, b: ((a << b).dtype, (a << 1).dtype), fx.Boolean, fx.Boolean).result == (
        fx.Boolean,
        fx.Int32,
    )


def test_a_conversion_to_the_own_type_is_the_value_itself(emitted):
    number = fx.Float32(1.5)
    assert number.to(fx.Float32) is number
    assert number.to(fx.Float32, rounding_mode=fx.RoundingMode.upward) is number
    assert emitted(lambda a: a.to(fx.Int8) is a, fx.Int8).result is True
