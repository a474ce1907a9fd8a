"""`flydsl` is a namespace that several distributions share."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[2]
PORTIONS = sorted(PACKAGES.glob("*/src/flydsl"))


def test_no_distribution_has_an_init_file_for_the_namespace() -> None:
    assert PORTIONS
    assert not [portion for portion in PORTIONS if (portion / "__init__.py").exists()]


@pytest.mark.parametrize("portion", PORTIONS, ids=lambda portion: portion.parents[1].name)
def test_each_part_of_the_namespace_is_a_regular_typed_package(portion: Path) -> None:
    parts = [part for part in portion.iterdir() if part.is_dir() and part.name != "__pycache__"]
    assert parts
    for part in parts:
        assert (part / "__init__.py").exists(), part
        assert (part / "py.typed").exists(), part


def test_no_two_distributions_have_the_same_part() -> None:
    names = [part.name for portion in PORTIONS for part in portion.iterdir() if part.name != "__pycache__"]
    assert len(names) == len(set(names))


def test_the_namespace_is_found_as_one() -> None:
    script = "import flydsl, flydsl.plugins; print(flydsl.__file__, type(flydsl.__path__).__name__)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None", "_NamespacePath"]


def test_the_core_needs_no_array_library() -> None:
    needs = importlib.metadata.requires("flydsl-core") or []
    names = {need.split(">")[0].split("=")[0].strip() for need in needs if "extra" not in need}
    assert names == {"pluggy", "xdsl", "platformdirs", "typing-extensions"}
