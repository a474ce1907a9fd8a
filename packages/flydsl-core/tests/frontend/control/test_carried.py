"""What a loop carries: numbers as wide as they become, nothing that no iteration changes, and reasons for the rest."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.control.carried import LoopVariables
from flydsl.frontend.control.undefined import Absent, Undefined


def iteration(before, after, names=("a", "b")):
    """A loop of one iteration, traced until it settles; its variables and the number of SSA values that it carries."""
    loop = LoopVariables(names[: len(before)], before)
    for _ in range(9):
        inits = loop.inits()
        now = loop.values(inits)
        outcome = after(*now)
        if loop.settles(outcome):
            return loop.values(loop.yields(outcome)), len(inits)
    raise AssertionError("the loop does not settle")


def test_what_no_turn_changes_is_not_carried(emitted):
    def run(x):
        return iteration([x, 5], lambda a, b: (a + 1, b))

    (a, b), carried = emitted(run, fx.Int32).result
    assert carried == 1
    assert b == 5
    assert a.dtype is fx.Int32


def test_a_number_gets_as_wide_as_it_becomes(emitted):
    def run(x):
        return iteration([0], lambda a: (a + fx.Float64(x),))

    (a,), carried = emitted(run, fx.Int32).result
    assert a.dtype is fx.Float64
    assert carried == 1


def test_parts_of_containers_are_carried_one_by_one(emitted):
    def run(x):
        return iteration([(x, [x, 7])], lambda tree: ((tree[0], [tree[1][0] + 1, tree[1][1]]),))

    ((first, (changed, kept)),), carried = emitted(run, fx.Int32).result
    assert carried == 1
    assert kept == 7
    assert not first.is_static
    assert not changed.is_static


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([(1, 2)], lambda a: ((9,),), r"variable 'a' has 2 parts before an iteration of the loop and 1 after it"),
        (
            ["text"],
            lambda a: ("other",),
            r"variable 'a' is a Python str \('text'\) before an iteration of the loop",
        ),
    ],
)
def test_a_variable_that_changes_its_form_has_no_value(emitted, before, after, message):
    def run(x):
        return iteration(list(before), after)[0][0]

    result = emitted(run, fx.Int32).result
    assert isinstance(result, Undefined)
    with pytest.raises(FrontendError, match=message):
        result + 1


def test_a_variable_with_its_first_value_in_the_turn_starts_with_zeros(emitted):
    def run(x):
        return iteration([Absent(), x], lambda a, b: (b + 1, b + 2))

    (a, _), carried = emitted(run, fx.Int32).result
    assert carried == 2
    assert a.dtype is fx.Int32
