"""The syntax tree of a traced function in; branches, loops and calls as calls of the runtime object out."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flydsl.frontend.leaving import is_static_word, leaves_to_ends, without_final_continue
from flydsl.frontend.scope import assigned_names, exit_statement, exits, mutated_names
from flydsl.frontend.templates import RUNTIME, assign, call, define, names_tuple

__all__ = ["RUNTIME", "Rewriter"]


class Rewriter(ast.NodeTransformer):
    """Rewrites one function; `function_body` is the entry."""

    def __init__(self) -> None:
        self._count = 0

    def function_body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The rewritten statements of a whole function, or of a branch that ends one."""
        *head, last = leaves_to_ends(statements, ast.Return)
        if not isinstance(last, ast.If) or is_static_word(last.test) or exits([last]) != "return":
            return self._statements([*head, last])
        names = assigned_names([last])
        then, orelse = self._name("then"), self._name("else")
        text = f"{RUNTIME}.if_return($TEST, {then}, {orelse}, {_state([last], names)})"
        returned = ast.copy_location(ast.Return(call(last.test, text, TEST=self.visit(last.test))), last)
        return [
            *self._statements(head),
            define(last, then, names, self.function_body(last.body)),
            define(last, orelse, names, self.function_body(last.orelse or [ast.copy_location(ast.Pass(), last)])),
            returned,
        ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = self.function_body(node.body)
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if is_static_word(node.test):
            return self.generic_visit(node)
        leaving = exits([*node.body, *node.orelse])
        if leaving:
            node.test = self._static_test(node.test, leaving)
            node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
            return node
        branches = [*node.body, *node.orelse]
        names = assigned_names(branches)
        then, orelse = self._name("then"), self._name("else")
        text = f"{RUNTIME}.if_($TEST, {then}, {orelse}, {_state(branches, names)})"
        return [
            define(node, then, names, self._returning(node.body, names, node)),
            define(node, orelse, names, self._returning(node.orelse, names, node)),
            assign(node, names, text, TEST=self.visit(node.test)),
        ]

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        node.body = without_final_continue(leaves_to_ends(node.body, ast.Continue))
        bounds = node.iter
        is_range = isinstance(bounds, ast.Call) and isinstance(bounds.func, ast.Name) and bounds.func.id == "range"
        leaving = exit_statement(node.body)
        if not is_range or not isinstance(node.target, ast.Name) or leaving is not None:
            self.generic_visit(node)
            if is_range and leaving is not None:
                node.iter = self._static_range(bounds, leaving)
            return node
        assert isinstance(bounds, ast.Call)
        target, body = node.target.id, self._name("body")
        names = [name for name in assigned_names(node.body) if name != target]
        text = f"{RUNTIME}.for_(range, $BOUNDS, {body}, {target!r}, {_state(node.body, names, (target,))})"
        arguments = ast.Tuple([self.visit(argument) for argument in bounds.args], ast.Load())
        return [
            define(node, body, [target, *names], self._returning(node.body, names, node)),
            assign(node, [target, *names], text, BOUNDS=arguments),
        ]

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        if is_static_word(node.test):
            return self.generic_visit(node)
        node.body = without_final_continue(leaves_to_ends(node.body, ast.Continue))
        leaving = exits(node.body) or ("while with :=" if _binds(node.test) else "")
        if leaving:
            node.test = self._static_test(node.test, leaving)
            node.body = self._statements(node.body)
            return node
        names = assigned_names(node.body)
        test, body = self._name("test"), self._name("body")
        condition: list[ast.stmt] = [ast.copy_location(ast.Return(self.visit(node.test)), node.test)]
        return [
            define(node, test, names, condition),
            define(node, body, names, self._returning(node.body, names, node)),
            assign(node, names, f"{RUNTIME}.while_({test}, {body}, {_state(node.body, names)})"),
        ]

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        if is_static_word(node.test) or _binds(node.body, node.orelse):
            return self.generic_visit(node)
        parts = {"TEST": self.visit(node.test), "BODY": self.visit(node.body), "ELSE": self.visit(node.orelse)}
        return call(node, f"{RUNTIME}.if_expression($TEST, lambda: $BODY, lambda: $ELSE)", **parts)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        if _binds(*node.values[1:]):
            return self.generic_visit(node)
        parts = {f"OPERAND{index}": self.visit(value) for index, value in enumerate(node.values)}
        rest = "".join(f", lambda: $OPERAND{index}" for index in range(1, len(node.values)))
        word = "and_" if isinstance(node.op, ast.And) else "or_"
        return call(node, f"{RUNTIME}.{word}($OPERAND0{rest})", **parts)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if not isinstance(node.op, ast.Not):
            return self.generic_visit(node)
        return call(node, f"{RUNTIME}.not_($OPERAND)", OPERAND=self.visit(node.operand))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        identity = any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops)
        if len(node.ops) == 1 or identity or _binds(*node.comparators):
            return self.generic_visit(node)
        parts = {f"OPERAND{index}": self.visit(value) for index, value in enumerate(node.comparators)}
        links = "".join(f", ({type(op).__name__!r}, lambda: $OPERAND{index})" for index, op in enumerate(node.ops))
        return call(node, f"{RUNTIME}.compare($LEFT{links})", LEFT=self.visit(node.left), **parts)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of a helper runs the rewritten helper."""
        self.generic_visit(node)
        node.func = call(node.func, f"{RUNTIME}.callee($FUNCTION)", FUNCTION=node.func)
        return node

    def _statements(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        rewritten: list[ast.stmt] = []
        for statement in statements:
            result = self.visit(statement)
            rewritten.extend(result if isinstance(result, list) else [result])
        return rewritten

    def _returning(self, body: Sequence[ast.stmt], names: Sequence[str], like: ast.stmt) -> list[ast.stmt]:
        returned = ast.copy_location(ast.Return(ast.parse(names_tuple(names), mode="eval").body), like)
        return [*self._statements(body), returned]

    def _static_test(self, test: ast.expr, leaving: str) -> ast.expr:
        return call(test, f"{RUNTIME}.static_test($TEST, {leaving!r})", TEST=self.visit(test))

    @staticmethod
    def _static_range(bounds: ast.expr, leaving: ast.stmt) -> ast.expr:
        """The `range` of a loop that a statement leaves; an error about it shows that statement."""
        assert isinstance(bounds, ast.Call)
        word = type(leaving).__name__.lower()
        bounds.func = call(leaving, f"{RUNTIME}.static_range(range, {word!r})")
        return ast.copy_location(bounds, leaving)

    def _name(self, role: str) -> str:
        self._count += 1
        return f"__flydsl_{role}_{self._count}"


def _state(statements: Sequence[ast.stmt], names: Sequence[str], without: Sequence[str] = ()) -> str:
    """The variables that the statements assign and those whose items they change, as arguments of the runtime."""
    changed = [name for name in mutated_names(statements) if name not in names and name not in without]
    return f"{list(names)!r}, {_lookups(names)}, {changed!r}, {_lookups(changed)}"


def _lookups(names: Sequence[str]) -> str:
    return names_tuple([f"{RUNTIME}.lookup({name!r}, lambda: {name})" for name in names])


def _binds(*nodes: ast.AST) -> bool:
    return any(isinstance(inner, ast.NamedExpr) for node in nodes for inner in ast.walk(node))
