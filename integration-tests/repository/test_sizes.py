"""Files and functions that one can read at once: none is long, and each module says what it holds."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("packages/*/src", "packages/*/tests", "integration-tests", "examples", "benchmarks", "scripts")
FILES = sorted(path for folder in FOLDERS for path in ROOT.glob(f"{folder}/**/*.py"))
NATIVE = sorted(path for kind in ("cpp", "h") for path in ROOT.glob(f"packages/*/src/**/*.{kind}"))
LINES_OF_A_FILE = 400
LINES_OF_A_FUNCTION = 60


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_tree_is_found() -> None:
    assert {"packages/flydsl-core/src/flydsl/compiler/jit.py", name_of(Path(__file__))} < set(map(name_of, FILES))


def test_no_file_is_long() -> None:
    assert len(NATIVE) > 10
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in (*FILES, *NATIVE)}
    assert {name: length for name, length in lengths.items() if length > LINES_OF_A_FILE} == {}


def test_no_function_is_long() -> None:
    lengths = {
        f"{name_of(path)}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in FILES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: length for name, length in lengths.items() if length > LINES_OF_A_FUNCTION} == {}


def test_every_native_file_says_what_it_holds() -> None:
    assert [name_of(path) for path in NATIVE if not path.read_text().startswith(("// ", "/*"))] == []


def test_every_module_says_what_it_holds() -> None:
    assert [name_of(path) for path in FILES if parsed(path).body and not ast.get_docstring(parsed(path))] == []
