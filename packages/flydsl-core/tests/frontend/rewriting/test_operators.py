"""Expressions handed to the runtime object: which are, and that they are evaluated as Python does."""

from __future__ import annotations

import ast

import pytest

from flydsl.frontend.rewriting.helpers import Runtime
from flydsl.frontend.rewriting.operators import Operators, binds
from flydsl.frontend.rewriting.templates import RUNTIME


def rewritten(text: str) -> str:
    return ast.unparse(Operators().visit(ast.parse(text, mode="eval")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a if t else b", "R.if_expression(t, lambda: a, lambda: b)"),
        ("a and b and c", "R.and_(a, lambda: b, lambda: c)"),
        ("a or not b", "R.or_(a, lambda: R.not_(b))"),
        ("a < b", "a < b"),
        ("a < b <= c", "R.compare(a, ('Lt', lambda: b), ('LtE', lambda: c))"),
        ("a is None", "R.asked(a) is None"),
        ("a is b", "R.is_(a, b)"),
        ("a is not b", "not R.is_(a, b)"),
        ("a in b", "R.in_(a, b)"),
        ("a not in b", "R.not_(R.in_(a, b))"),
        ("a < b is c", "R.compare(a, ('Lt', lambda: b), ('Is', lambda: c))"),
        ("f(x)", "R.callee(f)(x)"),
        ("-a", "-a"),
        ("[i for i in x if i > 1]", "[i for i in R.iterable(x) if R.keeps(i > 1)]"),
        ("a if const_expr(t) else b", "a if R.callee(const_expr)(t) else b"),
        ("a and (b := c)", "a and (b := c)"),
    ],
)
def test_what_is_handed_to_the_runtime(text, expected):
    assert rewritten(text) == expected.replace("R.", f"{RUNTIME}.")


@pytest.mark.parametrize(
    "text",
    [
        "x if x > 2 else -x",
        "1 < x < 4 != 7",
        "x and 5 or 3",
        "not x",
        "[i for i in range(9) if i % x]",
        "x is x",
        "3 > x in (1, 4)",
        "1 < x not in (2, 4)",
    ],
)
@pytest.mark.parametrize("x", [1, 2, 3])
def test_static_values_give_what_python_gives(text, x):
    assert eval(rewritten(text), {RUNTIME: Runtime(), "x": x}) == eval(text, {"x": x})


def test_operands_are_evaluated_once_and_only_where_needed():
    seen = []

    def note(value):
        seen.append(value)
        return value

    text = rewritten("note(1) < note(0) < note(5)")
    assert eval(text, {RUNTIME: Runtime(), "note": note}) is False
    assert seen == [1, 0]


@pytest.mark.parametrize(("text", "expected"), [("(a := 1) + 2", True), ("a + 2", False)])
def test_assignments_inside_of_expressions(text, expected):
    assert binds(ast.parse(text, mode="eval")) is expected
