"""Compile-time arguments: what they are, and that nothing is passed for them."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.compiler.call.constexpr import BoundConstexpr
from flydsl.compiler.call.kinds import bind
from flydsl.frontend.signature import Parameter

CONSTEXPR, ANY = Parameter("c", "constexpr"), Parameter("c", "any")


def test_values_of_other_types_have_other_texts():
    values = [True, 1, 1.0, "1", (1,), (True,), (1.0,), None, 0.0, -0.0, fx.Int8, fx.Int16]
    texts = [bind(CONSTEXPR, value, frozenset()).spec.text() for value in values]
    assert len(set(texts)) == len(values)


@pytest.mark.parametrize(
    ("value", "expected"), [("text", True), (None, True), (fx.Int8, True), (1, False), ((1,), False)]
)
def test_without_annotation_only_what_is_nothing_else_is_part_of_the_code(value, expected):
    assert BoundConstexpr.takes(ANY, value) is expected
    assert BoundConstexpr.takes(CONSTEXPR, value)


def test_nothing_is_passed_for_it():
    argument = bind(CONSTEXPR, (1, "a"), frozenset())
    assert argument.plan_part(iter(())) == ("", ())
    assert list(argument.spec.c_parameters(iter(()))) == []
    assert argument.interpreted(None, []) == []
    assert (argument.spec.ir_types(), argument.spec.traced_value([])) == ([], (1, "a"))
