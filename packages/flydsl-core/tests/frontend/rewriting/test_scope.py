"""Names that statements assign, change and read."""

from __future__ import annotations

import ast
import textwrap

import pytest

from flydsl.frontend.rewriting.scope import assigned_names, mutated_names, reads


def statements(text: str) -> list[ast.stmt]:
    return ast.parse(textwrap.dedent(text)).body


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("b = a; a = 1; b = 2", ["b", "a"]),
        ("x, (y, *z) = f()", ["x", "y", "z"]),
        ("x += 1", ["x"]),
        ("for i in range(3):\n    total = i", ["i", "total"]),
        ("with open() as f:\n    g = f", ["f", "g"]),
        ("if (n := f()) > 1:\n    pass", ["n"]),
        ("def inner(a):\n    b = a", ["inner"]),
        ("f = lambda a: (b := a)", ["f"]),
        ("x = [i for i in y]", ["x"]),
        ("x = [(last := i) for i in y]", ["x", "last"]),
        ("import a.b as c, d.e", ["c", "d"]),
        ("del x", ["x"]),
        ("x[0] = 1; x.a = 2", []),
        ("match v:\n    case [a, *b]:\n        pass", ["a", "b"]),
    ],
)
def test_names_are_bound_in_order_and_only_in_their_scope(text: str, names: list[str]) -> None:
    assert assigned_names(statements(text)) == names


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("x[0] = 1", {"x": True}),
        ("x.a.b[1] = y", {"x": True}),
        ("del x[0]", {"x": True}),
        ("x.append(y)", {"x": False, "y": False}),
        ("f(x.a, key=y[0])", {"x": False, "y": False}),
        ("f(x); x[0] = 1", {"x": True}),
        ("x[0] = 1; f(x)", {"x": True}),
        ("x = y + 1", {}),
        ("f(1)", {}),
    ],
)
def test_items_are_changed_by_stores_and_may_be_by_calls(text: str, changed: dict[str, bool]) -> None:
    assert mutated_names(statements(text)) == changed


def test_reads_are_counted_in_nested_functions_too() -> None:
    (function,) = statements(
        """
        def f(a):
            b = a + a
            def g():
                return b
            del a
        """
    )
    assert reads(function) == {"a": 3, "b": 1}
