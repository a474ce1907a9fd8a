"""Findings."""

from __future__ import annotations

from flydsl.base.errors import NoDeviceError
from flydsl.tools.examine.finding import Finding, attempt


def test_what_works_is_told() -> None:
    assert attempt("topic", lambda: "text") == Finding("topic", "text")


def test_whatever_fails_is_a_problem_with_its_advice() -> None:
    def ours() -> str:
        raise NoDeviceError("none")

    def theirs() -> str:
        raise KeyError("of a stranger")

    assert attempt("topic", ours, "buy one") == Finding("topic", "none\nbuy one", is_problem=True)
    assert attempt("topic", theirs) == Finding("topic", "KeyError: 'of a stranger'", is_problem=True)
