"""Pages of the documentation find each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/*.md")])
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+\.(?:md|svg|py))[)#]")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_a_page_links_to_exist(page: Path) -> None:
    assert [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("folder", ["tutorials", "how-to", "explanation"])
def test_every_page_is_linked_from_the_readme_or_another_page(folder: str) -> None:
    linked = {(page.parent / link).resolve() for page in PAGES for link in LINK.findall(page.read_text())}
    assert set(ROOT.glob(f"docs/{folder}/*.md")) <= linked
