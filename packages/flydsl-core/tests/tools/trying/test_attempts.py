"""One file tried in this process."""

from __future__ import annotations

from pathlib import Path

from flydsl.tools.trying.attempts import tried


def test_a_file_that_cannot_be_imported_has_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "needs_acme_kernels.py"
    path.write_text("import acme_kernels_of_nobody.rows")
    report = tried(path, None)
    assert report["functions"] == {}
    assert report["import"].startswith(
        "ModuleNotFoundError: No module named 'acme_kernels_of_nobody'; pip install acme"
    )
    assert report["import"].endswith("needs_acme_kernels.py:1")


def test_calls_are_run_and_checked_but_for_those_that_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "tried_rows.py").write_text("seen = []")
    calls = tmp_path / "tried_calls.py"
    calls.write_text(
        "def tried_rows(m):\n"
        "    call = lambda: m.seen.append(1)\n"
        "    checks = {'right': lambda: len(m.seen) == 1, 'wrong': lambda: False, 'left': call}\n"
        "    return {**{name: (call, check) for name, check in checks.items()}, 'raising': lambda: 1 / 0}\n"
    )
    report = tried(tmp_path / "tried_rows.py", calls, ["left"])
    assert not report["more"]
    assert {name: one["failed"] for name, one in report["functions"].items()} == {
        "right": "",
        "wrong": "is wrong",
        "raising": "fails",
    }
    assert report["functions"]["right"]["checked"]
    assert "ZeroDivisionError" in report["functions"]["raising"]["reason"]


def test_a_file_of_a_package_is_imported_by_the_package_and_calls_are_of_none(tmp_path: Path) -> None:
    package = tmp_path / "rows_of_kernels"
    package.mkdir()
    (package / "__init__.py").write_text("from rows_of_kernels.rows import N\n")
    (package / "rows.py").write_text("import rows_of_kernels\nN = 3\n")
    calls = package / "calls.py"
    calls.write_text("def rows(module):\n    return {'n': (lambda: None, lambda: module.N == 3)}\n")
    found = tried(package / "rows.py", calls)
    assert found == {"import": "", "functions": {"n": {"failed": "", "reason": "", "checked": True}}, "more": False}
    assert tried(package / "__init__.py", calls) == {"import": "", "functions": {}, "more": False}
