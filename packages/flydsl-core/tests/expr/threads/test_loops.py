"""`fx.range` where Python runs it; as the head of a traced loop it is the front end's."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedConstructError
from flydsl.expr.threads.loops import checked_unroll


def test_outside_of_traced_code_it_is_pythons_range(emitted):
    assert fx.range(5) == range(5)
    assert fx.range(2, fx.Int32(9), 3) == range(2, 9, 3)
    assert fx.range(5, unroll=2) == range(5)
    with pytest.raises(TypeError):
        fx.range()


@pytest.mark.parametrize("unroll", [None, False, True])
def test_python_runs_every_turn_of_known_bounds_while_tracing(emitted, unroll):
    """All turns at once are what Python's own loop makes of them, as in a generator."""
    assert emitted(lambda x: list(fx.range(3, unroll=unroll)), fx.Int32).result == [0, 1, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: fx.range(x), "Python runs this range, and .* is known only at run time; write it as the head"),
        (lambda x: fx.range(3, unroll=2), "range with unroll= is a loop of traced code, and Python runs this one"),
        (lambda x: fx.range(3, init=x), "range with init= is a loop of traced code whose body ends with `yield`"),
    ],
)
def test_what_only_a_loop_of_the_device_can_do_is_refused(emitted, call, message):
    with pytest.raises(FrontendError, match=message):
        emitted(call, fx.Int32)


def test_a_state_is_refused_outside_too():
    with pytest.raises(FrontendError, match="write it as the head of a loop"):
        fx.range(3, init=0)


@pytest.mark.parametrize(("unroll", "expected"), [(None, None), (False, None), (True, True), (1, 1), (7, 7)])
def test_how_many_iterations_at_a_time(unroll, expected):
    assert checked_unroll(unroll) is expected
    assert checked_unroll(fx.Int32(3)) == checked_unroll(np.int64(3)) == 3


@pytest.mark.parametrize("unroll", [0, -1, 2.0, "2", fx.Int32(0), fx.Float32(2.0)])
def test_what_is_no_number_of_iterations(unroll):
    with pytest.raises(UnsupportedConstructError, match="unroll is True or a positive number known while tracing"):
        fx.range(3, unroll=unroll)


def test_a_number_known_at_run_time_only_is_none(emitted):
    with pytest.raises(UnsupportedConstructError, match="1 keeps the loop as it is"):
        emitted(lambda x: checked_unroll(x), fx.Int32)
