"""Options are checked against the parameters of the function; equal ones are one object for jax's caches."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.jax.options import Options, make_options


@flyc.jit
def function(x: fx.Tensor, y, n: fx.Int32, z: fx.Tensor):
    pass


def options(**changed: Any) -> Options:
    given = {"outputs": (), "aliases": None, "static_layout": False, "assumed_align": None, "has_side_effect": False}
    return make_options(function, **{**given, "batchable": False, **changed})


def test_nothing_is_assumed_by_default():
    assert options() == Options()


def test_whole_means_every_parameter_that_may_be_a_tensor():
    found = options(static_layout=True, assumed_align=16)
    assert found.static_layout == {"x", "y", "z"}
    assert found.alignment == (("x", 16), ("y", 16), ("z", 16))
    assert options(static_layout=["z"]).static_layout == {"z"}
    assert options(assumed_align={"z": 8, "x": 4}).alignment == (("x", 4), ("z", 8))


def test_equal_options_are_equal_keys():
    one, other = options(aliases={1: 0, 0: 1}, outputs=["z", "y"]), options(aliases={0: 1, 1: 0}, outputs=("z", "y"))
    assert one == other
    assert hash(one) == hash(other)
    assert options(outputs=("y", "z")) != one


@pytest.mark.parametrize("changed, text", [
    ({"outputs": ("n",)}, "outputs= names 'n', and the tensors among its parameters are 'x', 'y', 'z'"),
    ({"outputs": "z"}, "is a tuple of names"),
    ({"static_layout": ["w"]}, "static_layout= names 'w'"),
    ({"assumed_align": {"w": 4}}, "assumed_align= names 'w'"),
    ({"batchable": 2}, "batchable is False, True or 'sequential', found 2"),
    ({"aliases": {0: 1, 1: 1}}, "one output to several inputs"),
])  # fmt: skip
def test_what_fits_no_parameter_is_refused(changed, text):
    with pytest.raises(ArgumentError, match=text):
        options(**changed)


def test_only_a_jit_function_is_called():
    with pytest.raises(ArgumentError, match="decorated with @flyc.jit, found function"):
        make_options(lambda x: x, (), None, False, None, False, False)  # type: ignore[arg-type]
