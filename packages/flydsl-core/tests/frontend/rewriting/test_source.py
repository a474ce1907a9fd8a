"""Functions in, the text and the places of their source out."""

from __future__ import annotations

import ast
import importlib
import linecache
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from flydsl.base.errors import SourceUnavailableError
from flydsl.base.files.source_text import keep_texts, source_line
from flydsl.base.location import Location
from flydsl.frontend.rewriting.source import FunctionSource, function_source, lambda_source, python_function

TEXT = '''
def decorate(*options):
    return lambda function: function


def plain(a, b):
    return a + b


@decorate(
    1,
    2)
@decorate()
def decorated(
    a,
    b=(1,
2),
):
    """Text
at the margin."""
    # comment
# comment at the margin
    x = [
1]
    return x


class Outer:
    size = 1

    class Inner:
        @staticmethod
        def static(x):
            return f"""
{x}
"""

        @classmethod
        def made(cls):
            return cls.__name__

    def method(self):
        if self:
            return self.__class__

        return 'ünïcödé' + self.größe


def outer(k):
    def nested(x):
        return x + k

    if k:
        def branch(x):
            return x - k
    else:
        def branch(x):
            return x * k
    return nested, branch


def one_line(x): return x
last = lambda x: x
class Tabbed:
	def tabs(self):
		return 1
async def last_of_file(x):
    return x
'''


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Write a module and import it, or reload it when it was imported before."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def make(text: str) -> ModuleType:
        (tmp_path / "source_of_user.py").write_text(text)
        importlib.invalidate_caches()
        known = sys.modules.get("source_of_user")
        return importlib.reload(known) if known else importlib.import_module("source_of_user")

    yield make
    sys.modules.pop("source_of_user", None)


@pytest.fixture
def module(load: Callable[[str], ModuleType]) -> ModuleType:
    return load(TEXT)


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], str, str]] = {
    "plain": (lambda m: m.plain, "def plain", "return a + b"),
    "decorated": (lambda m: m.decorated, "@decorate(", "return x"),
    "static method": (lambda m: m.Outer.Inner.static, "@staticmethod", '"""'),
    "class method": (lambda m: m.Outer.Inner.made, "@classmethod", "return cls.__name__"),
    "method": (lambda m: m.Outer.method, "def method", "return 'ünïcödé' + self.größe"),
    "bound method": (lambda m: m.Outer().method, "def method", "return 'ünïcödé' + self.größe"),
    "closure": (lambda m: m.outer(1)[0], "def nested", "return x + k"),
    "first branch": (lambda m: m.outer(1)[1], "def branch", "return x - k"),
    "second branch": (lambda m: m.outer(0)[1], "def branch", "return x * k"),
    "one line": (lambda m: m.one_line, "def one_line", "def one_line(x): return x"),
    "tabs": (lambda m: m.Tabbed.tabs, "def tabs", "return 1"),
    "async at the end": (lambda m: m.last_of_file, "async def last_of_file", "return x"),
}


@pytest.mark.parametrize("get, first, last", FUNCTIONS.values(), ids=FUNCTIONS)
def test_text_spans_the_definition(module: ModuleType, get: Callable[[Any], Any], first: str, last: str) -> None:
    source = function_source(get(module))
    lines = source.text.rstrip("\n").split("\n")
    assert lines[0].strip().startswith(first)
    assert lines[-1].strip() == last
    assert TEXT.split("\n")[source.first_line - 1 :][: len(lines)] == lines


@pytest.mark.parametrize("get, first, last", FUNCTIONS.values(), ids=FUNCTIONS)
def test_positions_of_every_node_are_those_of_the_file(
    module: ModuleType, get: Callable[[Any], Any], first: str, last: str
) -> None:
    source = function_source(get(module))
    whole = ast.parse(TEXT)
    spans = {
        (type(n), n.lineno, n.col_offset, n.end_lineno, n.end_col_offset)
        for n in ast.walk(whole)
        if isinstance(n, ast.expr | ast.stmt)
    }
    for node in ast.walk(source.tree):
        if isinstance(node, ast.expr | ast.stmt):
            assert (type(node), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset) in spans
    assert ast.dump(source.parse(), include_attributes=True) == ast.dump(source.tree, include_attributes=True)
    assert source.parse() is not source.parse()


@pytest.mark.parametrize("get, first, last", FUNCTIONS.values(), ids=FUNCTIONS)
def test_text_is_recognised_as_the_source_of_the_code(
    module: ModuleType, get: Callable[[Any], Any], first: str, last: str
) -> None:
    function = python_function(get(module))
    assert function_source(function).is_source_of(function)


def test_location_counts_characters_and_shows_the_line(module: ModuleType) -> None:
    source = function_source(module.Outer.method)
    node = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Attribute) and node.attr == "größe")
    found = source.location(node)
    line = TEXT.split("\n").index("        return 'ünïcödé' + self.größe") + 1
    assert found == Location(module.__file__ or "", line, 27, 37)
    assert found.caret().split("\n")[1] == "    " + " " * 27 + "^" * 10


def test_location_of_several_lines_ends_with_the_first(module: ModuleType) -> None:
    source = function_source(module.decorated)
    node = next(node for node in ast.walk(source.tree) if isinstance(node, ast.List))
    assert source.location(node).end_column == len("    x = [")


