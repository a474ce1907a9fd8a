"""Walks over syntax trees that pass by the nodes of contexts and operators, without a generator for each node.

Rewriting a function visits its tree ten times, with `ast`'s own walks for as long as tracing it takes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

_MARKS = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
_LEAVES = frozenset((str, int, float, bool, type(None), *(kind for base in _MARKS for kind in base.__subclasses__())))
"""Types of what nodes hold besides nodes, and of nodes that hold nothing and stand nowhere in the text."""


def is_leaf(kind: type) -> bool:
    """Whether a part of this type is not a node, or one of a context or operator."""
    return kind in _LEAVES


def walk(root: ast.AST) -> Iterator[ast.AST]:
    """`root` and all nodes in it but contexts and operators, those of a level before those of the next; as `ast.walk`.

    A node's parts are looked up after it was visited.
    """
    pending = [root]
    for node in pending:
        yield node
        pending += parts(node)


def parts(node: ast.AST) -> list[ast.AST]:
    """The nodes directly in `node` but contexts and operators; as `ast.iter_child_nodes`."""
    found: list[ast.AST] = []
    values = node.__dict__
    for name in node._fields:
        value: Any = values.get(name)
        kind = type(value)
        if kind is list:
            for item in value:
                if type(item) not in _LEAVES and isinstance(item, ast.AST):
                    found.append(item)
        elif kind not in _LEAVES and isinstance(value, ast.AST):
            found.append(value)
    return found


def give_positions(root: ast.AST, line: int = 1, column: int = 0, end_line: int = 1, end: int = 0) -> None:
    """Let nodes without a position have that of the node around; as `ast.fix_missing_locations`."""
    if root._attributes:
        values = root.__dict__
        line, column = values.setdefault("lineno", line), values.setdefault("col_offset", column)
        if values.get("end_lineno") is None:
            values["end_lineno"] = end_line
        if values.get("end_col_offset") is None:
            values["end_col_offset"] = end
        end_line, end = values["end_lineno"], values["end_col_offset"]
    for inner in parts(root):
        give_positions(inner, line, column, end_line, end)
