"""Reports as text, as JSON, and against another build."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.base.errors import ArgumentError
from flydsl.plugins.code_report import KernelReport
from flydsl.tools.code_report import comparison_text, read_json, report_json, report_text

OLD = KernelReport("k", {"vector": 9, "scalar": 3}, spills={"vector": 0}, notes=("One note.",))
NEW = KernelReport("k", {"vector": 4, "scalar": 3, "wait": 1}, spills={"vector": 2})


def test_a_report_as_text() -> None:
    lines = report_text("x y1", [OLD]).splitlines()
    assert lines[0] == "k for x y1"
    assert lines[1].split() == ["instructions", "12", "(vector", "9,", "scalar", "3)"]
    assert lines[2].split() == ["spills", "vector", "0"]
    assert lines[3] == "  note: One note."


def test_a_comparison_shows_what_changed_only() -> None:
    rows = [line.split() for line in comparison_text("x y1", [NEW], [OLD]).splitlines()[1:]]
    assert rows == [
        ["instructions:", "all", "12", "->", "8", "-4"],
        ["instructions:", "vector", "9", "->", "4", "-5"],
        ["spills:", "vector", "0", "->", "2", "+2"],
        ["instructions:", "wait", "0", "->", "1", "+1"],
    ]
    assert comparison_text("x y1", [OLD], [OLD]) == "k for x y1: no count changed\n"


def test_kernels_are_matched_by_name() -> None:
    other = KernelReport("other", {"vector": 1})
    text = comparison_text("x", [OLD, other], [OLD, KernelReport("first")])
    assert text.splitlines() == [
        "k for x: no count changed",
        "other for x: new, 1 instructions",
        "first: gone",
    ]
    assert "1 -> 12" in comparison_text("x", [OLD], [other])


def test_json_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "before.json"
    file.write_text(report_json("x y1", [OLD, NEW]))
    assert read_json(file) == [OLD, NEW]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other", "kernels": []}'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(ArgumentError, match="is no report of machine code"):
        read_json(file)
