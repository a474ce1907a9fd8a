"""Scopes: the names that statements assign, change and read; nested functions have scopes of their own."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from flydsl.frontend.rewriting.nodes import parts, walk

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def assigned_names(statements: Iterable[ast.AST]) -> list[str]:
    """The local variables that the statements bind, in order of first binding."""
    names: dict[str, None] = {}
    for statement in statements:
        _collect(statement, names)
    return list(names)


def mutated_names(statements: Iterable[ast.AST]) -> dict[str, bool]:
    """The variables whose items or attributes the statements may change, in order of first change.

    True where they are stored to, as in `x[i] = v`, `x.a = v` and `del x[i]`; False where a call may change them:
    `x.append(v)`, `f(x)`.
    """
    names: dict[str, bool] = {}
    for statement in statements:
        for node in walk(statement):
            is_store = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
            for changed in [node] if is_store else _passed(node):
                name = _root(changed)
                if name is not None and name is not changed:
                    names[name.id] = names.get(name.id, False) or is_store
    return names


def reads(node: ast.AST) -> Counter[str]:
    """How often each name is read within `node`, in nested functions too."""
    names = (inner for inner in walk(node) if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Store))
    return Counter(name.id for name in names)


def _passed(node: ast.AST) -> list[ast.expr]:
    """The arguments of a call; for a method call also its object, as an attribute access."""
    if not isinstance(node, ast.Call):
        return []
    method = [node.func] if isinstance(node.func, ast.Attribute) else []
    return [*method, *(ast.Starred(part) for part in (*node.args, *(item.value for item in node.keywords)))]


def _root(node: ast.AST) -> ast.Name | None:
    """`x` of `x`, `x.a` and `x[i].b`."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _collect(node: ast.AST, names: dict[str, None]) -> None:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        names[node.name] = None
        return
    if isinstance(node, _SCOPES):
        return
    if isinstance(node, _COMPREHENSIONS):
        for inner in walk(node):  # a walrus inside binds in the enclosing scope
            if isinstance(inner, ast.NamedExpr):
                names[inner.target.id] = None
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        names[node.id] = None
    elif isinstance(node, ast.alias):
        names[node.asname or node.name.partition(".")[0]] = None
    elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
        names[node.name] = None
    for child in parts(node):
        _collect(child, names)
