"""Early returns: `return` and `continue` under a condition moved to the end of their branch."""

from __future__ import annotations

import ast
from collections.abc import Sequence

Exit = type[ast.Return] | type[ast.Continue]


def is_const_expr(test: ast.expr) -> bool:
    """Whether a condition is a call of `const_expr`, so that its statement stays a Python statement."""
    if not isinstance(test, ast.Call):
        return False
    name = test.func.attr if isinstance(test.func, ast.Attribute) else getattr(test.func, "id", "")
    return name == "const_expr"


def exits_moved_to_ends(statements: Sequence[ast.stmt], kind: Exit) -> list[ast.stmt]:
    """The statements after an `if` that exits in one branch, moved into its other branch.

    `if c: return`, then B, becomes `if c: return else: B`. Statements after an unconditional exit are dropped.
    """
    index = next((i for i, node in enumerate(statements) if _exits(node, kind)), None)
    if index is None:
        return list(statements)
    node, rest = statements[index], statements[index + 1 :]
    if not isinstance(node, ast.If):
        return list(statements[: index + 1])
    branches = [
        exits_moved_to_ends(branch if _always_exits(branch, kind) else [*branch, *rest], kind)
        for branch in (node.body, node.orelse)
    ]
    body = branches[0] or [ast.copy_location(ast.Pass(), node)]
    return [*statements[:index], ast.copy_location(ast.If(node.test, body, branches[1]), node)]


def without_final_continue(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The body of a loop without `continue` at the ends of its branches, where it has no effect."""
    if not statements:
        return []
    *head, last = statements
    if isinstance(last, ast.Continue):
        return [*head, ast.copy_location(ast.Pass(), last)]
    if isinstance(last, ast.If) and not is_const_expr(last.test):
        branches = without_final_continue(last.body), without_final_continue(last.orelse)
        return [*head, ast.copy_location(ast.If(last.test, *branches), last)]
    return list(statements)


def _exits(node: ast.stmt, kind: Exit) -> bool:
    """Whether one branch of `node` always exits, so that the statements after it can move into the other branch."""
    if isinstance(node, kind):
        return True
    if not isinstance(node, ast.If) or is_const_expr(node.test):
        return False
    return _always_exits(node.body, kind) or _always_exits(node.orelse, kind)


def _always_exits(statements: Sequence[ast.stmt], kind: Exit) -> bool:
    """Whether every path through the statements exits."""
    return any(
        isinstance(node, kind)
        or (isinstance(node, ast.If) and _always_exits(node.body, kind) and _always_exits(node.orelse, kind))
        for node in statements
    )
