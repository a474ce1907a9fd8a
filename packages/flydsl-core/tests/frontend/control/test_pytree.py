"""Containers and their leaves: what is taken apart is rebuilt, and what differs has another structure."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from types import SimpleNamespace

import pytest

import flydsl.expr as fx
from flydsl.frontend.control.pytree import flatten, is_container, ordered_like, refill, structure

Point = namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    first: object
    second: object = 0


@dataclasses.dataclass(frozen=True)
class Frozen:
    first: object


TREES = [
    (5, [5]),
    ((1, [2, {"a": 3}]), [1, 2, 3]),
    (Point(1, (2,)), [1, 2]),
    (SimpleNamespace(b=1, a=[2]), [1, 2]),
    ({"z": 1, "a": 2}, [1, 2]),
    ([], []),
    (None, [None]),
]


@pytest.mark.parametrize(("tree", "leaves"), TREES)
def test_leaves_are_in_order_and_rebuild_the_tree(tree, leaves):
    found, build = flatten(tree)
    assert found == leaves
    again = build(leaves)
    assert type(again) is type(tree)
    assert again == tree
    assert build(["new"] * len(leaves)) != tree or not leaves


def test_a_dataclass_is_a_container_when_it_holds_values_of_the_language():
    value = Pair(fx.Int32(1), [2])
    leaves, build = flatten(value)
    assert [repr(leaf) for leaf in leaves] == [repr(fx.Int32(1)), "2"]
    again = build([7, 8])
    assert (again.first, again.second) == (7, [8])
    assert value.second == [2]
    plain = Pair(1, 2)
    assert flatten(plain)[0] == [plain]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1, 2), [1, 2]),
        ((1, 2), (1, (2,))),
        ({"a": 1}, {"b": 1}),
        (Point(1, 2), (1, 2)),
        (SimpleNamespace(a=1), {"a": 1}),
        (Pair(fx.Int32(1)), Frozen(fx.Int32(1))),
    ],
)
def test_other_containers_have_another_structure(one, other):
    assert structure(one) != structure(other)


def test_the_structure_does_not_depend_on_the_leaves():
    assert structure((1, [2.5])) == structure(("a", [None]))


def test_containers_keep_their_identity_when_refilled():
    inner, table = [1, 2], {"k": 3}
    value = [inner, table, (4, 5)]
    assert refill(value, [10, 20, 30, 40, 50]) is value
    assert inner == [10, 20]
    assert table == {"k": 30}
    assert value[2] == (40, 50)


def test_fields_of_a_dataclass_are_refilled_in_place_unless_it_is_frozen():
    pair, frozen = Pair(fx.Int32(1), 2), Frozen(fx.Int32(1))
    assert refill(pair, [5, 6]) is pair
    assert (pair.first, pair.second) == (5, 6)
    again = refill(frozen, [5])
    assert again is not frozen
    assert again.first == 5


@pytest.mark.parametrize(
    ("value", "expected"),
    [([], True), ({}, True), (SimpleNamespace(), True), ((), False), (Pair(1), False), (Frozen(fx.Int32(1)), False)],
)
def test_what_can_change_in_place(value, expected):
    assert is_container(value) is expected
    assert is_container(Pair(fx.Int32(1)))


class Point:
    """A user-defined type: one value of the trace, and attributes that the trace knows."""

    def __init__(self, value, dims):
        self.value, self.dims = value, dims

    def __extract_to_ir_values__(self):
        return [self.value]

    def __construct_from_ir_values__(self, values):
        return Point(values[0], self.dims)


@pytest.mark.parametrize(
    ("one", "other"), [((5,), (7,)), ([5, (1,)], [5, (2,)]), ((5,), (5.0,)), (0.0, -0.0), ("a", "b"), ((5,), [5])]
)
def test_attributes_that_differ_are_another_structure(one, other):
    assert structure(Point(object(), one)) == structure(Point(object(), one))
    assert structure(Point(object(), one)) != structure(Point(object(), other))


class Slotted:
    __slots__ = "value"

    def __extract_to_ir_values__(self):
        return [self.value]

    def __construct_from_ir_values__(self, values):
        raise NotImplementedError


class Tagged(Slotted):
    __slots__ = ("tag",)

    def __init__(self, value, tag):
        self.value, self.tag = value, tag


class Named(Tagged):
    __slots__ = ()


@pytest.mark.parametrize("cls", [Tagged, Named])
def test_slots_of_bases_are_attributes_too(cls):
    assert structure(cls(object(), 1)) == structure(cls(object(), 1))
    assert structure(cls(object(), 1)) != structure(cls(object(), 2))


def test_a_tree_takes_the_order_of_keys_of_another():
    ordered = ordered_like(({"b": 1, "a": {"y": 2, "x": 3}},), ({"a": {"x": 0, "y": 0}, "b": 0},))
    assert list(ordered[0]) == ["a", "b"]
    assert list(ordered[0]["a"]) == ["x", "y"]
    assert ordered == ({"b": 1, "a": {"y": 2, "x": 3}},)
    other = {"b": 1}
    assert ordered_like(other, {"a": 1}) is other
