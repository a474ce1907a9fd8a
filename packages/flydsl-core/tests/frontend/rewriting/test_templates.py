"""Templates of syntax trees: what is put in keeps its lines, what is made has those of its model."""

from __future__ import annotations

import ast

from flydsl.frontend.rewriting.templates import assign, call, define, names_tuple

SOURCE = ast.parse("\n\nif first + \\\n second:\n    third = 1").body[0]
assert isinstance(SOURCE, ast.If)


def test_parts_keep_their_place_and_the_rest_gets_that_of_the_model() -> None:
    part = ast.parse("\n\n\n\n\nvalue", mode="eval").body
    made = call(SOURCE, "runtime.f($A, 1)", A=part)
    assert ast.unparse(made) == "runtime.f(value, 1)"
    assert made.lineno == 3
    assert made.args[0].lineno == 6  # type: ignore[attr-defined]


def test_a_statement_points_at_the_head_of_its_model() -> None:
    statement = assign(SOURCE, ["a", "b"], "f($X)", X=ast.Name("x", ast.Load()))
    assert ast.unparse(statement) == ast.unparse(ast.parse("(a, b,) = f(x)"))
    assert (statement.lineno, statement.col_offset, statement.end_col_offset) == (3, 3, 7)
    assert ast.unparse(assign(SOURCE, [], "f(1)")) == "f(1)"


def test_a_function_has_the_body_it_is_given() -> None:
    function = define(SOURCE, "body", ["i", "x"], SOURCE.body)  # type: ignore[union-attr]
    assert ast.unparse(function) == "def body(i, x):\n    third = 1"
    assert function.lineno == 3


def test_a_tuple_of_one_is_a_tuple() -> None:
    assert [eval(names_tuple(names)) for names in ([], ["1"], ["1", "2"])] == [(), (1,), (1, 2)]
