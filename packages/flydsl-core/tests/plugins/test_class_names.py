"""Classes by their names: of a module, or of any in a package, and what is derived from them."""

from __future__ import annotations

import pytest

from flydsl.plugins import ClassNames


def made(name: str, *bases: type) -> type:
    """An empty class called 'module:Class'."""
    module, _, own = name.partition(":")
    return type(own, bases, {"__module__": module})


CLAIMED = ["frame:Array", "pack:Tracer", "pack.inner:Tracer", "pack.inner.deep:outer.Tracer"]
OTHERS = ["frame.inner:Array", "frame:Arrays", "packs:Tracer", "pack:Array", "other.pack:Tracer", "frame:Tracer"]


@pytest.mark.parametrize("name", CLAIMED + OTHERS)
def test_a_class_is_known_by_module_and_name(name: str) -> None:
    names = ClassNames("frame:Array", "pack.*:Tracer")
    assert names(made(name)) == (name in CLAIMED)
    assert names(made("mine:Derived", made("mine:Base", made(name)))) == (name in CLAIMED)


def test_builtin_classes_and_odd_modules_are_none() -> None:
    names = ClassNames("frame:Array", "frame.*:Odd")
    odd = type("Odd", (), {"__module__": None})
    assert not any(map(names, (int, object, type, odd)))


@pytest.mark.parametrize("name", ["Array", "frame:", ":Array", "frame.:Array", "frame*:Array", "frame:a.b", ".*:Array"])
def test_another_spelling_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"is not 'module:Class' or 'package\.\*:Class'"):
        ClassNames("frame:Array", name)


def test_equal_names_are_equal() -> None:
    assert ClassNames("a:B", "c.*:D") == ClassNames("a:B", "c.*:D") != ClassNames("a:B")
    assert hash(ClassNames("a:B")) == hash(ClassNames("a:B"))
    assert ClassNames("a:B") != "a:B"
    assert repr(ClassNames("a:B", "c.*:D")) == "ClassNames('a:B', 'c.*:D')"
