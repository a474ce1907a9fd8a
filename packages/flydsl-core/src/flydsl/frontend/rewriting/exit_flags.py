"""Early exits (`break`, `continue`, `return`) as flags, and guards around what follows.

if a: break          if a: broke = True
rest            ->   if not broke: rest
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flydsl.frontend.rewriting.early_return import is_const_expr
from flydsl.frontend.rewriting.templates import assign, call

Exit = type[ast.Break] | type[ast.Continue] | type[ast.Return]
_LOOPS = (ast.For, ast.While)


def can_exit(node: ast.AST, kind: Exit) -> bool:
    """Whether a statement can exit the enclosing loop (or function) by a statement of `kind`."""
    if isinstance(node, kind):
        return True
    return any(can_exit(child, kind) for child in _reachable(node, kind))


def is_plain_exit(statements: Sequence[ast.stmt], kind: Exit) -> bool:
    """Whether Python can execute the exit itself: no branch or loop that becomes a function encloses it."""
    return not any(_is_inside_region(node, kind) for node in statements)


class Flagging:
    """Replaces the exits of one kind by `flag = True`; `loops` are the loops that the flag must end."""

    def __init__(self, kind: Exit, flag: str, value: str = "") -> None:
        self._kind, self._flag, self._value = kind, flag, value
        self.loops: list[ast.For | ast.While] = []

    def statements(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements, those after an exit guarded by `if not flag`."""
        for index, node in enumerate(statements):
            if isinstance(node, self._kind):
                return [*statements[:index], *self._set(node)]
            if can_exit(node, self._kind):
                rest = self.statements(statements[index + 1 :])
                return [*statements[:index], self._inside(node), *([self.unless(rest, rest[0])] if rest else [])]
        return list(statements)

    def unless(self, statements: list[ast.stmt], like: ast.stmt) -> ast.stmt:
        """`if not flag: statements`."""
        return ast.copy_location(ast.If(call(like, f"not {self._flag}"), statements, []), like)

    def _inside(self, node: ast.stmt) -> ast.stmt:
        if isinstance(node, ast.With):
            node.body = self.statements(node.body)
        elif isinstance(node, ast.Try):
            self._inside_try(node)
        elif isinstance(node, _LOOPS):
            if any(can_exit(inner, self._kind) for inner in node.body) and self._kind is ast.Return:
                node.body = self.statements(node.body)
                self.loops.append(node)
            orelse = self.statements(node.orelse)
            node.orelse = [self.unless(orelse, orelse[0])] if orelse and self._kind is ast.Return else orelse
        elif isinstance(node, ast.If):
            node.body, node.orelse = self.statements(node.body), self.statements(node.orelse)
        return node

    def _inside_try(self, node: ast.Try) -> None:
        """Its `else` is left out after an exit of its body, too."""
        node.body, orelse = self.statements(node.body), self.statements(node.orelse)
        node.orelse = [self.unless(orelse, orelse[0])] if orelse else []
        for handler in node.handlers:
            handler.body = self.statements(handler.body)

    def _set(self, node: ast.stmt) -> list[ast.stmt]:
        flag = assign(node, [], f"{self._flag} = True")
        if not isinstance(node, ast.Return) or not self._value:
            return [flag]
        returned = node.value or ast.copy_location(ast.Constant(None), node)
        return [assign(node, [], f"{self._value} = $VALUE", VALUE=returned), flag]


def _reachable(node: ast.AST, kind: Exit) -> list[ast.stmt]:
    """The statements inside `node` whose exits of `kind` exit the construct that encloses `node`."""
    if isinstance(node, ast.If):
        return [*node.body, *node.orelse]
    if isinstance(node, ast.With):
        return node.body
    if isinstance(node, ast.Try):
        return parts_of_try(node)
    if isinstance(node, _LOOPS):
        return [*node.body, *node.orelse] if kind is ast.Return else node.orelse
    return []


def parts_of_try(node: ast.Try) -> list[ast.stmt]:
    """The statements of a `try` that may exit what encloses it: all but those of `finally`."""
    return [*node.body, *(inner for handler in node.handlers for inner in handler.body), *node.orelse]


def _is_inside_region(node: ast.stmt, kind: Exit) -> bool:
    if isinstance(node, ast.If) and is_const_expr(node.test):
        return any(_is_inside_region(inner, kind) for inner in (*node.body, *node.orelse))
    if isinstance(node, ast.With | ast.Try):
        return any(_is_inside_region(inner, kind) for inner in _reachable(node, kind))
    return not isinstance(node, kind) and can_exit(node, kind)
