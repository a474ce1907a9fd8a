"""Constructs that cannot be traced: an error at the first one in a function's syntax tree."""

from __future__ import annotations

import ast

from flydsl.base.errors import UnsupportedConstructError
from flydsl.frontend.rewriting.loops import RANGE_KEYWORDS, is_over_range, keyword, yielded
from flydsl.frontend.rewriting.nodes import walk
from flydsl.frontend.rewriting.operators import binds
from flydsl.frontend.rewriting.source import FunctionSource

_UNTRACEABLE: dict[type[ast.AST], tuple[str, str]] = {
    ast.AsyncFunctionDef: ("an async function", "use a plain function"),
    ast.AsyncFor: ("an async loop", "use a plain loop"),
    ast.AsyncWith: ("an async with", "use a plain with"),
    ast.Await: ("await", "device code cannot wait for the host"),
    ast.Yield: ("yield", "it may only end the body of a `for i, state in range(..., init=...)`; use return"),
    ast.YieldFrom: ("yield from", "a traced function is not a generator; use return"),
    ast.Global: ("a global statement", "tracing must not change the module; pass values as arguments"),
    ast.Nonlocal: ("a nonlocal statement", "tracing must not change an outer function; pass values as arguments"),
    ast.TryStar: ("try with except*", "there are no exceptions in device code; use except"),
    ast.Match: ("match", "use if and elif"),
}


def reject_untraceable(source: FunctionSource) -> None:
    """Raise `UnsupportedConstructError` for the first construct of `source` that cannot be traced."""
    final_yields: set[ast.AST] = set()  # those that pass the state of a loop to its next iteration
    for node in walk(source.tree):
        construct = _UNTRACEABLE.get(type(node))
        if construct is not None and node not in final_yields:
            raise _unsupported(node, source, f"{construct[0]} cannot be traced; {construct[1]}")
        if isinstance(node, ast.While) and node.orelse and binds(node.test):
            raise _unsupported(node.test, source, "a while with := and else cannot be traced; assign before the loop")
        if isinstance(node, ast.Try):
            _check_finally(node, source)
        if isinstance(node, ast.For) and is_over_range(node):
            _check_range(node, source)
            if keyword(node, "init") is not None:
                final_yields.add(_final_yield(node, source))


def _check_range(node: ast.For, source: FunctionSource) -> None:
    assert isinstance(node.iter, ast.Call)
    for item in node.iter.keywords:
        if item.arg not in RANGE_KEYWORDS:
            raise _unsupported(
                item.value,
                source,
                f"range takes the keywords init and unroll, found {item.arg or '**'!r}; leave it out",
            )


def _check_finally(node: ast.Try, source: FunctionSource) -> None:
    """An exit there would drop an exception, errors of tracing among them."""
    for inner in (inner for statement in node.finalbody for inner in walk(statement)):
        if isinstance(inner, ast.Return | ast.Break | ast.Continue):
            raise _unsupported(inner, source, "an exit from finally cannot be traced; put it behind the try statement")


def _final_yield(node: ast.For, source: FunctionSource) -> ast.Yield:
    if not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
        raise _unsupported(
            node.target,
            source,
            "range with init= gives the index and the state; write `for i, state in range(..., init=...)`",
        )
    last = yielded(node.body[-1])
    if last is None or last.value is None:
        raise _unsupported(
            node.body[-1],
            source,
            "a loop over range with init= ends with `yield`, the state of the next iteration; add it",
        )
    return last


def _unsupported(node: ast.AST, source: FunctionSource, message: str) -> UnsupportedConstructError:
    return UnsupportedConstructError(message, location=source.location(node))
