"""A Python function in, a new one with its control flow handed to `ControlFlow` out; the original is not touched."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import CellType, CodeType, FunctionType

from flydsl.frontend.control_flow import ControlFlow
from flydsl.frontend.reject import reject_untraceable
from flydsl.frontend.scope import assigned_names, exits
from flydsl.frontend.source import FunctionSource, function_source

__all__ = ["rewrite", "rewritten_source"]

_RUNTIME = "__flydsl__"
_STATIC_WORDS = frozenset({"const_expr"})


def rewrite(function: FunctionType) -> FunctionType:
    """`function` with every branch and loop that may be dynamic turned into a call; closure and globals are shared."""
    source = function_source(function)
    reject_untraceable(source)
    code = _compile(_rewritten(source), source.file, function)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[_RUNTIME] = CellType(ControlFlow())
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    return made


def rewritten_source(function: FunctionType) -> str:
    """The rewritten function as text, for `FLYDSL_DEBUG_AST_DIFF`."""
    return ast.unparse(ast.fix_missing_locations(_rewritten(function_source(function))))


def _rewritten(source: FunctionSource) -> ast.FunctionDef:
    tree = source.parse()
    assert isinstance(tree, ast.FunctionDef)
    tree.decorator_list = []
    tree.body = _Rewriter().function_body(tree.body)
    return tree


def _compile(tree: ast.FunctionDef, file: str, function: FunctionType) -> CodeType:
    """The code of `tree`, compiled inside an outer function so that its free variables stay free."""
    free = [*function.__code__.co_freevars, _RUNTIME]
    outer = ast.parse(f"def __flydsl_outer__({', '.join(dict.fromkeys(free))}):\n    pass").body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body = [tree]
    module = ast.fix_missing_locations(ast.Module(body=[outer], type_ignores=[]))
    outer_code = _child_code(compile(module, file, "exec"), "__flydsl_outer__")
    return _child_code(outer_code, tree.name)


def _child_code(code: CodeType, name: str) -> CodeType:
    return next(const for const in code.co_consts if isinstance(const, CodeType) and const.co_name == name)


class _Rewriter(ast.NodeTransformer):
    def __init__(self) -> None:
        self._count = 0

    def function_body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The rewritten statements of a whole function."""
        return self._statements(_early_returns_to_else(statements))

    def _statements(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        rewritten: list[ast.stmt] = []
        for statement in statements:
            result = self.visit(statement)
            rewritten.extend(result if isinstance(result, list) else [result])
        return rewritten

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = self.function_body(node.body)
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if _is_static_word(node.test):
            return self.generic_visit(node)
        leaving = exits([*node.body, *node.orelse])
        if leaving:
            node.test = self._call(node.test, f"{_RUNTIME}.static_test(TEST, {leaving!r})", TEST=self.visit(node.test))
            node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
            return node
        names = assigned_names([*node.body, *node.orelse])
        then, orelse = self._name("then"), self._name("else")
        call = f"{_RUNTIME}.if_(TEST, {then}, {orelse}, {names!r}, {_lookups(names)})"
        return [
            self._function(node, then, names, self._returning(node, node.body, names)),
            self._function(node, orelse, names, self._returning(node, node.orelse, names)),
            self._assign(node, names, call, TEST=self.visit(node.test)),
        ]

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        call = node.iter
        is_range = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
        if not is_range or not isinstance(node.target, ast.Name) or exits(node.body):
            return self.generic_visit(node)
        assert isinstance(call, ast.Call)
        names = [name for name in assigned_names(node.body) if name != node.target.id]
        body = self._name("body")
        bounds = ast.Tuple([self.visit(argument) for argument in call.args], ast.Load())
        text = f"{_RUNTIME}.for_(range, BOUNDS, {body}, {names!r}, {_lookups(names)})"
        target = node.target.id
        return [
            self._function(node, body, [target, *names], self._returning(node, node.body, names)),
            self._assign(node, names, text, BOUNDS=bounds),
            self._statement(node, f"{target} = {_RUNTIME}.undefined({target!r})"),
        ]

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        if _is_static_word(node.test):
            return self.generic_visit(node)
        leaving = exits(node.body)
        if leaving:
            node.test = self._call(node.test, f"{_RUNTIME}.static_test(TEST, {leaving!r})", TEST=self.visit(node.test))
            node.body = self._statements(node.body)
            return node
        names = assigned_names(node.body)
        test, body = self._name("test"), self._name("body")
        tester = self._function(node, test, names, [ast.copy_location(ast.Return(self.visit(node.test)), node.test)])
        call = f"{_RUNTIME}.while_({test}, {body}, {names!r}, {_lookups(names)})"
        return [
            tester,
            self._function(node, body, names, self._returning(node, node.body, names)),
            self._assign(node, names, call),
        ]

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        if _is_static_word(node.test) or _binds(node.body, node.orelse):
            return self.generic_visit(node)
        parts = {"TEST": self.visit(node.test), "BODY": self.visit(node.body), "ELSE": self.visit(node.orelse)}
        return self._call(node, f"{_RUNTIME}.if_expression(TEST, lambda: BODY, lambda: ELSE)", **parts)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        if _binds(*node.values[1:]):
            return self.generic_visit(node)
        parts = {f"OPERAND{index}": self.visit(value) for index, value in enumerate(node.values)}
        rest = "".join(f", lambda: OPERAND{index}" for index in range(1, len(node.values)))
        word = "and_" if isinstance(node.op, ast.And) else "or_"
        return self._call(node, f"{_RUNTIME}.{word}(OPERAND0{rest})", **parts)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if not isinstance(node.op, ast.Not):
            return self.generic_visit(node)
        return self._call(node, f"{_RUNTIME}.not_(OPERAND)", OPERAND=self.visit(node.operand))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        identity = any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops)
        if len(node.ops) == 1 or identity or _binds(*node.comparators):
            return self.generic_visit(node)
        parts = {f"OPERAND{index}": self.visit(value) for index, value in enumerate(node.comparators)}
        links = "".join(f", ({type(op).__name__!r}, lambda: OPERAND{index})" for index, op in enumerate(node.ops))
        return self._call(node, f"{_RUNTIME}.compare(LEFT{links})", LEFT=self.visit(node.left), **parts)

    def _name(self, role: str) -> str:
        self._count += 1
        return f"__flydsl_{role}_{self._count}"

    def _function(self, like: ast.stmt, name: str, params: list[str], body: list[ast.stmt]) -> ast.stmt:
        function = self._statement(like, f"def {name}({', '.join(params)}):\n    pass")
        assert isinstance(function, ast.FunctionDef)
        function.body = body
        return function

    def _returning(self, like: ast.stmt, body: Sequence[ast.stmt], names: list[str]) -> list[ast.stmt]:
        return [*self._statements(body), self._statement(like, f"return {_tuple(names)}")]

    def _assign(self, like: ast.stmt, names: list[str], call: str, **parts: ast.expr) -> ast.stmt:
        text = f"{_tuple(names)} = {call}" if names else call
        return self._statement(like, text, **parts)

    def _statement(self, like: ast.stmt, text: str, **parts: ast.expr) -> ast.stmt:
        statement = ast.parse(text).body[0]
        return _fill(statement, _head(like), parts)  # type: ignore[return-value]

    def _call(self, like: ast.expr, text: str, **parts: ast.expr) -> ast.expr:
        return _fill(ast.parse(text, mode="eval").body, like, parts)  # type: ignore[return-value]


