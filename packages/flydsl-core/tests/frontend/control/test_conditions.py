"""`and` and `or` evaluate their operands as Python does."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.frontend.control.conditions import and_, or_


@pytest.mark.parametrize(("operation", "python"), [(and_, lambda a, b: a and b), (or_, lambda a, b: a or b)])
def test_static_operands_give_the_operand_that_python_gives(operation, python):
    for a in (0, 2):
        for b in (0, 3):
            assert operation(a, lambda b=b: b) == python(a, b)


def test_what_python_would_not_evaluate_is_not_evaluated():
    def fail():
        raise AssertionError("evaluated")

    assert and_(0, fail) == 0
    assert or_(1, fail) == 1


def test_dynamic_operands_are_evaluated_in_a_branch_of_their_own(computed, emitted):
    def both(x, y):
        return and_(x > 0, lambda: 12 // y > 2), or_(x > 0, lambda: y > 4)

    call = computed(both, fx.Int32, fx.Int32)
    for x in (-1, 1):
        for y in (3, 5):
            assert call(x, y) == [x > 0 and 12 // y > 2, x > 0 or y > 4]
    assert emitted(both, fx.Int32, fx.Int32).names.count("scf.if") == 2


def test_a_chain_mixes_static_and_dynamic_operands(computed):
    call = computed(lambda x: and_(True, lambda: x > 1, lambda: x < 4), fx.Int32)
    assert [call(x) for x in (1, 2, 3, 4)] == [False, True, True, False]
