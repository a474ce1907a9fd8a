"""The import graph of the core: which module imports which, at the top of a file or inside of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

SOURCES = Path(__file__).resolve().parents[3] / "packages/flydsl-core/src"


class Import(NamedTuple):
    """One import of a module of ours; a lazy one stands in a function."""

    importer: str
    imported: str
    line: int
    is_lazy: bool


@cache
def modules() -> dict[str, Path]:
    """The files of the core by module name."""
    files = {path: path.relative_to(SOURCES).with_suffix("") for path in sorted((SOURCES / "flydsl").rglob("*.py"))}
    return {".".join(name.parts).removesuffix(".__init__"): path for path, name in files.items()}


@cache
def imports() -> tuple[Import, ...]:
    """Every import of one module of the core by another, those for type checkers left out."""
    return tuple(found for name, path in modules().items() for found in _imports(name, path) if found.imported != name)


def circles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one node, each sorted (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    result: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for other in sorted(edges.get(node, ())):
            if other not in order:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], order[other])
        if lowest[node] == order[node]:
            start = stack.index(node)
            component = stack[start:]
            del stack[start:]
            if len(component) > 1:
                result.append(sorted(component))

    for node in sorted(edges):
        if node not in order:
            visit(node)
    return sorted(result)


def _imports(name: str, path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text())
    checked = _inside(
        node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    )
    lazy = _inside(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    for node in ast.walk(tree):
        if id(node) not in checked:
            for imported in _imported(node):
                yield Import(name, imported, getattr(node, "lineno", 0), id(node) in lazy)


def _inside(nodes: Iterator[ast.AST]) -> set[int]:
    return {id(inner) for node in nodes for inner in ast.walk(node)}


def _imported(node: ast.AST) -> Iterator[str]:
    """The modules of ours that a statement imports: submodules where a name is one, else the module it is from."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in modules())
    elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        for alias in node.names:
            submodule = f"{node.module}.{alias.name}"
            if submodule in modules():
                yield submodule
            elif node.module in modules():
                yield node.module
