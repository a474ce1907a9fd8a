"""`flydsl layout`."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from flydsl.base.errors import LayoutError, SettingError
from flydsl.tools import cli
from flydsl.tools.layout_cli import main


def test_a_layout_is_printed_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["(2,3):(3,1)"]) == 0
    title, _, _, *rows = capsys.readouterr().out.splitlines()
    assert title == "(2,3):(3,1)"
    assert [row.split("|")[1].split() for row in rows] == [["0", "1", "2"], ["3", "4", "5"]]


def test_a_swizzled_layout_shows_banks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["S<1,0,1> o 0 o (2,2):(2,1)", "--bits", "64"]) == 0
    assert "3 b6" in capsys.readouterr().out


def test_a_thread_value_layout_is_shown_in_its_tile(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["((4,2),2):((2,8),1)", "--tile", "[2|8]"]) == 0
    assert "T7 V1" in capsys.readouterr().out


def test_a_picture_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "layout.svg"
    assert main(["(4,8):(1,4)", "--svg", str(target)]) == 0
    assert ElementTree.parse(target).getroot().tag.endswith("svg")
    assert str(target) in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["(4,8):"],
        ["(4,8)"],
        ["S<1,0,1>"],
        ["(4,?):(1,4)"],
        ["S<1,0,1> o 0 o 4:1", "--tile", "[4]"],
        ["4:1", "--tile", "x"],
    ],
)
def test_what_is_no_layout_is_refused(arguments: list[str]) -> None:
    with pytest.raises(LayoutError):
        main(arguments)


def test_the_flydsl_command_reports_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["layout", "(4,?):(1,4)"]) == 1
    assert "only static layouts have a picture" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/", "/does/not/exist/picture.svg", "\0"])
def test_a_picture_that_cannot_be_written_is_an_error(path: str) -> None:
    with pytest.raises(SettingError, match="--svg: cannot write"):
        main(["(2,3):(3,1)", "--svg", path])
