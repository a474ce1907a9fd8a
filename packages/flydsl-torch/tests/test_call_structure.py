"""Structures of calls: stand-ins for what a graph passes, everything else as it is."""

from __future__ import annotations

from collections import namedtuple

import pytest
import torch

from flydsl.adaptors.abstract import AbstractTensor
from flydsl.base.errors import ArgumentError
from flydsl.plugins import DeviceRef
from flydsl.torch.call_structure import Values, one_device

Pair = namedtuple("Pair", "one two")


def tensor(index: int, unit: int = 1) -> tuple[object, ...]:
    return ("tensor", index, torch.float16, 2, unit, "cpu")


def test_a_tensor_is_a_placeholder_whose_mode_of_stride_one_is_known() -> None:
    values = Values()
    made = [values.make(tensor(0, unit)) for unit in (1,)] + [values.make(tensor(1, 0)), values.make(tensor(2, -1))]
    assert all(isinstance(each, AbstractTensor) for each in made)
    assert [each.strides for each in made] == [(2, 1), (1, 2), (2, 2)]
    assert (made[0].dtype, made[0].device) == ((2, 16, 1), (1, 0))
    assert values.tensor_count == 3
    assert [values.tensor_index(each) for each in (*made, object())] == [0, 1, 2, None]


def test_one_tensor_passed_twice_is_one() -> None:
    values = Values()
    assert values.make(tensor(0)) is values.make(tensor(0))


def test_containers_are_made_again() -> None:
    values = Values()
    number, constant = ("int", 0), ("value", "a")
    assert values.make(("tuple", (constant, constant))) == ("a", "a")
    assert values.make(("list", (constant,))) == ["a"]
    assert values.make(("dict", ("k", 3), (constant, number))) == {"k": "a", 3: 0}
    assert values.make(("type", Pair, (constant, ("float", 0)))) == Pair("a", 0.0)


def test_each_leaf_knows_where_it_comes_from() -> None:
    values = Values()
    leaves = [values.make(each) for each in (tensor(0), ("int", 0), ("int", 1), ("float", 0), ("value", 7))]
    places = [("out", 0)]
    assert [values.part(leaf, places) for leaf in leaves] == [
        ("out", 0),
        ("int", 0),
        ("int", 1),
        ("float", 0),
        ("value", 7),
    ]


def test_tensors_on_several_devices_are_refused() -> None:
    one_device([DeviceRef(2, 0), DeviceRef(2, 0)], "scale")
    with pytest.raises(ArgumentError, match="'scale' are on several devices: kind 2 number 0, kind 2 number 1"):
        one_device([DeviceRef(2, 1), DeviceRef(2, 0)], "scale")
