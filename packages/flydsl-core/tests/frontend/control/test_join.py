"""Values of two paths joined: one type, or no value with the reason."""

from __future__ import annotations

import re

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.control.join import Pending, Zeros, join, join_leaf, stand_in
from flydsl.frontend.control.undefined import Absent, Undefined


def joined(lhs, rhs):
    """The variable after two paths that agree."""
    left, right, finish = join("x", lhs, rhs)
    assert left == right == []
    return finish([])


def text_of(stands):
    with pytest.raises(FrontendError) as caught:
        stands + 1
    return str(caught.value)


@pytest.mark.parametrize("value", [3, 2.5, None, "text", (1, (2, 3)), {"a": 1}, fx.Int32(4)])
def test_equal_static_values_stay_static(value):
    found = joined(value, value)
    assert type(found) is type(value)
    assert repr(found) == repr(value)


def test_zeros_of_other_sign_are_not_one_value():
    assert join_leaf("x", 0.0, -0.0)[1] is not None
    assert join_leaf("x", float("nan"), float("nan"))[1] is None


@pytest.mark.parametrize(
    ("a", "b", "dtype"),
    [(1, 2, fx.Int32), (1, 2.5, fx.Float32), (fx.Int8(1), fx.Int64(2), fx.Int64), (True, False, fx.Boolean)],
)
def test_numbers_get_the_type_of_arithmetic_between_them(a, b, dtype):
    x, y = join_leaf("x", a, b)
    assert x.dtype is y.dtype is dtype


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (1, None, r"variable 'x' is .* on one path and None on the other; give it a number of the right type before"),
        ("a", "b", r"a Python str \('a'\) on one path and a Python str \('b'\) on the other; which one it is must"),
        ((1, 2), (1, 2, 3), r"has 2 parts on one path and 3 parts on the other; make them alike"),
    ],
)
def test_values_without_one_type_are_undefined_and_say_why(a, b, message):
    assert re.search(message, text_of(joined(a, b)))


def test_an_undefined_side_leaves_no_value():
    stands = Undefined("x")
    assert joined(stands, 5) is stands
    assert joined(5, stands) is stands


def test_a_path_that_has_not_returned_takes_zeros_of_the_other(emitted):
    def pair(x):
        left, right, finish = join("the returned value", Absent(), x + 1)
        return left[0], right[0], finish

    zero, value, _ = emitted(pair, fx.Int32).result
    assert zero.is_static
    assert zero.value == 0
    assert not value.is_static


def test_static_values_stand_in_for_themselves():
    assert stand_in((3, "a", None)) == (3, "a", None)


def test_a_pending_conversion_is_made_where_its_path_ends(emitted):
    def convert(x):
        pending = Pending(x, fx.Float32)
        before = "no"
        value = pending.materialized()
        return before, value

    run = emitted(convert, fx.Int32)
    assert run.result[1].dtype is fx.Float32
    assert run.names == ["arith.sitofp"]


def test_zeros_are_a_vector_of_any_type(emitted):
    made = emitted(lambda: Zeros((4,), fx.Int32).to(fx.Float32).materialized()).result
    assert (made.shape, made.dtype) == ((4,), fx.Float32)
