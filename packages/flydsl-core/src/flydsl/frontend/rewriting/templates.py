"""Syntax-tree templates: text with placeholders, at a position of the user's source."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache

RUNTIME = "__flydsl__"
_HOLE = "__flydsl_hole_"
_POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def call(like: ast.AST, text: str, **parts: ast.expr) -> ast.expr:
    """The expression `text` at the position of `like`; `$TEST` is replaced by a part, which keeps its own position."""
    return _fill(_expression(text), like, parts)  # type: ignore[return-value]


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


@lru_cache(maxsize=256)
def _expression(text: str) -> ast.expr:
    """The tree of an expression with placeholders, which is copied where it is used."""
    return ast.parse(_with_holes(text), mode="eval").body


def _with_holes(text: str) -> str:
    """The placeholders as names that no user code contains."""
    return text.replace("$", _HOLE)


def _fill(template: ast.AST, like: ast.AST, parts: Mapping[str, ast.expr]) -> ast.AST:
    """A copy of `template` at the position of `like`, with its placeholders replaced."""
    position = {name: value for name in _POSITION if (value := getattr(like, name, None)) is not None}
    return _filled(template, position, parts)


def _filled(template: ast.AST, position: Mapping[str, int], parts: Mapping[str, ast.expr]) -> ast.AST:
    kind = type(template)
    if kind is ast.Name and template.id.startswith(_HOLE):  # type: ignore[attr-defined]
        return parts[template.id.removeprefix(_HOLE)]  # type: ignore[attr-defined]
    copy: ast.AST = kind.__new__(kind)
    values = copy.__dict__
    values.update(template.__dict__)
    for name in template._fields:
        value = values.get(name)
        if type(value) is list:
            values[name] = [_filled(item, position, parts) if isinstance(item, ast.AST) else item for item in value]
        elif isinstance(value, ast.AST) and value._fields:  # not a context or operator, which all trees share
            values[name] = _filled(value, position, parts)
    if template._attributes:
        values.update(position)
    return copy


def _head(statement: ast.stmt) -> ast.AST:
    """The node that the caret of a block statement underlines: its condition or range, not its whole body."""
    return getattr(statement, "test", None) or getattr(statement, "iter", None) or statement
