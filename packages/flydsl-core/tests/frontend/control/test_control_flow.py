"""The runtime object of rewritten code: static values stay Python's, wherever they come from."""

from __future__ import annotations

import functools

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.control.control_flow import ControlFlow
from flydsl.frontend.control.undefined import Undefined
from flydsl.frontend.rewriting.helpers import Runtime

FLOW = ControlFlow()


def fails():
    raise NameError("x")


def test_a_variable_without_a_value_is_undefined():
    assert isinstance(ControlFlow.lookup("x", fails), Undefined)
    assert ControlFlow.lookup("x", lambda: 3) == 3


def test_a_value_that_no_call_changes_is_not_handed_on():
    items = [1]
    assert ControlFlow.passed("items", lambda: items) is items
    for value in (3, "text", 2.5, True, int, functools, fails, fx.Int32(1)):
        assert ControlFlow.passed("x", lambda value=value: value) is None


def test_asking_for_an_undefined_value_fails():
    with pytest.raises(FrontendError, match="variable 'x' has no value"):
        ControlFlow.read(Undefined("x"))
    with pytest.raises(FrontendError, match="variable 'x' has no value"):
        Runtime.callee(isinstance)(Undefined("x"), int)
    assert Runtime.callee(isinstance)(3, int)


def test_a_deleted_variable_says_so_and_needs_a_value_before():
    with pytest.raises(FrontendError, match="variable 'x' has no value after del"):
        ControlFlow.deleted("x", lambda: 1) + 1
    with pytest.raises(NameError):
        ControlFlow.deleted("x", fails)


def test_functions_of_python_are_called_as_they_are():
    for function in (len, max, "text".upper, dict):
        assert Runtime.callee(function) is function


def test_a_partial_and_map_call_the_rewritten_helper(emitted):
    def sign(x, low):
        if x < low:
            return -1
        return 1

    def run(x):
        one = Runtime.callee(functools.partial(sign, low=0))(x)
        (other,) = Runtime.callee(map)(functools.partial(sign, low=1), [x])
        return one, other

    assert emitted(run, fx.Int32).names.count("scf.if") == 2


@pytest.mark.parametrize(("test", "expected"), [(True, "then"), (0, "else"), (fx.Boolean(True), "then")])
def test_a_static_condition_runs_one_side(test, expected):
    sides = (lambda *_: "then"), (lambda *_: "else")
    assert FLOW.if_(test, *sides, (), (), (), ()) == expected
    assert FLOW.if_return(test, *sides, (), (), (), ()) == expected
    assert FLOW.if_expression(test, *sides) == expected


def test_a_chain_of_comparisons_is_pythons():
    assert FLOW.compare(1, ("Lt", lambda: 2), ("NotEq", lambda: 3)) is True
    assert FLOW.compare(2, ("Lt", lambda: 1), ("Lt", fails)) is False


def test_a_while_on_static_values_runs_in_python():
    (total, n) = FLOW.while_(lambda t, n: n > 0, lambda t, n: (t + n, n - 1), ("t", "n"), (0, 4), (), ())
    assert (total, n) == (10, 0)


def test_a_while_that_never_ends_while_tracing_is_refused():
    with pytest.raises(FrontendError, match="this loop did not end within 65536 iterations while tracing"):
        FLOW.while_(lambda: True, lambda: (), (), (), (), ())


def test_a_helpers_static_range_runs_in_python_and_ends_at_a_known_flag():
    seen = []

    def body(i, stop):
        seen.append(i)
        return (i == 2,)

    values = ControlFlow(is_helper=True).for_(range, (5,), None, body, [0], ("stop",), (False,), (), ())
    assert seen == [0, 1, 2]
    assert values == (True,)


def test_items_known_at_run_time_cannot_be_counted_by_python(emitted):
    with pytest.raises(FrontendError, match="cannot be iterated over; count with `for i in range"):
        ControlFlow.iterable(fx.Int32(3))
    with pytest.raises(FrontendError, match="the condition of a comprehension is evaluated while tracing"):
        emitted(lambda x: ControlFlow.keeps(x > 1), fx.Int32)
    assert ControlFlow.keeps(0) is False
    assert ControlFlow.iterable([1]) == [1]


def test_the_state_of_a_loop_keeps_its_structure():
    assert ControlFlow.first_state((1, 2)) == [1, 2]
    assert ControlFlow.next_state([1], 5) == [5]
    assert ControlFlow.next_state([1, 2], (3, 4)) == [3, 4]
    with pytest.raises(FrontendError, match="an iteration of the loop yields 1 values and init has 2"):
        ControlFlow.next_state([1, 2], (3,))


def test_a_flag_is_known_only_when_it_is_static(emitted):
    assert emitted(lambda x: ControlFlow.is_known(False, x > 1), fx.Int32).result is False
    assert ControlFlow.is_known(False, 1)
