"""The walker of public names finds what differs: it would be no test otherwise."""

from __future__ import annotations

import sys
from enum import Enum
from types import ModuleType

import pytest
from support.stable_api import Entry, problems, resolve


class Colour(Enum):
    RED = 0
    BLUE = 2


class Base:
    field: int
    width = 8

    @property
    def size(self):
        return 3

    def method(self, a, b=1):
        return a


class Derived(Base):
    def __init__(self, x, y=None):
        pass


def function(a, b=1, *, c=None):
    return a


@pytest.fixture(autouse=True)
def module(monkeypatch):
    made = ModuleType("walked")
    made.__dict__.update(Colour=Colour, Base=Base, Derived=Derived, function=function, place=Base())
    monkeypatch.setitem(sys.modules, "walked", made)


@pytest.mark.parametrize(
    "kind, name, detail",
    [
        ("module", "walked", ""),
        ("function", "walked.function", "(a, b: int = 1, *, c=None) -> list[int]"),
        ("function", "walked.function", "(a, b=1, **kwargs)"),
        ("enum", "walked.Colour", "RED=0, BLUE=2"),
        ("class(Base)", "walked.Derived", "(x, y=None) :: size (property); width=8; field (property)"),
        ("class(Base)", "walked.Derived", "(x) :: method(self, a, b=1) -> 'dict[str, int]'"),
        ("Base", "walked.place", "..."),
    ],
)
def test_what_agrees_has_no_problems(kind, name, detail):
    assert problems(Entry(name, kind, detail)) == []


@pytest.mark.parametrize(
    "kind, name, detail, found",
    [
        ("module", "walked.function", "", "missing"),
        ("function", "walked.nothing", "()", "missing"),
        ("function", "unknown.nothing", "()", "missing"),
        ("function", "walked.Base", "()", "kind: a type, not a function"),
        ("function", "walked.function", "(b, a=1, *, c=None)", "signature: (a, b, c) instead of"),
        ("function", "walked.function", "(a, b=2, *, c=None)", "signature: b is 1 instead of 2 by default"),
        ("function", "walked.function", "(a, b=1, *, c=None, d=None)", "signature: no parameter d"),
        ("function", "walked.function", "(b=1, *, c=None)", "signature"),
        ("enum", "walked.Colour", "RED=0, GREEN=1", "member GREEN: missing"),
        ("enum", "walked.Colour", "RED=1", "member RED: 0 instead of 1"),
        ("enum", "walked.Base", "RED=1", "kind"),
        ("class(Colour)", "walked.Base", "(...)", "base Colour: missing"),
        ("class()", "walked.function", "(...)", "kind: a function, not a class"),
        ("class()", "walked.Derived", "(a, y=None)", "signature"),
        ("class()", "walked.Base", "() :: method (property)", "member method: a method, not a property"),
        ("class()", "walked.Base", "() :: size(self)", "member size: a property, not a method"),
        ("class()", "walked.Base", "() :: width=16", "member width: 8 instead of 16"),
        ("class()", "walked.Base", "() :: nothing (property)", "member nothing: missing"),
        ("class()", "walked.Base", "() :: method(self, b, a=1)", "member method: signature"),
        ("Derived", "walked.place", "...", "kind: an instance of Base"),
    ],
)
def test_what_differs_is_found(kind, name, detail, found):
    first, *_ = problems(Entry(name, kind, detail))
    assert first.startswith(found)


def test_names_resolve_as_from_import_does():
    assert resolve("walked.Derived") is Derived
    assert resolve("walked.Base.width") == 8
    with pytest.raises(ImportError):
        resolve("walked.nothing")
