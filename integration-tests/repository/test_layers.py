"""The shape of the tree: layers import downwards only, the core names no vendor, no namespace package is closed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "packages/flydsl-core/src/flydsl"
LAYERS = (
    "base",
    "layout",
    "ir",
    "passes",
    "plugins",
    "adaptors",
    "expr",
    "frontend",
    "toolchain",
    "cache",
    "runtime",
    "compiler",
    ("tools", "testing"),
)
# `utils` is the mirror of the settings that kernels written elsewhere import.
FREE = {"utils"}
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in ((names,) if isinstance(names, str) else names)}
VENDOR_WORDS = re.compile(r"(?i)\b(cuda|hip|nvidia|amd|amdgpu|rocdl|torch|jax|nvvm|gfx\d+\w*)\b")
# Where a vendor's word is right: the default backend and the variables that are a contract, DLPack's own names,
# and the text of annotations that ask for one.
ALLOWED_LINES = re.compile(r"__cuda_stream__|__cuda_array_interface__|example|such as|`[^`]*`")


def core_files() -> list[Path]:
    return sorted(CORE.rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, bool, int]]:
    """(module, whether only a type checker sees it, line) of every import of ours."""
    tree = ast.parse(path.read_text())
    checked = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module] if node.module != "flydsl" else [f"flydsl.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.startswith("flydsl."):
                yield name, id(node) in checked, node.lineno


def is_lazy(path: Path, line: int) -> bool:
    """Whether the import stands inside a function, where a cycle cannot close."""
    tree = ast.parse(path.read_text())
    return any(
        isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0) for node in ast.walk(tree)
    )


def test_every_package_of_the_core_has_a_layer() -> None:
    packages = {path.name for path in CORE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert packages == set(RANK) | FREE


@pytest.mark.parametrize("path", core_files(), ids=lambda path: str(path.relative_to(CORE)))
def test_a_module_imports_only_from_its_layer_and_below(path: Path) -> None:
    own = path.relative_to(CORE).parts[0]
    if own in FREE:
        return
    upwards = [
        f"{path.name}:{line} imports {name}"
        for name, only_typing, line in imports(path)
        if (layer := name.split(".")[1]) not in FREE
        and RANK[layer] > RANK[own]
        and not only_typing
        and not is_lazy(path, line)
    ]
    assert not upwards


@pytest.mark.parametrize("path", core_files(), ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_names_no_vendor_and_no_framework(path: Path) -> None:
    if path.relative_to(CORE).as_posix() == "base/dlpack.py":
        return
    found = [
        f"{number}: {line.strip()}"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if VENDOR_WORDS.search(line) and not ALLOWED_LINES.search(line)
    ]
    assert not found


def test_no_distribution_closes_the_namespace() -> None:
    assert not list(ROOT.glob("packages/*/src/flydsl/__init__.py"))


def test_every_portion_is_typed() -> None:
    packages = [path for path in CORE.iterdir() if (path / "__init__.py").exists()]
    assert packages
    assert [path.name for path in packages if not (path / "py.typed").exists()] == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("packages/*/src/**/*.py")), ids=lambda path: path.name)
def test_files_are_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400
