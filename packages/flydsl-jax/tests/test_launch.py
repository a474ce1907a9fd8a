"""Launches compare by everything but their arrays, to the last bit."""

from __future__ import annotations

import threading
from enum import Enum

import jax.numpy as jnp
import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.jax.launch import ARRAY, NUMBER, OPAQUE, Baked, exact, is_array
from flydsl.jax.numbers import OpenNumber
from flydsl.jax.options import Options
from flydsl.jax.signature import bind_launch


class Color(Enum):
    RED = 1
    GREEN = 2


DIFFERENT = [0.0, -0.0, 0, False, True, 1, 1.0, "1", b"1", None, float("inf"), 0.1, np.float32(0.1), np.float32(1),
             np.int32(1), Color.RED, Color.GREEN, fx.Float32(1.0), fx.Int32(1), fx.Float32, fx.Int32]  # fmt: skip


def test_values_are_the_same_to_a_kernel_only_when_they_are_equal_to_the_bit():
    baked = [Baked(value) for value in DIFFERENT]
    for index, one in enumerate(baked):
        assert one == Baked(DIFFERENT[index])
        assert hash(one) == hash(Baked(DIFFERENT[index]))
        assert [other for other in baked if other == one] == [one]
    assert Baked(float("nan")) == Baked(float("nan"))


def test_what_cannot_be_told_apart_is_refused():
    with pytest.raises(ArgumentError):
        Baked(threading.Lock())


def test_arrays_are_told_from_the_rest():
    assert all(map(is_array, (jnp.ones(3), np.ones(3), jnp.float32(2))))
    assert not any(map(is_array, (1, 2.0, "x", None, np.float32(1), [jnp.ones(3)], fx.Float32(1.0))))
    assert exact(jnp.ones(1)) is exact(np.ones(2)) is ARRAY
    assert exact([1]) is exact(Color.RED) is OPAQUE
    assert exact(1) != exact(True) != exact(1.0)


@flyc.jit
def function(x: fx.Tensor, n: fx.Float32, pair, y: fx.Tensor, k: fx.Constexpr[int] = 3):
    pass


X = np.ones(3, np.float32)


def launch(*args, out=X, **kwargs):
    return bind_launch(function, args, kwargs, out, Options())


def test_a_launch_puts_arrays_back_where_they_were():
    x, a, b = np.ones(3), np.ones(4), np.ones(5)
    made, arrays, _ = launch(x, 2.0, {"b": (b, 7), "a": a}, k=5)
    assert [array is other for array, other in zip(arrays, (x, a, b), strict=True)] == [True] * 3
    assert made.names == ("x", "n", "pair", "k")
    assert made.parameters_of(ARRAY) == ["x", "pair", "pair"]
    assert made.parameters_of(NUMBER) == made.number_types() == []
    assert made.arguments(["X", "A", "B"]) == {"x": "X", "n": 2.0, "pair": {"a": "A", "b": ("B", 7)}, "k": 5}
    assert made.outputs == ("y",)


def test_numbers_that_are_inputs_are_behind_the_arrays():
    x, a, n = np.ones(3), np.ones(4), jnp.float32(2)
    made, inputs, _ = launch(x, n, (a, 7), k=5)
    assert [one is other for one, other in zip(inputs, (x, a, n), strict=True)] == [True, True, True]
    assert (made.arrays, made.parameters_of(NUMBER), made.number_types()) == (2, ["n"], [fx.Float32])
    assert made.arguments(["X", "A", "N"]) == {"x": "X", "n": "N", "pair": ("A", 7), "k": 5}
    assert exact(OpenNumber(1)) is exact(OpenNumber(2)) is NUMBER


def test_equal_launches_are_one_key():
    x = np.ones(3)
    same = [launch(x, 2.0, None)[0], launch(np.zeros(7), 2.0, pair=None)[0], launch(n=2.0, pair=None, x=x)[0]]
    assert len(set(same)) == 1
    others = [launch(x, 2, None)[0], launch(x, 2.0, x)[0], launch(x, 2.0, None, k=3)[0],
              launch(x, 2.0, None, out=np.ones(4, np.float32))[0]]  # fmt: skip
    assert len({same[0], *others}) == 5
    assert repr(same[0]) == "function"
