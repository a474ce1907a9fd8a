"""Fragments of the changelog: kinds that towncrier knows, and whole sentences."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FRAGMENTS = sorted(path for path in (ROOT / "changelog.d").iterdir() if path.name != ".gitkeep")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["towncrier"]
KINDS = {kind["directory"] for kind in SETTINGS["type"]}


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda fragment: fragment.name)
def test_a_fragment_has_a_known_kind_and_is_a_sentence(fragment: Path) -> None:
    _, kind, suffix = fragment.name.split(".")
    assert (kind in KINDS, suffix) == (True, "md")
    text = fragment.read_text().strip()
    assert text.endswith(".")
    assert text[0] in "`*" or text[0].isupper()
    assert "\n\n" not in text


def test_the_changelog_has_the_line_below_which_releases_are_inserted() -> None:
    assert "\n<!-- towncrier release notes start -->\n" in (ROOT / "CHANGELOG.md").read_text()
