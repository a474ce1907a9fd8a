"""Which parameters are outputs, and what a caller passes for the rest."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import NamedTuple

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.jax.options import make_options
from flydsl.jax.results import Results
from flydsl.jax.signature import bind_launch, signature_of

X = np.ones(3, np.float32)


@flyc.jit
def function(a: fx.Tensor, n: fx.Int32, b: fx.Tensor, s: fx.Stream, c: fx.Tensor, k: fx.Constexpr[int] = 2):
    pass


def options(**changed):
    given = {"outputs": (), "aliases": None, "static_layout": False, "assumed_align": None, "has_side_effect": False}
    return make_options(function, **{**given, "batchable": False, **changed})


@pytest.mark.parametrize("count, names, outputs, taken", [
    (0, (), (), ["a", "n", "b", "c", "k"]),
    (1, (), ("c",), ["a", "n", "b", "k"]),
    (2, (), ("b", "c"), ["a", "n", "k"]),
    (3, (), ("a", "b", "c"), ["n", "k"]),
    (1, ("a",), ("a",), ["n", "b", "c", "k"]),
    (2, ("c", "a"), ("c", "a"), ["n", "b", "k"]),
])  # fmt: skip
def test_outputs_are_the_last_tensors_or_those_named(count, names, outputs, taken):
    found = signature_of(function, Results.of("f", (X,) * count, (), {}), options(outputs=names), False)
    assert found.outputs == outputs
    assert list(found.taken.parameters) == taken


class Named(NamedTuple):
    c: object
    b: object


@pytest.mark.parametrize("out, names, outputs", [
    ({"c": X, "b": X}, (), ("b", "c")),
    ({"c": X, "b": X}, ("c", "b"), ("b", "c")),
    (OrderedDict(c=X, b=X), (), ("c", "b")),
    (Named(c=X, b=X), (), ("c", "b")),
    ([{"deep": {"c": X}}, {"b": X}], (), ("c", "b")),
    ({"first": X, "second": X}, (), ("b", "c")),
    (OrderedDict(second=X, first=X), (), ("b", "c")),
    ({"a": X}, (), ("c",)),
])  # fmt: skip
def test_outputs_with_their_names_are_found_by_name(out, names, outputs):
    assert signature_of(function, Results.of("f", out, (), {}), options(outputs=names), False).outputs == outputs


@pytest.mark.parametrize("out, changed, text", [
    ({"second": X, "first": X}, {}, "'second', 'first', which do not say which output is which .* 'b', 'c', or a tup"),
    ({"s": {"second": X, "first": X}}, {}, "'second', 'first', which do not say"),
    ({2: X, 1: X}, {}, "'2', '1', which do not say"),
    (defaultdict(None, second=X, first=X), {}, "'second', 'first', which do not say"),
    ({"b2": X, "b": X}, {}, "'b2', 'b', which do not say"),
    (OrderedDict(c=X, other=X), {}, "'c', 'other', which do not say"),
    ({"c": X, "b": X}, {"aliases": {0: 0}}, "aliases number the outputs, and jax sorts the keys 'c', 'b'"),
])  # fmt: skip
def test_names_that_jax_sorts_are_those_of_outputs(out, changed, text):
    with pytest.raises(ArgumentError, match=text):
        bind_launch(function, (X,), {"n": 1}, out, options(**changed))


def test_a_call_binds_what_is_left():
    launch, arrays, _ = bind_launch(function, (X, 5, X), {"k": 3}, X, options())
    assert (launch.names, launch.outputs, len(arrays)) == (("a", "n", "b", "k"), ("c",), 2)
    assert bind_launch(function, (X, 5), {"b": X}, X, options())[0].names == ("a", "n", "b")


@pytest.mark.parametrize("arrays, outputs, aliases, shared", [
    (2, 1, None, False),
    (2, 1, {0: 0}, False),
    (3, 1, {0: 0}, True),
    (2, 2, {1: 0}, True),
    (3, 3, {0: 0, 1: 2, 2: 1}, True),
])  # fmt: skip
def test_an_alias_shares_the_parameter_when_there_is_none_left(arrays, outputs, aliases, shared):
    given = dict(zip("abc", [X] * arrays, strict=False))
    launch, _, _ = bind_launch(function, (), {**given, "n": 1}, (X,) * outputs, options(aliases=aliases))
    assert launch.is_shared is shared
    assert len(launch.outputs) == outputs - (len(aliases) if shared else 0)


@pytest.mark.parametrize("args, kwargs, out, changed, text", [
    ((X,), {}, X, {}, r"function: missing a required argument: 'n'; a call passes 'a', 'n', 'b', 'k'.*outputs 'c'"),
    ((X, 1, X, X), {}, X, {}, "'k' is a compile-time value"),
    ((X, X, X), {}, X, {}, "'n' is a number of run time"),
    ((X, 1, "2"), {}, X, {}, "'b' is a tensor, found str"),
    ((X, 1, [X, 2]), {}, X, {}, "'b' is a tensor, found list"),
    ((X, 1, X), {"s": None}, X, {}, "unexpected keyword argument 's'"),
    ((), {"n": 1}, (X,) * 4, {}, "has 3 parameters annotated with fx.Tensor, and `out` has 4 outputs"),
    ((X, 1), {}, X, {"outputs": ("b", "c")}, "`out` has 1 outputs .* names 'b', 'c'"),
    ((X, 1, X), {}, X, {"aliases": {5: 0}}, "aliases have 5: 0, and there are 2 inputs and 1 outputs"),
    ((X, 1, np.ones(2, np.float32)), {}, X, {"aliases": {1: 0}}, r"float32\[2\], the output float32\[3\]"),
])  # fmt: skip
def test_calls_that_do_not_fit_say_how(args, kwargs, out, changed, text):
    with pytest.raises(ArgumentError, match=text):
        bind_launch(function, args, kwargs, out, options(**changed))
