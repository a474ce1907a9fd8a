"""Items of containers, and containers of other items."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, namedtuple
from types import MappingProxyType, SimpleNamespace

import pytest

from flydsl.base.container_items import container_type, is_dataclass, items_of, set_items, with_items
from flydsl.base.errors import ArgumentError

Point = namedtuple("Point", "x y")


@dataclasses.dataclass(frozen=True)
class Frozen:
    first: object
    second: object = 0


@dataclasses.dataclass
class Incomplete:
    first: object
    second: object = dataclasses.field(init=False)


def test_a_field_that_was_never_set_is_named():
    with pytest.raises(ArgumentError, match="a record of type 'Incomplete' is incomplete: .* 'second'"):
        items_of(Incomplete(1))


CONTAINERS = [
    ([5, 6], [(0, 5), (1, 6)]),
    ((5, 6), [(0, 5), (1, 6)]),
    (Point(5, 6), [(0, 5), (1, 6)]),
    ({"z": 5, 1: 6}, [("z", 5), (1, 6)]),
    (SimpleNamespace(b=5, a=6), [("b", 5), ("a", 6)]),
    (Frozen(5, 6), [("first", 5), ("second", 6)]),
]


@pytest.mark.parametrize(("container", "items"), CONTAINERS)
def test_items_have_labels_and_make_an_equal_container(container, items):
    assert list(items_of(container)) == items
    again = with_items(container, items)
    assert (again, type(again)) == (container, type(container))
    assert with_items(container, [(label, "new") for label, _ in items]) != container


@pytest.mark.parametrize("mapping", [OrderedDict(a=1), MappingProxyType({"a": 1})])
def test_other_mappings_become_dicts(mapping):
    assert list(items_of(mapping)) == [("a", 1)]
    again = with_items(mapping, [("a", 2)])
    assert (type(again), again) == (dict, {"a": 2})


@pytest.mark.parametrize("container", [[1, 2], {"a": 1}, SimpleNamespace(a=1), Frozen(1)])
def test_items_are_replaced_in_place(container):
    same = set_items(container, [(label, "new") for label, _ in items_of(container)])
    assert same is container
    assert {item for _, item in items_of(container)} == {"new"}


def test_the_type_of_a_rebuilt_container():
    assert container_type(OrderedDict()) is dict
    assert container_type(SimpleNamespace()) is SimpleNamespace
    assert container_type(Point(1, 2)) is Point


def test_a_dataclass_itself_is_no_object_of_one():
    assert is_dataclass(Frozen(1))
    assert not is_dataclass(Frozen)
    assert not is_dataclass(5)
