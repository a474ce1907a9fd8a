"""The page on lowering lists the passes of a backend that has a file for each, in their order."""

from __future__ import annotations

import re
from pathlib import Path

from flydsl.plugins.compile_backend import pass_name
from flydsl_rocm.pipeline import conversion
from flydsl_rocm.plugin import flydsl_compile_backends
from flydsl_rocm.target import target_of

PAGE = Path(__file__).resolve().parents[2] / "docs/explanation/passes.md"
ARCHES = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")


def test_every_pass_of_a_chip_stands_on_the_page_in_its_order() -> None:
    rows = re.findall(r"^\| `((?:convert-fly-to-|rocdl-)[\w-]+)`", PAGE.read_text(), re.MULTILINE)
    used = set()
    for arch in ARCHES:
        names = [pass_name(fragment) for fragment in conversion(target_of(arch))]
        assert names == [name for name in rows if name in names], arch
        used |= set(names)
    assert set(rows) == used
    assert used < set(flydsl_compile_backends()[0].passes)
