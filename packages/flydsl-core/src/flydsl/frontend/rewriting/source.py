"""Source of Python functions: text and syntax tree with the positions of the file.

The text is that of the time when a function of the file was decorated, and what is hashed for the cache is what is
traced. Where a file may have been edited in between, its text has to compile to the code that runs: no edit changes
what a process does. A reloaded module or a re-run notebook cell has new code objects, whose source is read again.
"""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import itertools
import re
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

from flydsl.base.errors import SourceUnavailableError
from flydsl.base.files.source_text import SourceText, texts_of
from flydsl.base.location import Location
from flydsl.frontend.rewriting.private_names import enclosing_class

R = TypeVar("R")
REWRITTEN_FROM = "__flydsl_original__"
"""The attribute of a function with rewritten control flow: the function that it was made of, whose text it has."""
FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class FunctionSource:
    """The source of one function: `text` holds whole lines of `file`, from 1-based `first_line` (its first decorator).

    `tree` is shared and must not be changed; `parse()` returns a new one; the positions in both are those of the file.
    """

    file: str
    first_line: int
    text: str
    tree: FunctionNode
    whole: SourceText
    owner: str = ""
    """The class whose private names it reads, which is around it at some depth."""

    def parse(self) -> FunctionNode:
        """A fresh tree, which the caller may modify."""
        if isinstance(self.tree, ast.Lambda):
            position = (self.tree.lineno, self.tree.col_offset)
            return next(node for node in _lambdas(self.text) if (node.lineno, node.col_offset) == position)
        return cast("FunctionNode", _statement(self.text, self.first_line))

    def location(self, node: ast.AST) -> Location:
        """The location of `node`; columns count characters, as editors do, while `ast` counts UTF-8 bytes."""
        line = getattr(node, "lineno", self.first_line)
        start = self._column(line, getattr(node, "col_offset", 0))
        end_line, end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        if end is None or end_line != line:
            return Location(self.file, line, start, len(self._line(line)))
        return Location(self.file, line, start, self._column(line, end))

    def is_source_of(self, function: types.FunctionType) -> bool:
        """Whether the text compiles to the code of the function: not when the file was edited after the import.

        Worked out once.

        Python compiles a method call on an imported name differently, so the imports matter: first the names that are
        modules now are tried, then all that the file imports.
        """
        code = function.__code__
        known = _COMPILED.get(self)
        if known is None or known[0]() is not code:
            known = _COMPILED[self] = weakref.ref(code), self._is_compiled(code, function.__globals__)
        return known[1]

    def _is_compiled(self, code: types.CodeType, names: dict[str, Any]) -> bool:
        used = {name for part in (code, *_nested_codes(code)) for name in part.co_names}
        if self._compiles_to(code, [name for name in used if isinstance(names.get(name), types.ModuleType)]):
            return True
        return self._compiles_to(code, used & imported_names("".join(self.whole.lines)))

    def _compiles_to(self, code: types.CodeType, imported: Iterable[str]) -> bool:
        module = _in_context(self.tree, code, imported)
        flags = code.co_flags & __future__.annotations.compiler_flag
        compiled = compile(module, self.file, "exec", flags, dont_inherit=True)
        return any(_is_same(other, code) for other in _nested_codes(compiled))

    def _line(self, number: int) -> str:
        lines = self.text.split("\n")
        index = number - self.first_line
        return lines[index] if 0 <= index < len(lines) else ""

    def _column(self, line: int, offset: int) -> int:
        return len(self._line(line).encode()[:offset].decode(errors="ignore"))


_COMPILED: weakref.WeakKeyDictionary[FunctionSource, tuple[weakref.ref[types.CodeType], bool]] = (
    weakref.WeakKeyDictionary()
)


def function_source(function: object) -> FunctionSource:
    """The source of a `def`: a function, a method, a closure, or a decorated object that has `__wrapped__`.

    Raises SourceUnavailableError, with a remedy, for a lambda, for code without source, and for a function that was
    edited before anything of its file was decorated or traced.
    """
    plain = python_function(function)
    if plain.__code__.co_name == "<lambda>":
        raise SourceUnavailableError(f"{_where(plain)} is a lambda, which cannot be traced: write it as a `def`")
    return _source(plain)


def lambda_source(function: object) -> FunctionSource:
    """The source of a lambda; `text` is that of its whole file."""
    return _source(python_function(function))


