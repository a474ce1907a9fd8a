"""Writes the tables of `flydsl.backend` in docs/reference/plugin_api.md: each name of each door and what it is.

Usage: python scripts/generate_door_reference.py [--check]. The sentences are those of the docstrings, or of the strings
below the assignments of constants; `--check` writes nothing and fails when the page differs.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/reference/plugin_api.md"
DOORS = ROOT / "packages/flydsl-core/src/flydsl/backend"
BEGIN = "<!-- doors: scripts/generate_door_reference.py -->"
END = "<!-- end of doors -->"


def main(arguments: list[str]) -> int:
    """Write the tables, or say whether they are up to date; 1 when a name has no sentence or the page differs."""
    missing = [f"{door}.{name}" for door in doors() for name, text in rows(door) if not text]
    if missing:
        print(f"no docstring, nor a string below the assignment: {', '.join(missing)}", file=sys.stderr)
        return 1
    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"
    if made == page:
        return 0
    if "--check" in arguments:
        print(f"{PAGE} is out of date: run python scripts/generate_door_reference.py", file=sys.stderr)
        return 1
    PAGE.write_text(made)
    return 0


def doors() -> list[str]:
    """The public modules of `flydsl.backend`."""
    return [f"flydsl.backend.{path.stem}" for path in sorted(DOORS.glob("*.py")) if path.stem != "__init__"]


def tables() -> str:
    """A heading, what the door is for, and a row for each name."""
    parts = []
    for door in doors():
        body = "\n".join(f"| `{name}` | {text} |" for name, text in rows(door))
        purpose = sentence(import_module(door).__doc__)
        parts.append(f"### `{door}`\n\n{purpose}\n\n| name | what it is |\n|---|---|\n{body}\n")
    return "\n".join(parts)


def rows(door: str) -> Iterator[tuple[str, str]]:
    """Each name of a door with the first sentence of its documentation, empty where there is none."""
    module = import_module(door)
    for name in module.__all__:
        yield name, sentence(documentation(module, name)).replace("|", "\\|")


def sentence(text: str | None) -> str:
    """The first sentence of a documentation, on one line."""
    paragraph = " ".join((text or "").strip().split("\n\n")[0].split())
    return re.split(r"(?<=[^.]\.) ", paragraph)[0]


def documentation(door: ModuleType, name: str) -> str | None:
    """The docstring of a class, function or module, else the string below the assignment."""
    value = getattr(door, name)
    if inspect.isfunction(value) or inspect.ismodule(value) or hasattr(value, "__wrapped__"):  # such as a cached one
        return value.__doc__
    if inspect.isclass(value) and value.__module__.startswith("flydsl."):
        own = vars(value).get("__doc__") or ""
        return own if not own.startswith(f"{value.__name__}(") else None  # what `dataclass` writes
    return _below_the_assignment(door.__name__, name)


def _below_the_assignment(module: str, name: str) -> str | None:
    tree = _tree(module)
    for node, following in zip(tree.body, [*tree.body[1:], None], strict=True):
        if name in _assigned(node):
            is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            return str(following.value.value) if is_text else None  # type: ignore[union-attr]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and name in (alias.name for alias in node.names):
            return _below_the_assignment(node.module, name)
    return None


def _assigned(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)]


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(Path(import_module(module).__file__ or "").read_text())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
