"""The code of every tutorial runs, block after block of one page in one namespace."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import flydsl.compiler as flyc

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/tutorials").glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_tutorial_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cpu")
    flyc.use_pair("cpu")
    blocks = BLOCK.findall(page.read_text())
    assert blocks
    program = tmp_path / f"{page.stem}.py"
    program.write_text("\n".join(blocks))
    exec(compile(program.read_text(), str(program), "exec"), {"__name__": "tutorial"})


def test_there_are_tutorials() -> None:
    assert PAGES
