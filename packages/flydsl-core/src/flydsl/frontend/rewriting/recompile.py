"""Compilation of a function's source with its control flow rewritten to calls; the original stays unchanged."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType

from flydsl.base import settings
from flydsl.base.errors import UnsupportedConstructError
from flydsl.base.process.console import tell
from flydsl.frontend.control.control_flow import ControlFlow
from flydsl.frontend.rewriting.nodes import give_positions
from flydsl.frontend.rewriting.private_names import enclosing_class
from flydsl.frontend.rewriting.reject import reject_untraceable
from flydsl.frontend.rewriting.rewriter import RUNTIME, Rewriter
from flydsl.frontend.rewriting.source import FunctionSource, function_source


def rewritten_code(function: FunctionType) -> CodeType:
    """The code of `function` with every branch and loop that may be dynamic replaced by a call."""
    source = function_source(function)
    reject_untraceable(source)
    try:
        tree = _rewritten(source)
        if settings.debug.ast_diff:
            tell(_difference(source, tree))
        return _compile(tree, source.file, function)
    except RecursionError:
        message = nested_too_deeply(repr(function.__name__))
        raise UnsupportedConstructError(message, location=source.location(source.tree)) from None


def nested_too_deeply(function: str) -> str:
    """The message for code that exhausts Python's stack, and not because it calls itself."""
    return (
        f"expressions or branches of {function} nest too deeply for Python's stack; "
        "split them: give a part of a long expression a name, or make a long chain of `elif` a loop over a table"
    )


def bind(code: CodeType, function: FunctionType, runtime: ControlFlow) -> FunctionType:
    """A function with rewritten `code` and the globals, closure and defaults of `function`."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME] = CellType(runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    bound = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    bound.__kwdefaults__ = function.__kwdefaults__
    bound.__qualname__, bound.__module__ = function.__qualname__, function.__module__
    return bound


def _rewritten(source: FunctionSource) -> ast.FunctionDef:
    tree = source.parse()
    assert isinstance(tree, ast.FunctionDef)
    tree.decorator_list = []
    tree.body = Rewriter(tree).function_body(tree.body)
    return tree


def _text(tree: ast.FunctionDef) -> str:
    return ast.unparse(ast.fix_missing_locations(tree))


def _difference(source: FunctionSource, tree: ast.FunctionDef) -> str:
    original = ast.unparse(source.parse()).splitlines(keepends=True)
    lines = difflib.unified_diff(original, _text(tree).splitlines(keepends=True), source.file, "rewritten")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _compile(tree: ast.FunctionDef, file: str, function: FunctionType) -> CodeType:
    """The code of `tree`, compiled inside an outer function so that its free variables stay free.

    What has a class around it is compiled inside a class of the same name, for its private names.
    """
    names = [*function.__code__.co_freevars, RUNTIME]
    outer = ast.parse(f"def __flydsl_outer__({', '.join(dict.fromkeys(names))}): pass").body[0]
    assert isinstance(outer, ast.FunctionDef)
    owner = enclosing_class(function.__code__.co_qualname)
    if owner:
        definition: ast.ClassDef | ast.FunctionDef = ast.parse(f"class {owner}: pass").body[0]  # type: ignore[assignment]
        definition.body = [tree]
    else:
        definition = tree
    # In a recursive call, or a method, the name means the global function or class, not the one defined here.
    outer.body = [definition] if definition.name in names else [ast.Global([definition.name]), definition]
    module = ast.Module(body=[outer], type_ignores=[])
    give_positions(module)
    return next(code for code in _codes(compile(module, file, "exec", dont_inherit=True)) if code.co_name == tree.name)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)
