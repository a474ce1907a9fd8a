"""A few random calls of `fx.coop` with odd sizes, against NumPy; `nightly/cooperation.py` has many."""

from __future__ import annotations

import pytest
from support.random_cooperation import COLLECTIVES, Case, failure, random_cases
from support.targets import Target

import flydsl.compiler as flyc

CASES = random_cases(7, 6)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_collective_gives_what_numpy_does(target: Target, case: Case) -> None:
    assert failure(case, target.wave, lambda function: function) == ""


@pytest.mark.parametrize("case", CASES[::2], ids=str)
def test_the_interpreter_agrees(target: Target, case: Case) -> None:
    assert failure(case, target.wave, flyc.interpret) == ""


def test_all_collectives_are_drawn() -> None:
    assert {case.name for case in random_cases(0, 300)} == set(COLLECTIVES)
