"""Attributes that the author of a class wrote, and what its instances hold."""

from __future__ import annotations

import collections
import dataclasses
import enum
import threading
from typing import NamedTuple

import pytest

from flydsl.cache.classes import has_plain_metaclass, is_found, is_python_class, own


class Base:
    __slots__ = ("a", "b")


class Derived(Base):
    """Text."""

    __slots__ = ("__private", "c")
    limit = 7

    def method(self) -> int:
        return self.limit


@dataclasses.dataclass(order=True)
class Record:
    size: int = 3

    def __repr__(self) -> str:
        return "written"


class Color(enum.Enum):
    RED = 1

    def shade(self) -> int:
        return self.value


class Pair(NamedTuple):
    left: int

    def swapped(self) -> int:
        return -self.left


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    pass


def test_own_attributes_are_those_that_the_author_wrote() -> None:
    assert list(own(Derived)) == ["limit", "method"]
    assert own(Color).keys() == {"shade"}
    assert "swapped" in own(Pair)
    assert not {"_make", "_replace", "left", "__new__"} & own(Pair).keys()


def test_generated_methods_of_dataclasses_are_not_the_authors() -> None:
    assert "__repr__" in own(Record)
    assert "size" in own(Record)
    assert not {"__init__", "__eq__", "__lt__"} & own(Record).keys()


@pytest.mark.parametrize(("cls", "plain"), [(Base, True), (Color, True), (Record, True), (WithMeta, False)])
def test_metaclasses_that_run_code_are_noticed(cls: type, plain: bool) -> None:
    assert has_plain_metaclass(cls) is plain


@pytest.mark.parametrize(
    ("cls", "python"),
    [
        (Derived, True),
        (Record, True),
        (type("Numbers", (dict,), {}), True),
        (int, False),
        (collections.deque, False),
        (type("Queue", (collections.deque,), {}), False),
        (type("Local", (threading.local,), {}), False),
    ],
)
def test_classes_with_hidden_content_are_not_pythons(cls: type, python: bool) -> None:
    assert is_python_class(cls) is python


def test_a_name_leads_to_its_value() -> None:
    assert is_found(collections.deque, "collections", "deque")
    assert is_found(len, "builtins", "len")
    assert is_found(type(None), "builtins", "NoneType")
    assert not is_found(collections.deque, "collections", "OrderedDict")
    assert not is_found(collections.deque, "no_such_module", "deque")
    assert is_found(collections.OrderedDict.fromkeys, "collections", "OrderedDict.fromkeys")
