"""Containers of a call: their leaves, what tells their structures apart, and the containers made of new leaves."""

from __future__ import annotations

import dataclasses
import weakref
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.adaptors.numpy_adaptor import NumpyAdaptor
from flydsl.base.errors import ArgumentError
from flydsl.compiler.call.container import expand, flat, has_container
from flydsl.frontend.signature import Parameter
from flydsl.plugins import TensorAdaptorManifest, TensorDesc
from flydsl.testing.sandbox import PluginSandbox

ANY = Parameter("p", "any")


class Pair(NamedTuple):
    left: object
    right: object


@dataclasses.dataclass(frozen=True)
class Window:
    size: fx.Int32
    name: str


VALUES = [
    (1, 2),
    [1, [2, 3]],
    {"a": 1, "b": (2,)},
    Pair(1, 2),
    SimpleNamespace(x=1, y=2),
    Window(3, "w"),
    (),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_container_is_made_again_of_its_leaves(value):
    leaves = expand([ANY], [value])
    (made,) = leaves.builder(1)(leaves.values)
    assert (type(made), made) == (type(value), value)
    assert made is not value or value == ()


def test_leaves_have_the_names_and_annotations_of_their_items():
    leaves = expand([ANY, Parameter("n", "scalar", fx.Int32)], [{"w": [Window(3, "a")]}, 7])
    assert [parameter.name for parameter in leaves.parameters] == ["p['w'][0].size", "p['w'][0].name", "n"]
    assert leaves.parameters[0].scalar is fx.Int32
    assert (leaves.first(1), leaves.first(2)) == (2, 3)


@pytest.mark.parametrize(
    ("one", "other"),
    [((1, 2), [1, 2]), ((1,), (1.0,)), ({"a": 1}, {"b": 1}), ({1: 1}, {True: 1}), (((1, 2),), ((1,), 2))],
    ids=repr,
)
def test_other_structures_and_types_have_other_keys(one, other):
    assert flat([ANY], [one])[0] != flat([ANY], [other])[0]


def test_equal_structures_have_one_key_whatever_the_leaves_hold():
    assert flat([ANY], [{"a": (1, 2)}])[0] == flat([ANY], [{"a": (3, 4)}])[0]


def test_a_compile_time_container_is_one_value():
    assert not has_container([Parameter("c", "constexpr")], [(1, 2)])
    assert has_container([ANY], [(1, 2)])


def test_a_container_that_contains_itself_is_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(ArgumentError, match="argument 'p': containers are nested 16 deep or contain themselves"):
        expand([ANY], [endless])


def test_what_makes_a_container_again_keeps_no_leaf_and_no_later_change():
    class Leaf:
        pass

    leaf = Leaf()
    alive, value = weakref.ref(leaf), {"a": [leaf, 1]}
    (tree,) = expand([ANY], [value]).trees
    value.clear()
    del leaf
    assert alive() is None
    assert tree.build(["new", 2]) == {"a": ["new", 2]}


@dataclasses.dataclass
class Matrix:
    """An array with a name."""

    array: np.ndarray
    name: str


class _OfMatrix(NumpyAdaptor):
    name = "matrix"

    def describe(self, obj: Matrix) -> TensorDesc:
        return super().describe(obj.array)


def test_a_dataclass_that_an_adaptor_claims_is_a_tensor_in_containers_too(isolated_plugins: PluginSandbox) -> None:
    matrix = Matrix(np.zeros(3, np.float32), "zeros")
    assert expand([ANY], [(matrix, 1)]).values == (matrix.array, "zeros", 1)
    manifest = TensorAdaptorManifest(name=_OfMatrix.name, factory=_OfMatrix, claims=lambda cls: cls is Matrix)
    isolated_plugins.register(manifest)
    assert expand([ANY], [(matrix, 1)]).values == (matrix, 1)
    assert not has_container([ANY], [matrix])
    (key,), leaves = flat([ANY], [[matrix]])
    assert leaves == [matrix]
    assert key != flat([ANY], [[Window(1, "w")]])[0][0]