class _Fill(ast.NodeTransformer):
    def __init__(self, parts: dict[str, ast.expr]) -> None:
        self._parts = parts

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._parts.get(node.id, node)


def _fill(template: ast.AST, like: ast.AST, parts: dict[str, ast.expr]) -> ast.AST:
    """`template` placed at `like`, with its placeholder names replaced by `parts`, which keep their own places."""
    for node in ast.walk(template):
        if hasattr(node, "lineno"):
            ast.copy_location(node, like)
    return _Fill(parts).visit(template)  # type: ignore[no-any-return]


def _head(statement: ast.stmt) -> ast.AST:
    """What the caret of a block statement points at: its condition or range, not its whole body."""
    return getattr(statement, "test", None) or getattr(statement, "iter", None) or statement


def _early_returns_to_else(statements: list[ast.stmt]) -> list[ast.stmt]:
    """`if c: ...; return` before more statements, as `if c: ... else: more`, in a function without result."""
    for index, statement in enumerate(statements):
        if not isinstance(statement, ast.If) or _is_static_word(statement.test):
            continue
        *head, last = statement.body
        if isinstance(last, ast.Return) and last.value is None and not exits(head) and not exits(statement.orelse):
            rest = _early_returns_to_else([*statement.orelse, *statements[index + 1 :]])
            if exits(rest):
                return statements
            body = head or [ast.copy_location(ast.Pass(), last)]
            replaced = ast.copy_location(ast.If(statement.test, body, rest), statement)
            return [*statements[:index], replaced]
    return statements


def _is_static_word(test: ast.expr) -> bool:
    if not isinstance(test, ast.Call):
        return False
    word = test.func.attr if isinstance(test.func, ast.Attribute) else getattr(test.func, "id", "")
    return word in _STATIC_WORDS


def _binds(*nodes: ast.AST) -> bool:
    return any(isinstance(inner, ast.NamedExpr) for node in nodes for inner in ast.walk(node))


def _tuple(names: Sequence[str]) -> str:
    return f"({''.join(name + ', ' for name in names)})"


def _lookups(names: Sequence[str]) -> str:
    return _tuple([f"{_RUNTIME}.lookup({name!r}, lambda: {name})" for name in names])
