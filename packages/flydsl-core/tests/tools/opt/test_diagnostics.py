"""Diagnostics of `fly-opt`: shown with their line, or compared with comments."""

from __future__ import annotations

import pytest

from flydsl.base.errors import CompileError, Diagnostic, IRError, ToolchainError
from flydsl.tools.opt.diagnostics import compare, diagnostics_of, render


def test_errors_that_know_their_place_keep_it() -> None:
    found = Diagnostic("error", "wrong", "a.mlir", 2, 3)
    assert diagnostics_of(IRError("wrong", found), "a.mlir") == [found]


def test_places_in_text_between_passes_are_nobodys() -> None:
    error = ToolchainError("x", [Diagnostic("error", "wrong\n    quoted", "module.mlir", 7, 1)])
    assert diagnostics_of(error, "a.mlir") == [Diagnostic("error", "wrong", "", 0, 1)]
    assert diagnostics_of(error, "a.mlir", own_text=True) == [Diagnostic("error", "wrong", "a.mlir", 7, 1)]


def test_other_errors_are_told_apart() -> None:
    assert diagnostics_of(CompileError("no"), "a")[0].message == "no"
    assert diagnostics_of(KeyError("x"), "a")[0].message == "internal error: KeyError: 'x'"


def test_a_line_of_the_text_is_shown_with_a_caret() -> None:
    found = Diagnostic("error", "wrong", "a.mlir", 2, 3)
    assert render(found, "a.mlir", "one\ntwo") == "a.mlir:2:3: error: wrong\ntwo\n  ^"
    assert render(found, "b.mlir", "one\ntwo") == "a.mlir:2:3: error: wrong"
    assert render(Diagnostic("error", "wrong"), "a.mlir", "") == "<unknown>:0: error: wrong"


def error(line: int, message: str = "bad thing", severity: str = "error") -> Diagnostic:
    return Diagnostic(severity, message, "a", line, 1)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x // expected-error {{bad}}", 1),
        ("// expected-error@+2 {{bad}}\n\nx", 3),
        ("// expected-error@below {{bad}}\nx", 2),
        ("x\n// expected-error@above {{bad}}", 1),
        ("x\n\n// expected-error@-2 {{bad}}", 1),
        ("// expected-error@unknown {{bad}}", 0),
        ("// expected-error-re@below {{bad {{th.ng}}}}\nx", 2),
        ("// expected-error@below {{bad}}\n// expected-note@below {{more}}\nx", 3),
    ],
)
def test_an_expected_error_is_found_on_its_line(text: str, line: int) -> None:
    problems = compare([error(line)], "a", text)
    assert [p.message for p in problems] == (['expected note "more" was not produced'] if "note" in text else [])
    assert compare([error(line + 5)], "a", text)[0].message == "unexpected error: bad thing"


def test_differences_are_told_at_their_place() -> None:
    unexpected, missed = compare([error(1, "other")], "a", "x // expected-warning {{bad}}")
    assert unexpected == Diagnostic("error", "unexpected error: other", "a", 1, 1)
    assert missed == Diagnostic("error", 'expected warning "bad" was not produced', "a", 1, 6)
