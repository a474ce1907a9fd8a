"""Heads of loops, and loops with `init=` as loops that assign."""

from __future__ import annotations

import ast

import pytest

from flydsl.frontend.rewriting.loops import head_of, is_over_range, keyword, with_state_assigned, yielded


def loop(text: str) -> ast.For:
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.For)
    return node


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[("range(3)", True), ("fx.range(3)", True), ("flydsl.expr.range(3, unroll=2)", True)],
        *[("range_constexpr(3)", False), ("items", False), ("fx.range", False)],
        *[("items[0].range(3)", False), ("words.range(3, step=2)", False), ("words.range(3, **options)", False)],
    ],
)
def test_a_loop_over_a_call_of_range(text: str, expected: bool) -> None:
    assert is_over_range(loop(f"for i in {text}: pass")) is expected


def test_the_parts_of_a_head() -> None:
    head = head_of(loop("for i in range(a, b + 1, unroll=4): pass"))
    assert head is not None
    assert head.index == "i"
    assert [ast.unparse(bound) for bound in head.bounds] == ["a", "b + 1"]
    assert ast.unparse(head.unroll) == "4"
    assert ast.unparse(head.range) == "range"
    plain = head_of(loop("for i in range(a): pass"))
    assert plain is not None
    assert ast.unparse(plain.unroll) == "None"


@pytest.mark.parametrize("text", ["for i, s in range(3): pass", "for i in items: pass", "for x[0] in range(3): pass"])
def test_other_loops_have_no_head(text: str) -> None:
    assert head_of(loop(text)) is None


def test_keywords_of_range_alone() -> None:
    value = keyword(loop("for i in range(3, init=x): pass"), "init")
    assert value is not None
    assert ast.unparse(value) == "x"
    assert keyword(loop("for i in range(3): pass"), "init") is None
    assert keyword(loop("for i in other(3, init=x): pass"), "init") is None


def test_the_state_of_a_loop_is_assigned_before_in_and_after_it() -> None:
    node = loop("for i, (a, b) in range(n, init=(0, 1), unroll=2):\n    c = a + b\n    total = yield (b, c)")
    text = "\n".join(ast.unparse(statement) for statement in with_state_assigned(node, "s"))
    assert text == (
        "s = __flydsl__.first_state((0, 1))\n"
        "for i in range(n, unroll=2):\n"
        "    (a, b) = s\n"
        "    c = a + b\n"
        "    s = __flydsl__.next_state(s, (b, c))\n"
        "s = __flydsl__.last_state(s)\n"
        "total = s"
    ).replace("(a, b) = s", ast.unparse(ast.parse("(a, b) = s")))


@pytest.mark.parametrize(
    ("text", "found"), [("yield x", True), ("r = yield x", True), ("x = 1", False), ("pass", False)]
)
def test_the_yield_that_ends_a_turn(text: str, found: bool) -> None:
    (statement,) = ast.parse(f"def f():\n    {text}").body[0].body  # type: ignore[attr-defined]
    assert (yielded(statement) is not None) is found
