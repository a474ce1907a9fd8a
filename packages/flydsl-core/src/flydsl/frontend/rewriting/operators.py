"""Rewriting of expressions: conditions and calls as calls of the runtime object."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from flydsl.frontend.rewriting.early_return import is_const_expr
from flydsl.frontend.rewriting.nodes import is_leaf, walk
from flydsl.frontend.rewriting.templates import RUNTIME, call

_TESTS: dict[type[ast.cmpop], str] = {
    ast.Is: f"{RUNTIME}.is_($LEFT, $RIGHT)",
    ast.IsNot: f"not {RUNTIME}.is_($LEFT, $RIGHT)",
    ast.In: f"{RUNTIME}.in_($LEFT, $RIGHT)",
    ast.NotIn: f"{RUNTIME}.not_({RUNTIME}.in_($LEFT, $RIGHT))",
}


class Operators(ast.NodeTransformer):
    """The part of the transformer that rewrites expressions."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """As `ast.NodeTransformer` does, without visits of contexts and operators."""
        for name in node._fields:
            old = getattr(node, name, None)
            if type(old) is list:
                old[:] = self._visited(old)
            elif not is_leaf(type(old)) and isinstance(old, ast.AST):
                setattr(node, name, self.visit(old))
        return node

    def _visited(self, items: list[Any]) -> Iterator[Any]:
        for item in items:
            made = item if is_leaf(type(item)) or not isinstance(item, ast.AST) else self.visit(item)
            if type(made) is list:
                yield from made
            else:
                yield made

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        if is_const_expr(node.test) or binds(node.body, node.orelse):
            return self.generic_visit(node)
        parts = {"TEST": self.tested(node.test), "BODY": self.visit(node.body), "ELSE": self.visit(node.orelse)}
        return call(node, f"{RUNTIME}.if_expression($TEST, lambda: $BODY, lambda: $ELSE)", **parts)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        return self._short_circuit(node, "and_" if isinstance(node.op, ast.And) else "or_", self.visit)

    def tested(self, node: ast.expr) -> Any:
        """An expression of which only the truth is used, rewritten."""
        if not isinstance(node, ast.BoolOp):
            return self.visit(node)
        return self._short_circuit(node, "all_" if isinstance(node.op, ast.And) else "any_", self.tested)

    def _short_circuit(self, node: ast.BoolOp, name: str, visit: Callable[[ast.expr], Any]) -> ast.AST:
        if binds(*node.values[1:]):
            return self.generic_visit(node)
        parts = {f"OPERAND{index}": visit(value) for index, value in enumerate(node.values)}
        rest = "".join(f", lambda: $OPERAND{index}" for index in range(1, len(node.values)))
        return call(node, f"{RUNTIME}.{name}($OPERAND0{rest})", **parts)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if not isinstance(node.op, ast.Not):
            return self.generic_visit(node)
        return call(node, f"{RUNTIME}.not_($OPERAND)", OPERAND=self.tested(node.operand))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        kinds = [type(op) for op in node.ops]
        if kinds[0] in _TESTS and len(kinds) == 1:
            return self._tested(node, _TESTS[kinds[0]])
        if len(kinds) == 1 or binds(*node.comparators):
            return self.generic_visit(node)
        parts = {f"OPERAND{index}": self.visit(value) for index, value in enumerate(node.comparators)}
        links = "".join(f", ({kind.__name__!r}, lambda: $OPERAND{index})" for index, kind in enumerate(kinds))
        return call(node, f"{RUNTIME}.compare($LEFT{links})", LEFT=self.visit(node.left), **parts)

    def _tested(self, node: ast.Compare, text: str) -> ast.AST:
        """One `is` or `in`, which Python itself decides where it asks for None alone."""
        self.generic_visit(node)
        left, right = node.left, node.comparators[0]
        if isinstance(right, ast.Constant) and right.value is None:
            node.left = call(left, f"{RUNTIME}.asked($VALUE)", VALUE=left)
            return node
        return call(node, text, LEFT=left, RIGHT=right)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of a helper runs the rewritten helper."""
        self.generic_visit(node)
        node.func = self._called(node.func)
        return node

    @staticmethod
    def _called(function: ast.expr) -> ast.expr:
        """What is called for a function."""
        return call(function, f"{RUNTIME}.callee($FUNCTION)", FUNCTION=function)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """The iterable and the conditions of a comprehension are checked to be known while tracing."""
        tests, node.ifs = node.ifs, []
        self.generic_visit(node)
        node.ifs = [call(test, f"{RUNTIME}.keeps($TEST)", TEST=self.tested(test)) for test in tests]
        node.iter = call(node.iter, f"{RUNTIME}.iterable($VALUE)", VALUE=node.iter)
        return node


def binds(*nodes: ast.AST) -> bool:
    """Whether one of the nodes contains `:=`."""
    return any(isinstance(inner, ast.NamedExpr) for node in nodes for inner in walk(node))
