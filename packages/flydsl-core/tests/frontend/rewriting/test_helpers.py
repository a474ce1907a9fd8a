"""Functions that traced code calls are rewritten too, and only those that are the user's."""

from __future__ import annotations

import functools
import math

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.rewriting.helpers import rewritten_helper
from flydsl.frontend.rewriting.rewrite import rewrite


def clamp(x, low=0.0):
    if x < low:
        return low
    return x


def twice(x):
    return clamp(x) + clamp(-x, low=1.0)


def test_helpers_of_helpers_take_dynamic_conditions(emitted):
    run = emitted(rewrite(twice), fx.Float32)
    assert run.names.count("scf.if") == 2
    assert run.result.dtype is fx.Float32


def unrolls(values):
    total = 0
    for i in range(len(values)):
        total = total + values[i]
    return total, i


def calls_unrolled(x):
    return unrolls([x, 1, 2])


def test_a_static_range_of_a_helper_stays_a_python_loop(emitted):
    run = emitted(rewrite(calls_unrolled), fx.Int32)
    assert "scf.for" not in run.names
    assert run.result[1] == 2


def repeats(value):
    for _ in range(0, 4, unroll=2):
        value = value * 3
    return value


def calls_repeated(x):
    return repeats(x)


def test_a_static_range_of_a_helper_with_unroll_is_a_loop_of_the_device(emitted):
    run = emitted(rewrite(calls_repeated), fx.Int32)
    assert (run.names.count("scf.for"), run.names.count("arith.muli")) == (1, 2)


def repeats_typed(value, words):
    for _ in fx.range(0, 4, unroll=2):
        value = value * 3
    for _ in fx.range(2):
        value = value ^ 5
    for letter in words.range("ab"):
        value = value - ord(letter)
    return value


class Words:
    """Has a `range` that is another."""

    @staticmethod
    def range(word):
        return (letter for letter in word)


def test_the_typed_range_is_the_same_loop_and_other_functions_of_its_name_are_not(emitted):
    def calls(x):
        return repeats_typed(x, Words)

    run = emitted(rewrite(calls), fx.Int32)
    counts = [run.names.count(name) for name in ("scf.for", "arith.muli", "arith.xori", "arith.subi")]
    assert counts == [1, 2, 2, 2]
    assert repeats_typed(1, Words) == 81 - ord("a") - ord("b")


def test_what_another_function_of_that_name_gives_must_be_iterable_while_tracing(emitted):
    class Numbers:
        @staticmethod
        def range(x):
            return x

    def calls(x):
        for i in Numbers.range(x):
            x = x + i
        return x

    def calls_for_pairs(x):
        for i, j in Numbers.range(x):
            x = x + i * j
        return x

    for function in (calls, calls_for_pairs):
        with pytest.raises(FrontendError, match="cannot be iterated over; count with `for i in range"):
            emitted(rewrite(function), fx.Int32)


class Model:
    def __init__(self, scale):
        self.scale = scale

    def apply(self, x):
        if x > 0:
            x = x * self.scale
        return x


def test_methods_are_helpers(emitted):
    def call(x):
        return Model(3).apply(x)

    assert emitted(rewrite(call), fx.Int32).names.count("scf.if") == 1


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@decorated
def absolute(x):
    if x < 0:
        return -x
    return x


def test_a_decorated_helper_is_reached_through_its_wrapper(emitted):
    def call(x):
        return absolute(x)

    assert emitted(rewrite(call), fx.Int32).names.count("scf.if") == 1


def test_defaults_and_closures_are_read_at_each_call(monkeypatch):
    def call(x):
        return clamp(x)

    made = rewrite(call)
    assert made(-1.0) == 0.0
    monkeypatch.setattr(clamp, "__defaults__", (5.0,))
    assert made(-1.0) == 5.0


def generator(n):
    yield from range(n)


def tries(x):
    try:
        return int(x)
    except ValueError:
        return -1


def test_what_cannot_be_traced_runs_as_it_is():
    assert rewritten_helper(generator) is generator
    assert rewritten_helper(tries) is not tries
    lambda_ = lambda x: x  # noqa: E731
    assert rewritten_helper(lambda_) is lambda_

    def call():
        return list(generator(3)), tries("4"), tries("x"), math.floor(2.5)

    assert rewrite(call)() == ([0, 1, 2], 4, -1, 2)


def test_functions_of_the_library_and_of_python_are_left_alone():
    for function in (fx.make_layout, functools.reduce, functools.wraps, fx.exp):
        if hasattr(function, "__code__"):
            assert rewritten_helper(function) is function


def test_an_installed_package_is_left_alone_unless_it_uses_the_language(load):
    text = "def helper(x):\n    if x > 0:\n        return x\n    return -x\n"
    plain = load(text, "plain_package", "site-packages")
    kernels = load("import flydsl.expr as fx\n" + text, "kernel_package", "site-packages")
    assert rewritten_helper(plain.helper) is plain.helper
    assert rewritten_helper(kernels.helper) is not kernels.helper


def test_the_users_function_is_not_changed(emitted):
    code = clamp.__code__
    emitted(rewrite(twice), fx.Float32)
    assert clamp.__code__ is code
    assert "__flydsl__" not in clamp.__globals__


def inner_error(x):
    return x + "text"


def outer_error(x):
    if x > 0:
        x = inner_error(x)
    return x


def test_an_error_names_its_line_and_the_calls_that_led_there(emitted):
    from flydsl.frontend.diagnostics import located

    def start(x):
        with located():
            return rewrite(outer_error)(x)

    with pytest.raises(FrontendError, match="add is not defined between Int32 and str") as error:
        emitted(start, fx.Int32)
    text = str(error.value)
    assert 'return x + "text"' in text
    first = inner_error.__code__.co_firstlineno
    assert f":{first + 1}:" in text
    assert f"called from {__file__}:{outer_error.__code__.co_firstlineno + 2}:" in text
