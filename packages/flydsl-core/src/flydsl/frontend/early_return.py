"""Early returns: `return` and `continue` under a condition moved to the end of their branch."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_STATIC_CONDITIONS = frozenset({"const_expr"})
Leave = type[ast.Return] | type[ast.Continue]


def is_const_expr(test: ast.expr) -> bool:
    """Whether a condition says that it is known while tracing, so that its statement stays as it is."""
    if not isinstance(test, ast.Call):
        return False
    word = test.func.attr if isinstance(test.func, ast.Attribute) else getattr(test.func, "id", "")
    return word in _STATIC_CONDITIONS


def exits_moved_to_ends(statements: Sequence[ast.stmt], leave: Leave) -> list[ast.stmt]:
    """What follows an `if` that leaves on one side, moved to its other side.

    `if c: return`, then B, becomes `if c: return else: B`. What follows a statement that leaves never runs and goes.
    """
    found = next((i for i, node in enumerate(statements) if _leaves(node, leave)), None)
    if found is None:
        return list(statements)
    node, rest = statements[found], statements[found + 1 :]
    if not isinstance(node, ast.If):
        return list(statements[: found + 1])
    sides = [
        exits_moved_to_ends(side if _all_leave(side, leave) else [*side, *rest], leave)
        for side in (node.body, node.orelse)
    ]
    body = sides[0] or [ast.copy_location(ast.Pass(), node)]
    return [*statements[:found], ast.copy_location(ast.If(node.test, body, sides[1]), node)]


def without_final_continue(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The body of a loop without `continue` at the ends of its branches, where it changes nothing."""
    if not statements:
        return []
    *head, last = statements
    if isinstance(last, ast.Continue):
        return [*head, ast.copy_location(ast.Pass(), last)]
    if isinstance(last, ast.If) and not is_const_expr(last.test):
        sides = without_final_continue(last.body), without_final_continue(last.orelse)
        return [*head, ast.copy_location(ast.If(last.test, *sides), last)]
    return list(statements)


def _leaves(node: ast.stmt, leave: Leave) -> bool:
    """Whether one side of `node` always leaves, and what follows can therefore move to the other side."""
    if isinstance(node, leave):
        return True
    if not isinstance(node, ast.If) or is_const_expr(node.test):
        return False
    return _all_leave(node.body, leave) or _all_leave(node.orelse, leave)


def _all_leave(statements: Sequence[ast.stmt], leave: Leave) -> bool:
    """Whether every path through the statements leaves."""
    return any(
        isinstance(node, leave)
        or (isinstance(node, ast.If) and _all_leave(node.body, leave) and _all_leave(node.orelse, leave))
        for node in statements
    )