def python_function(function: object) -> types.FunctionType:
    """The plain function behind a method or a decorated object."""
    result: Any = function
    while not isinstance(result, types.FunctionType):
        inner = getattr(result, "__func__", None) or getattr(result, "__wrapped__", None)
        if inner is None or inner is result:
            raise SourceUnavailableError(f"{function!r} is not a Python function: pass one that `def` defines")
        result = inner
    return result


def once_per_code(work: Callable[[types.FunctionType], R]) -> Callable[[types.FunctionType], R]:
    """`work`, cached for each code object by identity: equal code may come from two files."""
    results: dict[int, tuple[weakref.ref[types.CodeType], R]] = {}

    def cached(function: types.FunctionType) -> R:
        code, identity = function.__code__, id(function.__code__)
        entry = results.get(identity)
        if entry is not None and entry[0]() is code:
            return entry[1]
        result = work(function)
        results[identity] = (weakref.ref(code, lambda _: results.pop(identity, None)), result)
        return result

    return cached


@once_per_code
def _source(function: types.FunctionType) -> FunctionSource:
    code = function.__code__
    texts = texts_of(code.co_filename, function.__globals__)
    if not texts:
        raise SourceUnavailableError(f"{_where(function)} has no readable source: {_remedy(code.co_filename)}")
    at_its_line = [found for text in texts if (found := _at_its_line(function, text)) is not None]
    if len(texts) == 1 and at_its_line and texts[0].is_settled:
        return at_its_line[0]
    moved = (found for text in texts for found in _elsewhere(function, text))
    source = next((found for found in itertools.chain(at_its_line, moved) if found.is_source_of(function)), None)
    if source is None:
        raise _changed(function)
    return source


def _at_its_line(function: types.FunctionType, whole: SourceText) -> FunctionSource | None:
    """What a text has where the code says that its function is; None for another function."""
    code, owner = function.__code__, enclosing_class(function.__code__.co_qualname)
    if code.co_name != "<lambda>":
        return _defined(function, whole, code.co_firstlineno)
    text = "".join(whole.lines)
    tree = _lambda_of(function, text)
    return None if tree is None else FunctionSource(code.co_filename, 1, text, tree, whole, owner)


def _elsewhere(function: types.FunctionType, whole: SourceText) -> Iterator[FunctionSource]:
    """The functions of that name at other lines, without their decorators: the text around it was edited."""
    code = function.__code__
    header = re.compile(rf"\s*(async\s+)?def\s+{re.escape(code.co_name)}\b")
    for number, line in enumerate(whole.lines, 1):
        if header.match(line) and (found := _defined(function, whole, number)) is not None:
            yield found


def _defined(function: types.FunctionType, whole: SourceText, first_line: int) -> FunctionSource | None:
    """The function of that name whose text begins at a line."""
    code = function.__code__
    if first_line > len(whole.lines) or _is_blank(whole.lines[first_line - 1]):
        return None
    text, tree = _definition(whole.lines, first_line)
    if not isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef) or tree.name != code.co_name:
        return None
    return FunctionSource(code.co_filename, first_line, text, tree, whole, enclosing_class(code.co_qualname))


def _definition(lines: list[str], first_line: int) -> tuple[str, ast.stmt | None]:
    """The text and the tree of the statement that begins at `first_line`.

    It ends before the first line after its `def` that is not indented deeper than its first line. Such a line may also
    be inside a string or brackets: the text before it does not parse then, and the search continues.
    """
    start = first_line - 1
    depth = _indent(lines[start])
    is_headed = False
    for end in range(first_line, len(lines) + 1):
        is_headed = is_headed or lines[end - 1].lstrip().startswith(("def", "async"))
        if not is_headed:
            continue
        if end < len(lines) and (_is_blank(lines[end]) or _indent(lines[end]) > depth):
            continue
        text = "".join(lines[start:end])
        try:
            return text, _statement(text, first_line)
        except (SyntaxError, IndexError):
            continue
    return "", None


def _statement(text: str, first_line: int) -> ast.stmt:
    """The statement `text`, which may be indented: empty lines before it give the positions of the file."""
    if not text[:1].isspace():
        return ast.parse("\n" * (first_line - 1) + text).body[0]
    block = ast.parse("\n" * (first_line - 2) + "if 1:\n" + text).body[0]
    return cast("ast.If", block).body[0]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_blank(line: str) -> bool:
    stripped = line.lstrip()
    return not stripped or stripped.startswith("#")


