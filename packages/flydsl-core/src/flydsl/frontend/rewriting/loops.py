"""Heads of `for` loops over `range`, and loops with `init=` as loops that assign."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from flydsl.frontend.rewriting.templates import RUNTIME, assign, call

RANGE_KEYWORDS = ("init", "unroll")


@dataclass(frozen=True, slots=True)
class LoopHead:
    """`for index in range(*bounds, unroll=unroll)`."""

    index: str
    range: ast.expr
    bounds: list[ast.expr]
    unroll: ast.expr


def is_over_range(node: ast.For) -> bool:
    """Whether a loop iterates over a call of `range`, or of `fx.range` under any name of the module.

    Another function of such a name, which only the call can tell, keeps what it does: it is no head if it takes other
    keywords.
    """
    if not isinstance(node.iter, ast.Call):
        return False
    function = node.iter.func
    if isinstance(function, ast.Name):
        return function.id == "range"
    is_dotted = isinstance(function, ast.Attribute) and function.attr == "range" and _is_dotted(function)
    return is_dotted and all(item.arg in RANGE_KEYWORDS for item in node.iter.keywords)


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def keyword(node: ast.For, name: str) -> ast.expr | None:
    """The keyword argument `name` of a loop over `range`, None if it is not passed, or is `init=None`: no state."""
    if not isinstance(node.iter, ast.Call) or not is_over_range(node):
        return None
    found = next((item.value for item in node.iter.keywords if item.arg == name), None)
    return None if name == "init" and isinstance(found, ast.Constant) and found.value is None else found


def head_of(node: ast.For) -> LoopHead | None:
    """The head of a loop over `range` with a plain name as its variable; None for any other loop."""
    if not isinstance(node.iter, ast.Call) or not is_over_range(node) or not isinstance(node.target, ast.Name):
        return None
    unroll = keyword(node, "unroll") or ast.copy_location(ast.Constant(None), node.iter)
    return LoopHead(node.target.id, node.iter.func, node.iter.args, unroll)


def yielded(statement: ast.stmt) -> ast.Yield | None:
    """The `yield` of `yield value` or `result = yield value`."""
    value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    return value if isinstance(value, ast.Yield) else None


def with_state_assigned(node: ast.For, state: str) -> list[ast.stmt]:
    """`for i, s in range(n, init=x)`, whose last statement is `r = yield y`, as a loop that assigns `state`.

    state = x; for i in range(n): s = state; ...; state = y;  r = last_state(state)
    """
    init, last = keyword(node, "init"), node.body[-1]
    value = yielded(last)
    assert isinstance(node.iter, ast.Call)
    assert isinstance(node.target, ast.Tuple)
    assert init is not None
    assert value is not None
    assert value.value is not None
    index, target = node.target.elts
    head = ast.copy_location(ast.Call(node.iter.func, node.iter.args, []), node.iter)
    head.keywords = [item for item in node.iter.keywords if item.arg != "init"]
    carried = assign(last, [], f"{state} = {RUNTIME}.next_state({state}, $VALUE)", VALUE=value.value)
    body = [_store([target], state, node), *node.body[:-1], carried]
    loop = ast.copy_location(ast.For(index, head, body, node.orelse), node)
    before = assign(node, [], f"{state} = {RUNTIME}.first_state($INIT)", INIT=init)
    if not isinstance(last, ast.Assign):
        return [before, loop]
    result = assign(last, [], f"{state} = {RUNTIME}.last_state({state})")
    return [before, loop, result, _store(last.targets, state, last)]


def _store(targets: Sequence[ast.expr], name: str, like: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Assign(list(targets), call(like, name)), like)
