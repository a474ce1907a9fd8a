"""The shape of the tree: layers import downwards only, the core names no vendor, no namespace package is closed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.import_graph import imports

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
    ("autotune", "backend", "extension", "tools", "testing"),
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


def layer(module: str) -> str:
    return module.split(".")[1]


def test_every_package_of_the_core_has_a_layer() -> None:
    packages = {path.name for path in CORE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert packages == set(RANK) | FREE


@pytest.mark.parametrize("own", RANK)
def test_a_layer_imports_only_from_its_own_and_those_below(own: str) -> None:
    upwards = [
        f"{one.importer}:{one.line} imports {one.imported}"
        for one in imports()
        if layer(one.importer) == own
        and layer(one.imported) not in FREE
        and RANK[layer(one.imported)] > RANK[own]
        and not one.is_lazy  # a circle cannot close there; test_import_graph.py has those that are left
    ]
    assert upwards == []


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
