"""Values of Python as texts: equal exactly for values that cannot be told apart."""

from __future__ import annotations

import dataclasses
import enum
import functools
import logging
import math
import operator
import re
import threading
import typing
from collections import Counter, OrderedDict, defaultdict, deque
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import numpy
import pluggy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flydsl.base.errors import ArgumentError
from flydsl.cache.dependencies import Dependencies, dependencies, encode_value

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-2, 2)
    | st.text("ab,[(", max_size=3)
    | st.binary(max_size=2)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2)
    ),
    max_leaves=6,
)

try:
    import torch
except ImportError:  # the core is tested without frameworks too
    torch = None


@dataclasses.dataclass(frozen=True)
class Tile:
    m: int
    n: int = 4

    def area(self) -> int:
        return self.m * self.n


@dataclasses.dataclass
class Config:
    tile: Tile
    stages: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class Slotted:
    a: int


class Plain:
    def __init__(self, **given: Any) -> None:
        vars(self).update(given)


class Pair(NamedTuple):
    a: int
    b: int = 2


class Color(enum.Enum):
    RED = 1
    BLUE = "b"

    def twice(self) -> str:
        return f"{self.value}{self.value}"


class Flag(enum.IntFlag):
    A = 1
    B = 2


class Text(str):
    pass


class Locked:
    def __init__(self) -> None:
        self.lock = threading.Lock()


def exactly(a: Any, b: Any) -> bool:
    """Equality that tells 1, 1.0 and True, and the order of dicts, apart."""
    return repr(a) == repr(b)


@given(VALUES, VALUES)
def test_texts_are_equal_exactly_for_values_that_cannot_be_told_apart(a: Any, b: Any) -> None:
    assert (encode_value(a) == encode_value(b)) == exactly(a, b)


@pytest.mark.parametrize(
    "different",
    [
        (0.0, -0.0),
        (1, 1.0, True, 1 + 0j, "1", b"1"),
        (math.inf, -math.inf, math.nan),
        ((1, 2), (2, 1), [1, 2], {1, 2}, frozenset((1, 2)), {1: 2}, deque((1, 2))),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Tile(1), Tile(2), Tile(1, 5), (1, 4)),
        (Config(Tile(1)), Config(Tile(1), [1]), Config(Tile(2))),
        (Slotted(1), Slotted(2)),
        (Plain(a=1), Plain(a=2), Plain(b=1)),
        (Pair(1), Pair(2), Pair(1, 3), (1, 2)),
        (Color.RED, Color.BLUE, Color),
        (deque((1,), 2), deque((1,), 3), deque((1,))),
        (Flag.A, Flag.B, Flag.A | Flag.B, 1),
        (Text("a"), Text("b"), "a"),
        (int, float, bool),
        (list[int], list[float], dict[int, int], int | float, typing.Literal["a"], typing.Any),
        (functools.partial(max, 1), functools.partial(max, 2), functools.partial(min, 1), max),
        (range(3), range(4), slice(3), slice(0, 3)),
        (re.compile("a"), re.compile("b"), re.compile("a", re.I)),
        (math.ceil, math.floor, operator.add),
        (SimpleNamespace(a=1), SimpleNamespace(a=2)),
        (OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)),
        (defaultdict(int), defaultdict(list), {}),
        (Counter("a"), Counter("b")),
        (MappingProxyType({"a": 1}), MappingProxyType({"a": 2})),
        (lambda x: x + 1, lambda x: x + 2),
        (numpy.float32, numpy.float64, numpy.ceil, numpy.floor),
        (numpy.int32(1), numpy.int64(1), numpy.int64(2), numpy.float32(1), numpy.float16(1), 1),
        *([(torch.float16, torch.bfloat16)] if torch is not None else []),
        (None, ..., NotImplemented),
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_values_of_one_kind_have_texts_of_their_own(different: tuple[Any, ...]) -> None:
    texts = [encode_value(value) for value in different]
    assert len(set(texts)) == len(texts)


def test_sets_are_encoded_in_one_order() -> None:
    assert encode_value({"a", "b", "c"}) == encode_value({"c", "b", "a"})


@pytest.mark.parametrize(
    "value",
    [
        object(),
        threading.Lock(),
        numpy.zeros(3),
        *([torch.zeros(3)] if torch is not None else []),
        open,
        hash,
        Locked(),
        [1, (2, {"a": object()})],
        numpy.random.default_rng(0).random,
        threading,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_encoded_surely_is_refused(value: object) -> None:
    with pytest.raises(ArgumentError, match="cannot be a compile-time argument"):
        encode_value(value)


def test_loggers_mean_nothing_for_the_code() -> None:
    assert encode_value(logging.getLogger("a")) == encode_value(logging.getLogger("b"))


def test_cyclic_values_have_a_text() -> None:
    value: list[Any] = [1]
    value.append(value)
    other: list[Any] = [1]
    other.append([other])
    assert encode_value(value) != encode_value(other)


def read(value: object) -> Dependencies:
    """What a function that uses `value` reads."""

    def function() -> object:
        return value

    return dependencies(function)


@pytest.mark.skipif(torch is None, reason="an object of PyTorch")
def test_an_object_that_cannot_be_copied_is_not_asked_for_a_copy() -> None:
    """Such an object of pybind11 ends the process when it is."""
    library = torch.library.Library("flydsl_values", "FRAGMENT")
    assert "_DispatchModule" in read(library.m).unguarded


def test_an_object_that_leads_to_very_many_is_not_walked() -> None:
    assert "more than 20000 objects are read" in read([[number] for number in range(30_000)]).unguarded
    assert read([[number] for number in range(10_000)]).unguarded == ""


def test_method_of_a_class_belongs_to_its_instances() -> None:
    before = read(Tile(1))
    assert before.indexable
    original = Tile.area
    try:
        Tile.area = lambda self: 3  # type: ignore[method-assign]
        assert not before.is_current()
        assert read(Tile(1)).digest != before.digest
    finally:
        Tile.area = original  # type: ignore[method-assign]
    assert read(Tile(1)).digest == before.digest


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (Config(Tile(1)), lambda value: value.stages.append(1)),
        (Config(Tile(1)), lambda value: setattr(value, "tile", Tile(2))),
        (Slotted(1), lambda value: setattr(value, "a", 2)),
        (Plain(a=1), lambda value: setattr(value, "b", 2)),
        (Plain(a=1), lambda value: setattr(value, "__dict__", {})),
        ([1, [2]], lambda value: value[1].append(3)),
        (SimpleNamespace(a=1), lambda value: setattr(value, "a", 2)),
        (Color.RED, lambda value: setattr(value, "extra", 2)),
        (functools.partial(max, key=1), lambda value: value.keywords.update(key=2)),
    ],
)
def test_change_in_place_is_noticed(value: Any, change: Any) -> None:
    before = read(value)
    assert before.indexable
    assert before.is_current()
    change(value)
    assert not before.is_current()
    assert read(value).digest != before.digest


def made_on_the_spot(size: int) -> type:
    """A class as the specialisation of a record in an installed package: its name there is that of another."""
    return type("PluginManager", (pluggy.PluginManager,), {"__module__": "pluggy._manager", "size": size})


def test_a_class_of_a_package_that_is_made_on_the_spot_is_known_by_its_parts() -> None:
    texts = [encode_value(made_on_the_spot(n)) for n in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
