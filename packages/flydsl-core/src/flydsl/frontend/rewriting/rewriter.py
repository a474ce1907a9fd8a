"""The AST transformer: branches, loops and calls as calls of the runtime object."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flydsl.frontend.rewriting.early_return import exits_moved_to_ends, is_const_expr, without_final_continue
from flydsl.frontend.rewriting.exit_flags import Exit, Flagging, can_exit, is_plain_exit
from flydsl.frontend.rewriting.loops import LoopHead, head_of, keyword, with_state_assigned
from flydsl.frontend.rewriting.operators import Operators, binds
from flydsl.frontend.rewriting.scope import assigned_names, mutated_names, reads
from flydsl.frontend.rewriting.templates import RUNTIME, assign, call, define, names_tuple

__all__ = ["RUNTIME", "Rewriter"]

_RETURNED = "__flydsl_returned"


class Rewriter(Operators, ast.NodeTransformer):
    """Rewrites one function; `function_body` is the entry."""

    def __init__(self, tree: ast.AST) -> None:
        self._count = 0
        self._reads = reads(tree)
        self._stops: dict[ast.stmt, list[str]] = {}  # flags that end a loop

    def function_body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The rewritten statements of a whole function, or of a branch that ends one."""
        statements = exits_moved_to_ends(statements, ast.Return)
        for index, node in enumerate(statements):
            is_last = index == len(statements) - 1 and can_exit(node, ast.Return)
            if is_last and isinstance(node, ast.If) and not is_const_expr(node.test):
                return [*self._statements(statements[:index]), *self._final_if(node)]
            if not is_plain_exit([node], ast.Return):
                return self._returning_early(statements[:index], node, statements[index + 1 :])
        return self._statements(statements)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = self.function_body(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node  # runs while tracing, as it is

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if is_const_expr(node.test):
            return self.generic_visit(node)
        branches = [*node.body, *node.orelse]
        names = assigned_names(branches)
        then, orelse = self._name("then"), self._name("else")
        text = f"{RUNTIME}.if_($TEST, {then}, {orelse}, {_state(branches, names)})"
        return [
            define(node, then, names, self._returning(node.body, names, node)),
            define(node, orelse, names, self._returning(node.orelse, names, node)),
            assign(node, names, text, TEST=self.tested(node.test)),
        ]

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """Runs while tracing; a handler gives back what a branch or loop of the device raised."""
        node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
        node.finalbody = self._statements(node.finalbody)
        for handler in node.handlers:
            handler.type = self.visit(handler.type) if handler.type is not None else None
            check = ast.copy_location(ast.Expr(call(handler, f"{RUNTIME}.check_caught()")), handler)
            handler.body = [check, *self._statements(handler.body)]
        return node

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        if keyword(node, "init") is not None:
            return self._statements(with_state_assigned(node, self._name("state")))
        head, stops = head_of(node), self._stops.get(node, [])
        read_after = self._reads[head.index] > reads(node)[head.index] if head is not None else False
        node.body = without_final_continue(exits_moved_to_ends(node.body, ast.Continue))
        if head is None and not stops and all(is_plain_exit(node.body, kind) for kind in (ast.Break, ast.Continue)):
            return self._python_loop(node)
        before, stops, after = self._flags(node, stops)
        if head is None:
            return [*before, self._stoppable(node, stops), *after]
        return [*before, *self._range_loop(node, head, stops, read_after), *after]

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        stops = self._stops.get(node, [])
        if binds(node.test):
            ends, leave = call(node.test, "not $TEST", TEST=node.test), ast.copy_location(ast.Break(), node.test)
            node.body.insert(0, ast.copy_location(ast.If(ends, [leave], []), node.test))
            node.test = call(node.test, "True")
        node.body = without_final_continue(exits_moved_to_ends(node.body, ast.Continue))
        is_plain = not stops and all(is_plain_exit(node.body, kind) for kind in (ast.Break, ast.Continue))
        if is_const_expr(node.test) and is_plain:
            return self.generic_visit(node)
        before, stops, after = self._flags(node, stops)
        if stops:
            node.test = call(node.test, f"{_none_of(stops)} and $TEST", TEST=node.test)
        names = assigned_names(node.body)
        test, body = self._name("test"), self._name("body")
        condition: list[ast.stmt] = [ast.copy_location(ast.Return(self.tested(node.test)), node.test)]
        return [
            *before,
            define(node, test, names, condition),
            define(node, body, names, self._returning(node.body, names, node)),
            assign(node, names, f"{RUNTIME}.while_({test}, {body}, {_state(node.body, names)})"),
            *after,
        ]

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """A dynamic condition is checked on the device, a static one by Python; it is evaluated once."""
        message = self.visit(node.msg or ast.copy_location(ast.Constant(None), node))
        shown = ast.copy_location(ast.Constant(ast.unparse(node.test)), node.test)
        text = f"{RUNTIME}.assert_($TEST, lambda: $MESSAGE, $TEXT)"
        test = call(node.test, text, TEST=self.tested(node.test), MESSAGE=message, TEXT=shown)
        return ast.copy_location(ast.Assert(test, message if node.msg else None), node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A statement that is an expression; of `a and b` nothing is used."""
        node.value = self.tested(node.value)
        return node

    def visit_Delete(self, node: ast.Delete) -> ast.AST | list[ast.stmt]:
        """`del name` makes the variable undefined; items and attributes are deleted by Python."""
        statements: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                statements.append(
                    assign(node, [target.id], f"({RUNTIME}.deleted({target.id!r}, lambda: {target.id}),)")
                )
            else:
                statements.append(ast.copy_location(ast.Delete([self.visit(target)]), node))
        return statements

    def _final_if(self, node: ast.If) -> list[ast.stmt]:
        """An `if` that ends a function and returns on some path: its value is returned."""
        names = assigned_names([node])
        then, orelse = self._name("then"), self._name("else")
        text = f"{RUNTIME}.if_return($TEST, {then}, {orelse}, {_state([node], names)})"
        return [
            define(node, then, names, self.function_body(node.body)),
            define(node, orelse, names, self.function_body(node.orelse or [ast.copy_location(ast.Pass(), node)])),
            ast.copy_location(ast.Return(call(node.test, text, TEST=self.tested(node.test))), node),
        ]

    def _returning_early(self, head: Sequence[ast.stmt], node: ast.stmt, rest: Sequence[ast.stmt]) -> list[ast.stmt]:
        """`node` returns on some of its paths: a flag records whether, and `rest` runs otherwise."""
        flag, value = self._name("exited"), f"{_RETURNED}_{self._count}"
        flagging = Flagging(ast.Return, flag, value)
        lowered = flagging.statements([node])
        for loop in flagging.loops:
            self._stops.setdefault(loop, []).append(flag)
        names = assigned_names(rest)
        then, orelse = self._name("then"), self._name("else")
        text = f"{RUNTIME}.if_return({flag}, {then}, {orelse}, {_state(rest, names)})"
        return [
            *self._statements([*head, assign(node, [], f"{flag} = False")]),
            assign(node, [], f"{value} = {RUNTIME}.ABSENT"),
            *self._statements(lowered),
            define(node, then, names, [ast.copy_location(ast.Return(call(node, value)), node)]),
            define(node, orelse, names, self.function_body(rest or [ast.copy_location(ast.Pass(), node)])),
            ast.copy_location(ast.Return(call(node, text)), node),
        ]

    def _flags(
        self, node: ast.For | ast.While, stops: Sequence[str]
    ) -> tuple[list[ast.stmt], list[str], list[ast.stmt]]:
        """`break` and `continue` of a loop as flags: the statements before it, the flags that end it, those after."""
        before, stops = [], list(stops)
        if self._has_exit(node, ast.Continue):
            flag = self._name("skipped")
            lowered = Flagging(ast.Continue, flag).statements(node.body)
            node.body = [assign(node, [], f"{flag} = False"), *lowered]
        if self._has_exit(node, ast.Break):
            flag = self._name("broke")
            node.body = Flagging(ast.Break, flag).statements(node.body)
            before.append(assign(node, [], f"{flag} = False"))
            stops.append(flag)
        after, node.orelse = node.orelse, []
        if after and stops:
            after = [ast.copy_location(ast.If(call(after[0], _none_of(stops)), after, []), after[0])]
        return before, stops, self._statements(after)

    @staticmethod
    def _has_exit(node: ast.For | ast.While, kind: Exit) -> bool:
        return any(can_exit(statement, kind) for statement in node.body)

    def _range_loop(self, node: ast.For, head: LoopHead, stops: Sequence[str], read_after: bool) -> list[ast.stmt]:
        body, index = self._name("body"), head.index
        names = [name for name in assigned_names(node.body) if name != index]
        first: list[ast.stmt] = []
        if read_after:
            index = self._name("index")
            first, names = [assign(node, [], f"{head.index} = {index}")], [head.index, *names]
        indices = [names.index(flag) for flag in stops]
        text = f"{RUNTIME}.for_($RANGE, $BOUNDS, $UNROLL, {body}, {indices!r}, {_state(node.body, names, (index,))})"
        parts = {"RANGE": self._called(head.range), "UNROLL": self.visit(head.unroll)}
        bounds = ast.Tuple([self.visit(bound) for bound in head.bounds], ast.Load())
        return [
            define(node, body, [index, *names], [*first, *self._returning(node.body, names, node)]),
            assign(node, names, text, BOUNDS=bounds, **parts),
        ]

    def _stoppable(self, node: ast.For, stops: Sequence[str]) -> ast.stmt:
        """A loop that Python runs: it ends at a statically true flag; a dynamic one guards the body."""
        if stops:
            guarded = ast.If(call(node.iter, _none_of(stops)), node.body, [])
            leave = ast.If(call(node.iter, f"{RUNTIME}.is_known({', '.join(stops)})"), [ast.Break()], [])
            leave.body = [ast.copy_location(leave.body[0], node.iter)]
            node.body = [ast.copy_location(leave, node), *self._statements([ast.copy_location(guarded, node)])]
        else:
            node.body = self._statements(node.body)
        node.iter = self._iterated(node)
        return node

    def _python_loop(self, node: ast.For) -> ast.stmt:
        node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
        node.iter = self._iterated(node)
        return node

    def _iterated(self, node: ast.For) -> ast.expr:
        return call(node.iter, f"{RUNTIME}.iterable($VALUE)", VALUE=self.visit(node.iter))

    def _statements(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        rewritten: list[ast.stmt] = []
        for statement in statements:
            result = self.visit(statement)
            rewritten.extend(result if isinstance(result, list) else [result])
        return rewritten

    def _returning(self, body: Sequence[ast.stmt], names: Sequence[str], like: ast.stmt) -> list[ast.stmt]:
        returned = ast.copy_location(ast.Return(ast.parse(names_tuple(names), mode="eval").body), like)
        return [*self._statements(body), returned]

    def _name(self, role: str) -> str:
        self._count += 1
        return f"__flydsl_{role}_{self._count}"


def _none_of(flags: Sequence[str]) -> str:
    return " and ".join(f"not {flag}" for flag in flags)


def _state(statements: Sequence[ast.stmt], names: Sequence[str], without: Sequence[str] = ()) -> str:
    """The variables that the statements assign and those whose items they change, as arguments of the runtime."""
    labels = ["the returned value" if name.startswith(_RETURNED) else name for name in names]
    known = {*names, *without}
    changed = {name: stored for name, stored in mutated_names(statements).items() if name not in known}
    containers = names_tuple([_lookup(name, "lookup" if stored else "passed") for name, stored in changed.items()])
    return f"{labels!r}, {names_tuple([_lookup(name) for name in names])}, {list(changed)!r}, {containers}"


def _lookup(name: str, how: str = "lookup") -> str:
    return f"{RUNTIME}.{how}({name!r}, lambda: {name})"
