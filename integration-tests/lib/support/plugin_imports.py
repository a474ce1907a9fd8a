"""What plugins import from the core: statements of Python files, and of the Python blocks of pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
CORE = ROOT / "packages/flydsl-core/src/flydsl"
DOORS = (
    *("flydsl.autotune", "flydsl.compiler", "flydsl.expr", "flydsl.layout", "flydsl.plugins", "flydsl.runtime"),
    *("flydsl.expr.arith", "flydsl.expr.gpu", "flydsl.expr.math", "flydsl.expr.numeric", "flydsl.runtime.device"),
    *("flydsl.base.errors", "flydsl.base.setting", "flydsl.base.settings"),
    *("flydsl.testing.fakes", "flydsl.testing.sandbox", "flydsl.testing.suite"),
    *(f"flydsl.backend.{path.stem}" for path in sorted((CORE / "backend").glob("*.py")) if path.stem != "__init__"),
)
"""The modules of the core that plugins may import, which `docs/explanation/api_stability.md` calls stable."""
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


class PluginImport(NamedTuple):
    """One name that a file imports of a module of the core; an empty one stands for the module itself."""

    file: str
    line: int
    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}{self.name and '.' + self.name}"


def imports_of(path: Path) -> Iterator[PluginImport]:
    """The imports of the core in a Python file or a page, at any depth, those for type checkers too."""
    text = path.read_text()
    for source, first in [(text, 1)] if path.suffix == ".py" else _blocks(text):
        for node in ast.walk(ast.parse(source)):
            for module, name in _imported(node):
                line = first + getattr(node, "lineno", 1) - 1
                yield PluginImport(str(path.relative_to(ROOT)), line, module, name)


def is_by_a_door(found: PluginImport) -> bool:
    """Whether the name is one that a public module offers."""
    if f"{found.module}.{found.name}" in DOORS or (not found.name and found.module in DOORS):
        return True
    return found.module in DOORS and found.name in offered(found.module)


def offered(door: str) -> set[str]:
    """The names of a public module: those of `__all__`, else what it shows."""
    module = import_module(door)
    return set(getattr(module, "__all__", None) or (name for name in dir(module) if not name.startswith("_")))


def _blocks(page: str) -> list[tuple[str, int]]:
    return [(block.group(1), page[: block.start(1)].count("\n") + 1) for block in _BLOCK.finditer(page)]


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name, "") for alias in node.names if _is_of_the_core(alias.name))
    elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        for alias in node.names:
            if _is_of_the_core(node.module) and not _is_of_a_plugin(f"{node.module}.{alias.name}"):
                yield node.module, alias.name


def _is_of_the_core(module: str) -> bool:
    top, _, rest = module.partition(".")
    return top == "flydsl" and (CORE / rest.partition(".")[0]).is_dir() and not _is_of_a_plugin(module)


def _is_of_a_plugin(module: str) -> bool:
    """Whether a module is a portion of another distribution, or a target's namespace, such as `flydsl.expr.acme`."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:  # its parent is no package, or missing
        return False
    return spec is not None and spec.origin is not None and not Path(spec.origin).resolve().is_relative_to(CORE)
