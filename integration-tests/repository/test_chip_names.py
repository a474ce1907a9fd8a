"""What chips differ by is asked of their rows: no backend compares the names of chips outside of its table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGES = Path(__file__).resolve().parents[2] / "packages"
TABLES = {"flydsl-rocm/src/flydsl_rocm": "target.py", "flydsl-cuda/src/flydsl_cuda": "target.py"}
CHIP = re.compile(r"(gfx(9[0-9a-f]{2}|1\d{3}|[\d-]+-generic)|sm_\d+a?)(:.*)?")
PREFIX = re.compile(r"(gfx|sm_)\w*")
METHODS = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "find", "index", "count"}


def names(node: ast.AST, pattern: re.Pattern[str]) -> bool:
    """Whether one of its texts is the name of a chip, or the begin of one."""
    texts = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return any(pattern.fullmatch(text) for text in texts)


def comparisons(source: str) -> Iterator[int]:
    """The lines that compare the name of a chip, or have a set of names to look one up in."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            is_one = any(names(part, CHIP) for part in (node.left, *node.comparators))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            is_one = any(names(argument, PREFIX) for argument in node.args)
        else:
            is_one = isinstance(node, ast.Set) and names(node, CHIP)
        if is_one:
            yield node.lineno


@pytest.mark.parametrize("package", TABLES)
def test_no_name_of_a_chip_is_compared_outside_of_the_table(package: str) -> None:
    folder = PACKAGES / package
    found = [
        f"{path.relative_to(PACKAGES)}:{line}"
        for path in sorted(folder.rglob("*.py"))
        if path.relative_to(folder).as_posix() != TABLES[package]
        for line in comparisons(path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'target.chip == "gfx950"',
        'x = 1 if "sm_90a" != chip else 2',
        'arch.partition(":")[0].startswith("gfx9")',
        'chip.startswith(("gfx10", "gfx11"))',
        'CHIPS = frozenset({"gfx942", "gfx950"})',
        'chip in ("gfx1100", "gfx1101")',
        'chip == "gfx9-4-generic"',
    ],
)
def test_comparisons_are_found(source: str) -> None:
    assert list(comparisons(source)) == [1]


@pytest.mark.parametrize("source", ['family == "gfx11"', 'name = "fly_rocdl.gfx1250.wmma"', 'row("gfx942", 64)'])
def test_other_texts_are_not(source: str) -> None:
    assert list(comparisons(source)) == []
