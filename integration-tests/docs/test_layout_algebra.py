"""The page about the layout algebra: its code gives what it shows, its pictures are what its commands draw."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from flydsl.tools.layout_cli import main

FOLDER = Path(__file__).resolve().parents[2] / "docs/explanation"
PAGE = (FOLDER / "layout_algebra.md").read_text()
COMMANDS = re.findall(r"^flydsl layout (.*)$", PAGE, re.MULTILINE)


def test_the_code_gives_what_is_shown() -> None:
    result = doctest.testfile(str(FOLDER / "layout_algebra.md"), module_relative=False)
    assert result.attempted > 10
    assert not result.failed


@pytest.mark.parametrize("command", COMMANDS)
def test_the_pictures_are_up_to_date(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == 0
    (drawn,) = tmp_path.glob("*.svg")
    assert f"(layouts/{drawn.name})" in PAGE
    assert drawn.read_text() == (FOLDER / "layouts" / drawn.name).read_text()


def test_there_are_no_other_pictures() -> None:
    assert {path.name for path in (FOLDER / "layouts").iterdir()} == set(re.findall(r"\(layouts/([\w.]+)\)", PAGE))
