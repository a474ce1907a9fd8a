"""Branches that exit early: the statements after them move into the other branch, and the results are the same."""

from __future__ import annotations

import ast
import itertools
import textwrap

import pytest

from flydsl.frontend.rewriting.early_return import exits_moved_to_ends, is_const_expr, without_final_continue

FUNCTIONS = [
    """
    if a:
        return 1
    x = 2
    if b:
        return x
    return 3
    """,
    """
    if a:
        if b:
            return 1
        else:
            return 2
    elif c:
        x = 5
    else:
        return 6
    return x + 1
    """,
    """
    if a:
        x = 1
        if b:
            return x
    return 4
    return 5
    """,
]


def text_of(body: list[ast.stmt]) -> str:
    return ast.unparse(ast.Module(body, []))


def function(body: list[ast.stmt]) -> object:
    names: dict[str, object] = {}
    exec(f"def f(a, b, c):\n{textwrap.indent(text_of(body), '    ')}", names)
    return names["f"]


@pytest.mark.parametrize("text", FUNCTIONS)
def test_every_path_returns_the_same_value(text: str) -> None:
    inner = ast.parse(f"def f():{text}").body[0].body  # type: ignore[attr-defined]
    before, after = function(inner), function(exits_moved_to_ends(inner, ast.Return))
    for values in itertools.product((False, True), repeat=3):
        assert after(*values) == before(*values)  # type: ignore[operator]


def test_the_statements_after_an_exit_move_into_the_other_branch() -> None:
    body = ast.parse("for i in x:\n    if a:\n        continue\n    b = 1\n    c = 2").body[0].body  # type: ignore[attr-defined]
    assert text_of(exits_moved_to_ends(body, ast.Continue)) == "if a:\n    continue\nelse:\n    b = 1\n    c = 2"


def test_a_static_condition_stays_as_it_is() -> None:
    text = "if fx.const_expr(a):\n    return 1\nb = 2"
    body = ast.parse(f"def f():\n{textwrap.indent(text, '    ')}").body[0].body  # type: ignore[attr-defined]
    assert text_of(exits_moved_to_ends(body, ast.Return)) == text


def test_a_continue_at_the_end_of_a_branch_is_dropped() -> None:
    loop = ast.parse(
        "for i in x:\n    b = 1\n    if a:\n        c = 2\n        continue\n    else:\n        continue"
    ).body[0]
    assert text_of(without_final_continue(loop.body)) == "b = 1\nif a:\n    c = 2\n    pass\nelse:\n    pass"  # type: ignore[attr-defined]
    assert without_final_continue([]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [("const_expr(a)", True), ("fx.const_expr(a)", True), ("other(a)", False), ("a", False), ("f()(a)", False)],
)
def test_the_word_for_static_conditions(text: str, expected: bool) -> None:
    assert is_const_expr(ast.parse(text, mode="eval").body) is expected
