"""Statements in, the names they assign and the ways they leave out; nested functions are scopes of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

__all__ = ["assigned_names", "exit_statement", "exits", "mutated_names"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def assigned_names(statements: Iterable[ast.AST]) -> list[str]:
    """The local variables that the statements bind, in order of first binding."""
    names: dict[str, None] = {}
    for statement in statements:
        _collect(statement, names)
    return list(names)


def mutated_names(statements: Iterable[ast.AST]) -> list[str]:
    """The variables whose items or attributes the statements may change, in order of first change.

    `x[i] = v`, `x.a = v`, and a method called for its effect: `x.append(v)`.
    """
    names: dict[str, None] = {}
    for statement in statements:
        for node in ast.walk(statement):
            changed: ast.AST | None = None
            if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
                changed = node
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                changed = node.value.func if isinstance(node.value.func, ast.Attribute) else None
            while isinstance(changed, ast.Subscript | ast.Attribute):
                changed = changed.value
            if isinstance(changed, ast.Name):
                names[changed.id] = None
    return list(names)


def exits(statements: Sequence[ast.stmt]) -> str:
    """`return`, `break` or `continue` when the statements can leave their function or the loop around them, else ''."""
    found = exit_statement(statements)
    return "" if found is None else type(found).__name__.lower()


def exit_statement(statements: Sequence[ast.stmt]) -> ast.stmt | None:
    """The first statement that leaves the function or the loop around `statements`."""
    return next(filter(None, (_exit(statement, in_loop=False) for statement in statements)), None)


def _collect(node: ast.AST, names: dict[str, None]) -> None:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        names[node.name] = None
        return
    if isinstance(node, _SCOPES):
        return
    if isinstance(node, _COMPREHENSIONS):
        for inner in ast.walk(node):  # a walrus inside binds in the enclosing scope
            if isinstance(inner, ast.NamedExpr):
                names[inner.target.id] = None
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        names[node.id] = None
    elif isinstance(node, ast.alias):
        names[node.asname or node.name.partition(".")[0]] = None
    elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
        names[node.name] = None
    for child in ast.iter_child_nodes(node):
        _collect(child, names)


def _exit(node: ast.AST, *, in_loop: bool) -> ast.stmt | None:
    if isinstance(node, ast.Return):
        return node
    if isinstance(node, ast.Break | ast.Continue):
        return None if in_loop else node
    if isinstance(node, _SCOPES):
        return None
    inside = in_loop or isinstance(node, ast.For | ast.While)
    found = (_exit(child, in_loop=inside) for child in ast.iter_child_nodes(node))
    return next(filter(None, found), None)