def test_source_is_read_once_for_a_code_object(module: ModuleType) -> None:
    assert function_source(module.outer(1)[0]) is function_source(module.outer(2)[0])


def test_reloaded_module_is_read_again(load: Callable[[str], ModuleType]) -> None:
    assert "return 1" in function_source(load("def f():\n    return 1\n").f).text
    assert "return 22" in function_source(load("\n\ndef f():\n    return 22\n").f).text


def test_edited_file_is_told_apart(load: Callable[[str], ModuleType], tmp_path: Path) -> None:
    module = load("def f(x):\n    return x + 1\ndef g(x):\n    return x\n")
    (tmp_path / "source_of_user.py").write_text("def f(x):\n    return x - 1\n# more\n")
    for function in (module.f, module.g):
        with pytest.raises(SourceUnavailableError, match="changed after it was imported"):
            function_source(function)


@pytest.mark.parametrize(
    "old, new", [("1", "1.0"), ("1", "True"), ("x +", "x -"), ("(x)", "(x, /)"), ("{2, 3}", "{2, 4}")]
)
def test_small_edits_are_told_apart(load: Callable[[str], ModuleType], tmp_path: Path, old: str, new: str) -> None:
    text = "def f(x):\n    return x + 1 if x in {2, 3} else 5\n"
    module = load(text)
    (tmp_path / "source_of_user.py").write_text(text.replace(old, new))
    with pytest.raises(SourceUnavailableError, match="changed after it was imported"):
        function_source(module.f)


@pytest.mark.parametrize("edited", ["", "syntax error (\n" + TEXT, TEXT.replace("return", "return 5 or"), None])
@pytest.mark.parametrize("get, first, last", FUNCTIONS.values(), ids=FUNCTIONS)
def test_kept_text_outlives_edits(module, tmp_path, get, first, last, edited) -> None:
    kept = keep_texts(module.plain)
    file = tmp_path / "source_of_user.py"
    file.unlink() if edited is None else file.write_text(edited)
    source = function_source(get(module))
    lines = source.text.rstrip("\n").split("\n")
    assert lines[-1].strip() == last
    assert TEXT.split("\n")[source.first_line - 1 :][: len(lines)] == lines
    assert source_line(str(file), source.first_line) == lines[0]
    assert len(kept) == 1


def test_function_that_moved_is_found_by_its_code(load: Callable[[str], ModuleType], tmp_path: Path) -> None:
    text = "def f(x):\n    return x\nclass A:\n    def f(self):\n        return self\n"
    module = load(text)
    (tmp_path / "source_of_user.py").write_text("# one more\ndef g(: pass\n" + text)
    assert [function_source(function).first_line for function in (module.f, module.A.f)] == [3, 6]


def test_edit_around_a_function_is_no_edit_of_it(load: Callable[[str], ModuleType], tmp_path: Path) -> None:
    text = "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\n"
    module = load(text)
    (tmp_path / "source_of_user.py").write_text(text.replace("f(x)\n", "f(x) + 1  # longer\n"))
    assert function_source(module.f).is_source_of(module.f)


def test_lambdas_are_found_by_their_columns() -> None:
    pair = (lambda x: x + 1), (lambda x: lambda y: x - y)
    sources = [lambda_source(function) for function in (*pair, pair[1](1))]
    assert [ast.unparse(source.tree) for source in sources] == [
        "lambda x: x + 1",
        "lambda x: lambda y: x - y",
        "lambda y: x - y",
    ]
    assert [ast.unparse(source.parse()) for source in sources] == [ast.unparse(source.tree) for source in sources]
    assert all(source.is_source_of(function) for source, function in zip(sources, (*pair, pair[1](1)), strict=True))


def test_lambda_cannot_be_traced(module: ModuleType) -> None:
    with pytest.raises(SourceUnavailableError, match="write it as a `def`"):
        function_source(module.last)


def test_notebook_cell_is_read_from_the_line_cache() -> None:
    text, name = "def kernel(a):\n    return a\n", "<ipython-input-3-cell>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {}
    exec(compile(text, name, "exec"), namespace)
    source = function_source(namespace["kernel"])
    assert (source.file, source.first_line, source.text) == (name, 1, text)


@pytest.mark.parametrize("file, remedy", [("<stdin>", "in a file or a notebook"), ("gone.py", r"ship the \.py file")])
def test_code_without_source_says_what_to_do(file: str, remedy: str) -> None:
    namespace: dict[str, Any] = {}
    exec(compile("def kernel(): pass", file, "exec"), namespace)
    with pytest.raises(SourceUnavailableError, match=remedy):
        function_source(namespace["kernel"])


@pytest.mark.parametrize("value", [3, len, int])
def test_what_is_no_function_is_refused(value: object) -> None:
    with pytest.raises(SourceUnavailableError, match="is not a Python function"):
        function_source(value)


def test_object_of_a_decorator_is_looked_through(module: ModuleType) -> None:
    class Decorated:
        __wrapped__ = staticmethod(module.plain)

    assert function_source(Decorated()) is function_source(module.plain)


def test_source_of_every_function_of_a_large_module_is_recognised() -> None:
    functions = [value for value in vars(textwrap).values() if hasattr(value, "__code__")]
    functions += [value for value in vars(textwrap.TextWrapper).values() if hasattr(value, "__code__")]
    assert len(functions) > 8
    for function in functions:
        source: FunctionSource = function_source(function)
        assert source.is_source_of(function)
