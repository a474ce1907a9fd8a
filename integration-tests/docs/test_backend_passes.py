"""The page on lowering lists the passes of backends that have a file for each, in their order."""

from __future__ import annotations

import re
from pathlib import Path

from flydsl.passes.registry import PASSES
from flydsl.plugins.compile_backend import pass_name
from flydsl_cpu.pipeline import LOWERING
from flydsl_rocm.pipeline import conversion
from flydsl_rocm.plugin import flydsl_compile_backends
from flydsl_rocm.target import target_of

PAGE = Path(__file__).resolve().parents[2] / "docs/explanation/passes.md"
ARCHES = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
CORES_BETWEEN = ("expand-math", "canonicalize")
"""Those that the page names below the tables."""


def rows(first: str) -> list[str]:
    """The passes of the table that begins with `first`."""
    tables = (re.findall(r"^\| `([\w-]+)`", part, re.MULTILINE) for part in PAGE.read_text().split("\n\n"))
    (found,) = (names for names in tables if names and names[0] == first)
    return found


def test_every_pass_of_a_chip_stands_on_the_page_in_its_order() -> None:
    listed, used = rows("convert-fly-to-rocdl"), set()
    for arch in ARCHES:
        names = [pass_name(fragment) for fragment in conversion(target_of(arch))]
        assert names == [name for name in listed if name in names], arch
        used |= set(names)
    assert set(listed) == used
    assert used < flydsl_compile_backends()[0].passes.keys() | PASSES.keys()


def test_every_pass_of_the_cpu_stands_on_the_page_in_its_order() -> None:
    names = [pass_name(fragment) for fragment in LOWERING]
    assert rows("convert-fly-to-cpu") == [name for name in names if name not in CORES_BETWEEN]
