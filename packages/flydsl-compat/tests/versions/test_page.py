"""The page of the documentation has the rows of the table."""

from __future__ import annotations

from pathlib import Path

from flydsl_compat import DIFFERENCES

PAGE = Path(__file__).parents[4] / "docs/reference/compatibility.md"


def test_the_page_has_every_row() -> None:
    lines = {line.replace("`", "") for line in PAGE.read_text(encoding="utf-8").splitlines()}
    rows = {f"| {row.name} | {row.versions} | {row.here} | {row.note} |".replace("`", "") for row in DIFFERENCES}
    assert rows <= lines
