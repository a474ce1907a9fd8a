"""What is printed of a folder."""

from __future__ import annotations

import pytest

from flydsl.tools.trying.processes import Place
from flydsl.tools.trying.reports import show


def outcome(failed: str = "", reason: str = "", checked: bool = False) -> dict[str, object]:
    return {"failed": failed, "reason": reason, "checked": checked}


@pytest.mark.parametrize(
    ("runs", "verb", "counts"),
    [
        (True, "runs", "2 of 3 functions compile, 1 of 1 that are checked are right, 1 have findings"),
        (False, "compiles", "2 of 3 functions compile"),
    ],
)
def test_files_functions_and_counts(runs: bool, verb: str, counts: str, capsys: pytest.CaptureFixture[str]) -> None:
    functions = {"a": outcome(checked=True), "b": outcome("found", "a race"), "c": outcome("fails", "no type")}
    reports = {"rows.py": {"import": "", "functions": functions}, "x.py": {"import": "no", "functions": {}}}
    assert show(reports, Place("here", runs)) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"rows.py  imports; {verb} a",
        "         b found: a race",
        "         c fails: no type",
        "x.py     import fails: no",
        f"1 of 2 files can be imported, {counts}",
    ]


def test_nothing_wrong_is_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert show({"rows.py": {"import": "", "functions": {"a": outcome()}}}, Place("here", True)) == 0
