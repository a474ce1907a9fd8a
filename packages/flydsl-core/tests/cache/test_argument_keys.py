"""What tells compile-time arguments apart: never less than their encodings do, and without encoding them again."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, make_dataclass, replace
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flydsl.base.errors import ArgumentError
from flydsl.cache import argument_keys, dependencies
from flydsl.cache.argument_keys import IN_DICT, IN_SLOTS, IN_TUPLE, argument_key, is_readable
from flydsl.cache.dependencies import encode_value
from flydsl.cache.guards import Guard


class Mode(Enum):
    FAST = 1
    SLOW = 2


@dataclass(frozen=True)
class Plan:
    columns: int
    scale: float = 1.0
    mode: Mode = Mode.FAST
    inner: Any = None

    @property
    def twice(self) -> int:
        return 2 * self.columns


@dataclass(frozen=True, slots=True)
class Slotted:
    columns: int
    name: str = ""


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Open:
    columns: int


@dataclass(frozen=True)
class Derived(Plan):
    more: int = 0


@dataclass(frozen=True)
class WithClassVariable:
    columns: int
    shared: ClassVar[list[int]] = []


PLAIN = st.one_of(
    st.booleans(), st.integers(-2, 2), st.sampled_from([0.0, -0.0, 1.0, float("nan")]), st.sampled_from(["", "1"]),
    st.none(), st.binary(max_size=1), st.sampled_from(Mode), st.sampled_from([int, Plan]),
)  # fmt: skip
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.tuples(inner),
        st.tuples(inner, inner),
        st.builds(Pair, inner, inner),
        st.builds(Plan, inner, inner, inner, inner),
        st.builds(Slotted, inner, inner),
        st.builds(Derived, inner, more=inner),
        st.builds(Open, inner),
        st.builds(WithClassVariable, inner),
        st.lists(inner, max_size=2),
    ),
    max_leaves=4,
)


@given(VALUES, VALUES)
def test_values_of_different_encodings_have_different_keys(one: Any, other: Any) -> None:
    if argument_key(one) == argument_key(other):
        assert encode_value(one) == encode_value(other)
    assert argument_key(one) == argument_key(one)


@pytest.mark.parametrize(
    "make", [lambda: Plan(3), lambda: Plan(3, inner=Plan(4)), lambda: Slotted(3, "x"), lambda: Pair(1, Plan(2))]
)
def test_an_equal_record_is_not_encoded_again(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    key = argument_key(make())
    encoded: list[object] = []
    monkeypatch.setattr(argument_keys, "encode_value", encoded.append)
    monkeypatch.setattr(dependencies, "encode_guarded", encoded.append)
    assert argument_key(make()) == key
    assert argument_key(replace(make(), columns=9) if hasattr(make(), "columns") else make()) is not None
    assert encoded == []


def test_a_method_that_changes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = argument_key(Plan(3))
    monkeypatch.setattr(Plan, "twice", property(lambda self: 3 * self.columns))
    assert argument_key(Plan(3)) != before


FACTOR, TABLE, BOX = 2, [1], Open(1)


def helper(value: float) -> float:
    return value + FACTOR


def function(value: float, more: int = 1) -> float:
    return helper(value) * TABLE[0] + more + math.pi + BOX.columns


def changed_helper(value: float) -> float:
    return value - FACTOR


def test_a_function_of_a_module_is_not_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    key = argument_key(function)
    assert key == encode_value(function)
    encoded: list[object] = []
    monkeypatch.setattr(argument_keys, "encode_value", encoded.append)
    monkeypatch.setattr(dependencies, "encode_guarded", encoded.append)
    assert argument_key(function) == key
    assert encoded == []
    argument_key(lambda value: value)
    assert len(encoded) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setitem(globals(), "FACTOR", 3),
        lambda patch: patch.setitem(globals(), "helper", changed_helper),
        lambda patch: patch.setattr(helper, "__code__", changed_helper.__code__),
        lambda patch: patch.setattr(function, "__defaults__", (5,)),
        lambda patch: patch.setitem(globals(), "TABLE", [2]),
        lambda patch: patch.setattr(BOX, "columns", 2),
        lambda patch: patch.setattr(function, "note", 1, raising=False),
    ],
    ids=["global", "helper", "code", "default", "list", "record", "attribute"],
)
def test_what_a_function_reads_is_looked_at_each_time(change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = argument_key(function)
    change(monkeypatch)
    assert argument_key(function) == encode_value(function) != before
    monkeypatch.undo()
    assert argument_key(function) == before


def test_a_list_that_a_function_reads_may_grow() -> None:
    before = argument_key(function)
    TABLE.append(3)
    try:
        assert argument_key(function) != before
    finally:
        TABLE.pop()


def test_a_record_with_more_than_its_fields_is_encoded() -> None:
    plan = Plan(3)
    before = argument_key(plan)
    object.__setattr__(plan, "more", 5)
    assert argument_key(plan) != before
    assert argument_key(plan) == encode_value(plan)
    opened = Open(1)
    keys = {argument_key(opened)}
    opened.columns = 2
    keys.add(argument_key(opened))
    assert len(keys) == 2


def test_a_mutable_field_is_looked_at_each_time() -> None:
    kind = make_dataclass("Listed", [("items", list, field(default_factory=list))], frozen=True)
    kind.__module__ = __name__
    value = kind([1])
    before = argument_key(value)
    value.items.append(2)
    assert argument_key(value) != before


def test_what_has_no_encoding_is_refused() -> None:
    with pytest.raises(ArgumentError, match="cannot be a compile-time argument"):
        argument_key(Plan(3, inner=open))
    with pytest.raises(ArgumentError, match="cannot be a compile-time argument"):
        argument_key(Plan(3, inner=(line for line in ())))


DTYPES = [np.dtype("float32"), np.dtype(">f4"), np.dtype("int32"), np.dtype("U3"), np.dtype([("a", "f4")]),
          np.dtype([("b", "f4")]), np.dtype(("f4", (2,))), np.dtype("f4", metadata={"a": 1}), np.float32, np.float64,
          np.dtype([("a", "f4")], align=True),
          np.dtype({"names": ["a"], "formats": ["f4"], "itemsize": 8})]  # fmt: skip


def test_dtypes_of_numpy_are_told_apart() -> None:
    keys = [argument_key(dtype) for dtype in DTYPES]
    assert len(set(keys)) == len(set(map(encode_value, DTYPES))) == len(DTYPES)
    assert argument_key(np.dtype("f4")) == argument_key(np.dtype(np.float32))
    renamed = np.dtype([("a", "f4")])
    before = argument_key(renamed)
    renamed.names = ("b",)
    assert argument_key(renamed) == argument_key(np.dtype([("b", "f4")])) != before


def test_what_the_reader_tells_apart_is_known() -> None:
    records: dict[type, Any] = {}
    guards: list[Guard] = []
    readable = [1, 0.5, "a", (1, (2.0, None)), np.dtype("f4"), np.float32, int]
    assert all(is_readable(value, records, guards) for value in readable)
    assert (records, guards) == ({}, [])
    assert is_readable((Plan(1, inner=Slotted(2)), Pair(1, Mode.FAST)), records, guards)
    assert {cls: how for cls, (how, _) in records.items()} == {Plan: IN_DICT, Slotted: IN_SLOTS, Pair: IN_TUPLE}
    assert guards
    not_readable = [[1], (1, [1]), Open(1), Plan([1]), Derived(1), function, np.dtype([("a", "f4")]), bytearray(b"1")]
    assert not any(is_readable(value, records, guards) for value in not_readable)
