"""A function's syntax tree in, an error at the first construct that cannot be traced out."""

from __future__ import annotations

import ast

from flydsl.base.errors import UnsupportedConstructError
from flydsl.frontend.source import FunctionSource

__all__ = ["reject_untraceable"]

_UNTRACEABLE: dict[type[ast.AST], tuple[str, str]] = {
    ast.AsyncFunctionDef: ("an async function", "use a plain function"),
    ast.AsyncFor: ("an async loop", "use a plain loop"),
    ast.AsyncWith: ("an async with", "use a plain with"),
    ast.Await: ("await", "device code cannot wait for the host"),
    ast.Yield: ("yield", "a kernel returns nothing and is not a generator"),
    ast.YieldFrom: ("yield from", "a kernel returns nothing and is not a generator"),
    ast.Global: ("a global statement", "tracing must not change the module; pass values as arguments"),
    ast.Nonlocal: ("a nonlocal statement", "tracing must not change an outer function; pass values as arguments"),
    ast.ClassDef: ("a class definition", "define the class outside of the traced function"),
    ast.Try: ("try", "there are no exceptions in device code; test the condition before"),
    ast.TryStar: ("try", "there are no exceptions in device code; test the condition before"),
    ast.Delete: ("del", "let the variable go out of use"),
}


def reject_untraceable(source: FunctionSource) -> None:
    """Raise `UnsupportedConstructError` for the first construct of `source` that cannot be traced."""
    for node in ast.walk(source.tree):
        found = _UNTRACEABLE.get(type(node))
        if found is not None:
            raise _unsupported(node, source, f"{found[0]} cannot be traced; {found[1]}")
        if isinstance(node, ast.While | ast.For) and node.orelse:
            raise _unsupported(
                node, source, "an else clause of a loop cannot be traced; set a flag in the loop and test it after"
            )


def _unsupported(node: ast.AST, source: FunctionSource, message: str) -> UnsupportedConstructError:
    error = UnsupportedConstructError(message)
    error.location = source.location(node)
    return error
