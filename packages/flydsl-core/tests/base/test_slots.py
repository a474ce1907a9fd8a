"""Slots are found on all bases, under the names that they are stored by."""

from __future__ import annotations

from flydsl.base.slots import slots


class Base:
    __slots__ = ("a", "b")


class Derived(Base):
    __slots__ = ("__private", "c")


class One(Base):
    __slots__ = "single"


class Plain(Derived):
    pass


def test_slots_of_bases_come_first_and_private_ones_as_stored() -> None:
    assert slots(Derived)[:2] == ["a", "b"]
    assert set(slots(Derived)[2:]) == {"_Derived__private", "c"}
    assert slots(Plain) == slots(Derived)


def test_a_string_names_one_slot() -> None:
    assert slots(One) == ["a", "b", "single"]


def test_a_class_without_slots_has_none() -> None:
    assert slots(type("Open", (), {})) == []
