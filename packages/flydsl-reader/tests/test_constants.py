"""Compile-time values that the reader tells apart by their content, with the stub's answers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.call_sites import Served

import flydsl.expr as fx
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.frontend.signature import Parameter

VALUE, COUNT = Parameter("c", "constexpr"), Parameter("n", "scalar", fx.Int32)


class Mode(Enum):
    FAST = 1
    SLOW = 2


@dataclass(frozen=True)
class Tile:
    rows: Any
    scale: Any = 1.0

    def twice(self) -> Any:
        return self.rows * 2


@dataclass(frozen=True, slots=True)
class Slotted:
    rows: Any


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass(frozen=True, eq=False)
class Liar:
    """Equal to everything."""

    rows: Any

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


@dataclass
class Open:
    rows: int


ATOMS = st.one_of(
    *(st.booleans(), st.integers(-2, 2), st.sampled_from([2**63, -(2**63), 10**30])),
    *(st.sampled_from([0.0, -0.0, 1.0, math.nan, math.inf]),),
    *(st.sampled_from(["", "1", "é" * 40, "x" * 300, "\udc80"]), st.sampled_from([b"", b"1", b"x" * 300]), st.none()),
    *(st.sampled_from(Mode), st.sampled_from([int, fx.Int8, fx.Int16, np.float32, Tile])),
    *(st.sampled_from([np.dtype("float32"), np.dtype(">f4"), torch.float32, torch.int8]),),
)  # fmt: skip
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        *(st.tuples(inner), st.tuples(inner, inner), st.builds(Pair, inner, inner), st.builds(Tile, inner, inner)),
        *(st.builds(Slotted, inner), st.builds(Liar, inner)),
    ),
    max_leaves=5,
)


def served(value: Any) -> Served:
    site = Served([VALUE, COUNT], (value, 3))
    assert site.is_native
    return site


@given(VALUES, st.lists(VALUES, max_size=6))
def test_values_are_told_apart_as_by_the_stub(value: Any, others: list[Any]) -> None:
    site = served(value)
    assert site.agreed(value, 4)[0] == "launched"
    for other in others:
        site.agreed(other, 4)
    assert site.agreed(value, 5)[0] == "launched"


def made() -> Iterator[tuple[Any, Any, Any]]:
    """A value, one that is the same to a kernel, and one that is not."""
    yield 1000, int("1000"), 1001
    yield 0.5, float("0.5"), 0.25
    yield 0.0, float("0"), -0.0
    yield "text of a kernel", "".join(["text of", " a kernel"]), "text of a kernem"
    yield (1, (2.5, "a")), (int("1"), (float("2.5"), "a")), (1, (2.5, "b"))
    yield (1,), (int("1"),), (True,)
    yield (1,), (int("1"),), (1.0,)
    yield Tile(64), Tile(64), Tile(64.0)
    yield Tile(64), replace(Tile(63), rows=64), Tile(64, 2.0)
    yield Tile((1, Slotted("x"))), Tile((1, Slotted("x"))), Tile((1, Slotted("y")))
    yield Pair(1, 2), Pair(1, 2), Pair(2, 1)
    yield Liar(1), Liar(1), Liar(2)
    yield (Mode.FAST, int), (Mode.FAST, int), (Mode.SLOW, int)
    yield np.dtype("float32"), np.dtype(np.float32), np.dtype("float64")
    yield torch.float32, torch.float32, torch.float16


@pytest.mark.parametrize("value, same, other", list(made()))
def test_a_new_object_with_the_same_content_needs_no_look_at_the_stub(value: Any, same: Any, other: Any) -> None:
    site = served(value)
    native: Any = site.site.native
    assert native._site.key(value, 1) == native._site.key(same, 9) is not None
    assert native._site.key(other, 1) != native._site.key(value, 1)
    assert site.agreed(same, 4)[0] == "launched"
    if type(other) is type(value):
        assert site.agreed(other, 4)[0] == "missed"


def test_a_field_that_is_changed_by_force_is_noticed() -> None:
    for make in (Tile, Slotted, Liar):
        value = make(64)
        site = served(value)
        assert site.agreed(value, 4)[0] == "launched"
        object.__setattr__(value, "rows", 65)
        assert site.agreed(value, 4)[0] == "missed"
        object.__setattr__(value, "rows", 64)
        assert site.agreed(value, 4)[0] == "launched"
    extra = Tile(64)
    site = served(extra)
    object.__setattr__(extra, "more", 1)
    assert site.agreed(extra, 4)[0] == "missed"
    object.__delattr__(extra, "more")
    assert site.agreed(extra, 4)[0] == "launched"


def test_a_class_that_changes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (Tile(64), (1, Tile(64)), Tile, Mode.FAST):
        site = served(value)
        assert site.agreed(value, 4)[0] == "launched"
        changed: Any = Mode if value is Mode.FAST else Tile
        monkeypatch.setattr(changed, "twice", lambda self: 3, raising=False)
        assert site.agreed(value, 4)[0] == "missed"
        monkeypatch.undo()
        assert site.agreed(value, 4)[0] == "launched"


def test_classes_that_come_later_are_learned_and_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    later: tuple[Any, ...] = (1, Tile(64), Mode.SLOW)
    site = served((1, Tile(2), Mode.FAST))
    site.add(BoundCall.of([VALUE, COUNT], (later, 3)))
    for _ in range(3):
        assert site.agreed(later, 4)[0] == "launched"
    monkeypatch.setattr(Mode.SLOW, "note", 1, raising=False)
    assert site.agreed(later, 4)[0] == "missed"
    monkeypatch.undo()
    assert site.agreed(later, 4)[0] == "launched"


def test_what_may_change_in_a_tuple_is_left_to_the_stub() -> None:
    box = Open(1)
    site = served((1, 2))
    later: Any = (1, box)
    site.add(BoundCall.of([VALUE, COUNT], (later, 3)))
    assert site.agreed(later, 4)[0] == "launched"
    box.rows = 2
    assert site.agreed(later, 4)[0] == "missed"


def test_a_tuple_of_any_depth_is_served_or_left_to_the_stub() -> None:
    deep: Any = 1
    for _ in range(40):
        deep = (deep,)
        served(deep).agreed(deep, 4)
    wide = tuple(range(500))
    assert served(wide).agreed(wide, 4)[0] == "launched"