def _lambda_of(function: types.FunctionType, text: str) -> ast.Lambda | None:
    """The lambda of that code: the only one on its line, or the one whose body spans the positions of the code."""
    code = function.__code__
    candidates = [node for node in _lambdas(text) if node.lineno == code.co_firstlineno]
    if len(candidates) > 1:
        positions = {(line, column) for line, _, column, _ in code.co_positions() if line and column}
        candidates = [
            node for node in candidates if positions and all(_spans(node.body, position) for position in positions)
        ]
    # nested lambdas both span the inner code: the inner one has the smaller body
    return max(candidates, key=lambda node: (node.body.lineno, node.body.col_offset), default=None)


def _lambdas(text: str) -> list[ast.Lambda]:
    try:
        return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Lambda)]
    except SyntaxError:
        return []


def _spans(node: ast.expr, position: tuple[int, int]) -> bool:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (node.lineno, node.col_offset) <= position < (node.end_lineno, node.end_col_offset)


@functools.lru_cache(maxsize=8)
def imported_names(text: str) -> frozenset[str]:
    """The names that imports outside of functions and classes bind."""
    names: set[str] = set()
    try:
        pending: list[ast.AST] = [ast.parse(text)]
    except SyntaxError:
        return frozenset()
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            pending.extend(ast.iter_child_nodes(node))
    return frozenset(names)


def _in_context(tree: FunctionNode, code: types.CodeType, imported: Iterable[str]) -> ast.Module:
    """A module with `tree` inside its class, which private names need, and a function that owns its free variables."""
    owner = enclosing_class(code.co_qualname)
    free = [name for name in code.co_freevars if name != "__class__" or not owner]
    imports = "".join(f"import {name}\n" for name in imported if name.isidentifier())
    name = owner or code.co_name
    shared = "" if isinstance(tree, ast.Lambda) or name in free else f" global {name}\n"
    module = ast.parse(f"{imports}def _({', '.join(free)}):\n{shared} class {owner or '_'}: pass")
    outer = cast("ast.FunctionDef", module.body[-1])
    statement = tree if not isinstance(tree, ast.Lambda) else ast.copy_location(ast.Expr(tree), tree)
    if owner:
        cast("ast.ClassDef", outer.body[-1]).body = [statement]
    else:
        outer.body[-1] = statement
    return module


def _nested_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _nested_codes(constant)


def _is_same(a: types.CodeType, b: types.CodeType) -> bool:
    """Equal instructions, names and constants; `==` also compares counters that change while the code runs."""
    return (
        a.co_name == b.co_name
        and a.co_code == b.co_code
        and a.co_names == b.co_names
        and a.co_varnames == b.co_varnames
        and a.co_freevars == b.co_freevars
        and a.co_cellvars == b.co_cellvars
        and (a.co_flags ^ b.co_flags) & ~inspect.CO_NESTED == 0
        and a.co_exceptiontable == b.co_exceptiontable
        and a.co_argcount == b.co_argcount
        and a.co_posonlyargcount == b.co_posonlyargcount
        and a.co_kwonlyargcount == b.co_kwonlyargcount
        and len(a.co_consts) == len(b.co_consts)
        and all(map(_is_same_constant, a.co_consts, b.co_consts))
    )


def _is_same_constant(a: object, b: object) -> bool:
    if isinstance(a, types.CodeType) and isinstance(b, types.CodeType):
        return _is_same(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_is_same_constant, a, b))
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return sorted(map(repr, a)) == sorted(map(repr, b))
    return type(a) is type(b) and repr(a) == repr(b)


def _changed(function: types.FunctionType) -> SourceUnavailableError:
    file = function.__code__.co_filename
    if file in ("<string>", "<stdin>"):  # names that unrelated pieces of code share
        return SourceUnavailableError(f"{_where(function)} has no readable source: {_remedy(file)}")
    return SourceUnavailableError(
        f"{_where(function)} is no longer in its source: the file changed after it was imported, and before its text "
        "was read; reload it"
    )


def _where(function: types.FunctionType) -> str:
    code = function.__code__
    return f"function {code.co_qualname!r} of {code.co_filename}:{code.co_firstlineno}"


def _remedy(file: str) -> str:
    if file.startswith("<"):
        return "define it in a file or a notebook (code from `exec`, `python -c` and the plain prompt keeps no source)"
    return "ship the .py file beside the compiled one"
