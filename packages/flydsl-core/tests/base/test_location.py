"""Locations: the user's lines, with carets, wherever an error or a call comes from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from flydsl.base import location
from flydsl.base.location import Location, is_foreign_code, raised_directly, traceback_locations, user_location


def test_a_caret_stands_under_the_span(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = first + second\n")
    place = Location(str(file), 1, 4, 9)
    assert place.caret() == "    x = first + second\n        ^^^^^"
    assert place.describe("wrong") == f"wrong\n  --> {file}:1:5\n{place.caret()}"


@pytest.mark.parametrize("line", [2, 9])
def test_a_line_that_cannot_be_read_has_no_caret(tmp_path: Path, line: int) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\n\n")
    assert Location(str(file), line).caret() == ""
    assert Location(str(file), line, 2).describe("wrong") == f"wrong\n  --> {file}:{line}:3"


def test_the_innermost_line_of_the_user_is_that_of_the_call() -> None:
    place = user_location()
    assert place is not None
    assert place.file == __file__
    assert "user_location()" in place.caret()


def fails() -> None:
    raise ValueError("x")


def caught(function: object) -> object:
    try:
        function()  # type: ignore[operator]
    except Exception:
        return sys.exc_info()[2]
    raise AssertionError("nothing was raised")


def test_a_traceback_gives_the_users_lines_the_innermost_last() -> None:
    traceback = caught(lambda: fails())
    lines = traceback_locations(traceback)  # type: ignore[arg-type]
    assert lines[-1].line == fails.__code__.co_firstlineno + 1
    assert location.user_functions(traceback)[-1] == "fails"  # type: ignore[arg-type]


def test_only_a_raise_of_the_users_own_is_direct() -> None:
    inner = caught(fails).tb_next  # type: ignore[attr-defined]
    found = raised_directly(inner)
    assert found is not None
    assert found.line == fails.__code__.co_firstlineno + 1
    assert raised_directly(caught(fails)) is None  # type: ignore[arg-type]
    assert raised_directly(caught(lambda: int("x")).tb_next) is None  # type: ignore[attr-defined]


def test_code_of_the_library_and_of_python_is_foreign() -> None:
    import json

    assert is_foreign_code(location.user_location.__code__)
    assert is_foreign_code(json.dumps.__code__)
    assert not is_foreign_code(fails.__code__)
    assert is_foreign_code(compile("def __init__(self): pass", "<string>", "exec").co_consts[0])


def test_words_of_a_plugin_become_part_of_the_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(location, "_PLUGIN_PATHS", [])
    file = tmp_path / "words" / "__init__.py"
    code = compile("def f(): pass", str(tmp_path / "words" / "part.py"), "exec").co_consts[0]
    assert not is_foreign_code(code)
    location.mark_as_library(str(file))
    try:
        assert is_foreign_code(code)
    finally:
        location._is_foreign.cache_clear()


def test_a_dropped_result_is_seen_by_the_function_that_gave_it() -> None:
    seen = []

    def asks() -> int:
        seen.append(location.is_result_dropped())
        return 1

    asks()
    kept = asks()
    assert (seen, kept) == ([True, False], 1)
