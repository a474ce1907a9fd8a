"""Operations and conversions as tracing folds them and as the interpreter computes them, against exact arithmetic."""

from __future__ import annotations

import pytest
from support.arithmetic_rules import rules_of
from support.exact_numbers import KINDS
from support.number_checks import SOME_FORMS, wrong_conversions, wrong_operations, wrong_static

import flydsl.compiler as flyc

SEED = 10


def interpreted(host, *arrays):
    flyc.interpret(host)(*arrays)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_known_while_tracing_folds_to_the_exact_result(kind):
    assert not wrong_static(KINDS[kind], SEED, 60)


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if rules_of(kind)])
def test_the_interpreter_computes_the_exact_result(kind):
    assert not wrong_operations(KINDS[kind], SEED, 20, run=interpreted)


@pytest.mark.parametrize("kind", KINDS)
def test_the_interpreter_rounds_conversions_once(kind):
    targets = list(KINDS.values())[list(KINDS).index(kind) % 3 :: 3]
    assert not wrong_conversions(KINDS[kind], targets, SEED, 10, forms=SOME_FORMS, run=interpreted)
