"""Statements that leave in the middle become flags: the flagged code does what the original did."""

from __future__ import annotations

import ast
import textwrap

import pytest

from flydsl.frontend.rewriting.exit_flags import Flagging, can_exit, is_plain_exit


def statements(text: str) -> list[ast.stmt]:
    return ast.parse(textwrap.dedent(text)).body


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("if a:\n    break", ast.Break, True),
        ("for i in x:\n    break", ast.Break, False),
        ("for i in x:\n    pass\nelse:\n    break", ast.Break, True),
        ("for i in x:\n    return 1", ast.Return, True),
        ("with a:\n    continue", ast.Continue, True),
        ("def f():\n    return 1", ast.Return, False),
        ("while a:\n    continue", ast.Continue, False),
    ],
)
def test_which_statements_leave_what_is_around_them(text: str, kind: type, expected: bool) -> None:
    assert can_exit(statements(text)[0], kind) is expected


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("break", True),
        ("with a:\n    break", True),
        ("if const_expr(a):\n    break", True),
        ("if a:\n    break", False),
        ("x = 1", True),
        ("if const_expr(a):\n    if b:\n        break", False),
    ],
)
def test_python_leaves_by_itself_where_nothing_becomes_a_function(text: str, plain: bool) -> None:
    assert is_plain_exit(statements(text), ast.Break) is plain


def run(text: str, **names: object) -> dict[str, object]:
    """The variables after the text ran."""
    exec(text, names)  # type: ignore[arg-type]
    return {name: value for name, value in names.items() if not name.startswith("__")}


LOOP = """
for i in range(6):
    total += i
    if i == stop:
        total += 100
        {exit}
        total += 1000
    elif i == other:
        with manager:
            {exit}
    total += 10
    if total > 150:
        pass
"""


class Manager:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("word", ["break", "continue"])
@pytest.mark.parametrize("stop", [0, 3, 9])
@pytest.mark.parametrize("other", [1, 9])
def test_what_follows_an_exit_is_guarded_by_the_flag(word: str, stop: int, other: int) -> None:
    text = LOOP.format(exit=word)
    names = {"total": 0, "stop": stop, "other": other, "manager": Manager()}
    expected = run(text, **names)
    (loop,) = statements(text)
    assert isinstance(loop, ast.For)
    kind = ast.Break if word == "break" else ast.Continue
    loop.body = [
        *statements("flag = False" if word == "continue" else ""),
        *Flagging(kind, "flag").statements(loop.body),
    ]
    if word == "break":
        loop.body = [ast.If(ast.parse("not flag", mode="eval").body, loop.body, [])]
    flagged = ast.unparse(ast.fix_missing_locations(ast.Module([*statements("flag = False"), loop], [])))
    assert word not in flagged
    found = run(flagged, **names)
    assert found["total"] == expected["total"]


def test_a_returned_value_is_stored_before_its_flag_and_loops_are_told() -> None:
    flagging = Flagging(ast.Return, "left", "value")
    text = "for i in x:\n    if i > 1:\n        return i\n    y = i\nelse:\n    y = 5\nz = 1"
    flagged = ast.unparse(ast.Module(flagging.statements(statements(text)), []))
    assert len(flagging.loops) == 1
    assert "value = i\n        left = True" in flagged
    assert "if not left:\n    z = 1" in flagged
    assert "else:\n    if not left:\n        y = 5" in flagged


def test_return_without_a_value_stores_none() -> None:
    (function,) = statements("def f():\n    if a:\n        return\n    b = 1")
    assert isinstance(function, ast.FunctionDef)
    flagged = ast.unparse(ast.Module(Flagging(ast.Return, "left", "value").statements(function.body), []))
    assert "value = None\n    left = True" in flagged
    assert "if not left:\n    b = 1" in flagged
