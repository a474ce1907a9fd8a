"""Containers in regions: their items as variables, and errors for what Python would change while tracing."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.control.containers import Containers


def test_items_are_taken_and_put_back_as_they_were():
    items, table = [1, 2], {"k": 3}
    held = Containers(["items", "table", "number"], [items, table, 5])
    assert held.names == ["items", "table"]
    items[0], table["k"] = 10, 30
    assert held.take() == [[10, 2], [30]]
    assert items == [1, 2]
    assert table == {"k": 3}
    assert held.put(("x", [7, 8], [9])) == ("x",)
    assert items == [7, 8]
    assert table == {"k": 9}


def test_one_container_of_two_names_is_taken_once():
    items = [1]
    assert Containers(["a", "b"], [items, items]).names == ["b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda items: items.append(2), "variable 'items' holds 1 values before a dynamic branch or loop and 2 in it"),
        (lambda items: items.__setitem__(0, (1,)), "variable 'items' holds 1 values .* and others in it"),
    ],
)
def test_the_number_of_items_must_not_change(change, message):
    items = [1]
    held = Containers(["items"], [items])
    change(items)
    with pytest.raises(FrontendError, match=message):
        held.take()


@pytest.mark.parametrize(
    ("value", "change"), [({1, 2}, lambda s: s.add(3)), (deque([1]), lambda d: d.append(2)), (deque([1]), deque.clear)]
)
def test_sets_and_deques_must_not_change(value, change):
    held = Containers(["flags"], [value])
    held.take()
    change(value)
    with pytest.raises(FrontendError, match=f"variable 'flags' is a {type(value).__name__} and changes in a dynamic"):
        held.take()


class Model:
    def __init__(self):
        self.scale, self.weights = 1, [1, 2]


@pytest.mark.parametrize(
    ("change", "attribute"),
    [
        (lambda m: setattr(m, "scale", 2), "scale"),
        (lambda m: setattr(m, "new", 2), "new"),
        (lambda m: m.weights.append(3), "weights"),
        (lambda m: m.weights.__setitem__(0, 9), "weights"),
    ],
)
def test_objects_of_other_classes_are_watched(change, attribute):
    model = Model()
    held = Containers(["model"], [model])
    held.take()
    change(model)
    with pytest.raises(
        FrontendError, match=f"model.{attribute} changes in a dynamic branch or loop, and model is a Model"
    ):
        held.take()


def test_an_equal_number_assigned_again_is_no_change():
    model = Model()
    held = Containers(["model"], [model])
    model.weights[0] = 1
    held.take()


def test_namespaces_and_values_of_the_language_are_containers_and_leaves(emitted):
    def run(x):
        space = SimpleNamespace(a=x)
        held = Containers(["space", "x"], [space, x])
        space.a = x + 1
        ((leaf,),) = held.take()
        return held.names, leaf is not x, space.a is x

    assert emitted(run, fx.Int32).result == (["space"], True, True)
