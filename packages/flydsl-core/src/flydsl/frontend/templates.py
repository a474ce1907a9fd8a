"""Syntax-tree templates: text with placeholders, at a position of the user's source."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

RUNTIME = "__flydsl__"
_HOLE = "__flydsl_hole_"


def call(like: ast.AST, text: str, **parts: ast.expr) -> ast.expr:
    """The expression `text` at the position of `like`; `$TEST` is replaced by a part, which keeps its own position."""
    return _fill(ast.parse(_with_holes(text), mode="eval").body, like, parts)  # type: ignore[return-value]


def assign(like: ast.stmt, names: Sequence[str], text: str, **parts: ast.expr) -> ast.stmt:
    """`(names) = text`, or `text` alone without names."""
    text = _with_holes(text)
    statement = ast.parse(f"{names_tuple(names)} = {text}" if names else text).body[0]
    return _fill(statement, _head(like), parts)  # type: ignore[return-value]


def define(like: ast.stmt, name: str, params: Sequence[str], body: list[ast.stmt]) -> ast.stmt:
    """`def name(params)` with `body`."""
    function = _fill(ast.parse(f"def {name}({', '.join(params)}):\n    pass").body[0], _head(like), {})
    assert isinstance(function, ast.FunctionDef)
    function.body = body
    return function


def names_tuple(names: Sequence[str]) -> str:
    """The text of a tuple."""
    return f"({''.join(name + ', ' for name in names)})"


class _Fill(ast.NodeTransformer):
    def __init__(self, parts: Mapping[str, ast.expr]) -> None:
        self._parts = parts

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._parts[node.id.removeprefix(_HOLE)] if node.id.startswith(_HOLE) else node


def _with_holes(text: str) -> str:
    """The placeholders as names that no user code contains."""
    return text.replace("$", _HOLE)


def _fill(template: ast.AST, like: ast.AST, parts: Mapping[str, ast.expr]) -> ast.AST:
    """`template` at the position of `like`, with its placeholders replaced."""
    for node in ast.walk(template):
        if hasattr(node, "lineno"):
            ast.copy_location(node, like)
    return _Fill(parts).visit(template)  # type: ignore[no-any-return]


def _head(statement: ast.stmt) -> ast.AST:
    """The node that the caret of a block statement underlines: its condition or range, not its whole body."""
    return getattr(statement, "test", None) or getattr(statement, "iter", None) or statement
