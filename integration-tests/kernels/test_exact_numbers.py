"""Every operation and conversion of every numeric type on special and random numbers, against exact arithmetic.

The nightly run has more of them: `integration-tests/nightly/exact_numbers.py`.
"""

from __future__ import annotations

import pytest
from support.arithmetic_rules import rules_of
from support.exact_numbers import KINDS
from support.number_checks import SOME_FORMS, wrong_conversions, wrong_operations

SEED, NUMBERS = 20, 60
COMPUTED = [name for name, kind in KINDS.items() if rules_of(kind)]
_TURNS = {"cpu": 0, "gfx942": 1, "gfx1100": 2}
"""Each of these has a third of the conversions; others have those of the first."""


@pytest.mark.parametrize("kind", COMPUTED)
def test_operations_are_exact_or_rounded_once(kind, target):
    assert not wrong_operations(KINDS[kind], SEED, NUMBERS, wide=False)


@pytest.mark.parametrize("kind", KINDS)
def test_conversions_round_once(kind, target):
    turn = list(KINDS).index(kind) + _TURNS.get(target.name, 0)
    targets = [other for index, other in enumerate(KINDS.values()) if (index + turn) % 3 == 0]
    assert not wrong_conversions(KINDS[kind], targets, SEED, NUMBERS, forms=SOME_FORMS)
