"""Specs are the one description of an argument: other IR type, other text; equal text, equal IR type."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.compiler.call.pointer import PointerSpec
from flydsl.compiler.call.scalar import ScalarSpec
from flydsl.compiler.call.stream import StreamSpec
from flydsl.compiler.call.tensor import TensorSpec
from flydsl.expr import numeric
from flydsl.frontend.signature import (
    ArgumentOrder,
    Parameters,
    TreeSpec,
    bound_arguments,
    leaf_specs,
    parameter_of,
    parameters,
    wrong_constexpr,
)
from flydsl.layout import Dyn, Layout

if TYPE_CHECKING:
    from nowhere import Missing

NAMES = [name for name in numeric.__all__ if getattr(getattr(numeric, name), "mlir_name", "")]
leaf = st.one_of(st.integers(1, 4), st.builds(Dyn, st.sampled_from([32, 64]), st.sampled_from([1, 2, 8])))
layouts = st.integers(1, 3).flatmap(
    lambda rank: st.builds(
        lambda shape, stride: Layout(tuple(shape), tuple(stride)),
        st.lists(leaf, min_size=rank, max_size=rank),
        st.lists(leaf, min_size=rank, max_size=rank),
    )
)
FULL_BYTES = [name for name in NAMES if getattr(numeric, name).width % 8 == 0]
leaves = st.one_of(
    st.builds(TensorSpec, st.sampled_from(NAMES), layouts, st.sampled_from([16, 32, 64])),
    st.builds(ScalarSpec, st.sampled_from(NAMES)),
    st.builds(PointerSpec, st.sampled_from(FULL_BYTES), st.sampled_from([0, 1]), st.sampled_from([16, 32])),
    st.just(StreamSpec()),
)


def described(spec):
    """What the code is made from: the IR types, and the numeric types of the elements, which say more: a Boolean of
    a tensor is a byte, as a Uint8 is."""
    return [([str(kind) for kind in leaf.ir_types()], getattr(leaf, "element", None)) for leaf in leaf_specs([spec])]


@given(leaves, leaves)
def test_two_arguments_have_one_text_exactly_when_they_have_one_description(a, b):
    assert (a.text() == b.text()) == (described(a) == described(b)) == (a == b)


@given(leaves)
def test_changing_one_property_of_a_tensor_changes_text_and_type(spec):
    for other in variations(spec):
        assert other.text() != spec.text()
        assert described(other) != described(spec)


def variations(spec):
    """`spec` with one property changed at a time."""
    if not isinstance(spec, TensorSpec):
        return []
    shape, stride = spec.layout.shape, spec.layout.stride
    others = [replace(spec, dtype="Int8" if spec.dtype != "Int8" else "Uint8"), replace(spec, align=2 * spec.align)]
    layouts = [Layout((*shape, 2), (*stride, 1))]
    for mode in range(len(shape)):
        for tree, make in ((shape, lambda t: Layout(t, stride)), (stride, lambda t: Layout(shape, t))):
            for new in (5, Dyn(32, 4), Dyn(64, 4), Dyn(32, 16)):
                layouts.append(make((*tree[:mode], new, *tree[mode + 1 :])))
    return others + [replace(spec, layout=layout) for layout in layouts if layout != spec.layout]


@given(st.lists(leaves, min_size=1, max_size=3), st.lists(leaves, min_size=1, max_size=3))
def test_containers_have_one_text_exactly_for_one_structure_of_equal_leaves(a, b):
    one, same = (TreeSpec("tuple(*)", tuple(leaves), tuple) for leaves in (a, b))
    other = TreeSpec("list(*)", tuple(a), list)
    assert (one.text() == same.text()) == (a == b)
    assert one.text() != other.text()


def test_annotations_say_the_kind_of_a_parameter():
    def function(
        a: fx.Tensor,
        b: fx.Int32,
        c: fx.Stream,
        d: fx.Constexpr[int],
        e: fx.Constexpr,
        f: type[fx.Numeric],
        g,
        h: int,
        i: fx.Pointer,
    ):
        pass

    found = parameters(function)
    kinds = ["tensor", "scalar", "stream", "constexpr", "constexpr", "constexpr", "any", "any", "pointer"]
    assert [p.kind for p in found] == kinds
    assert found[1].scalar is fx.Int32
    assert [p.name for p in found] == list("abcdefghi")


def test_annotations_that_only_a_type_checker_sees_are_read_as_text():
    def function(a: fx.Tensor, b: Missing, c: fx.Constexpr[Missing]):
        pass

    assert [p.kind for p in parameters(function)] == ["tensor", "any", "constexpr"]


def test_variable_parameters_are_refused():
    def function(*args):
        pass

    with pytest.raises(ArgumentError, match=r"takes \*args"):
        parameters(function)


def test_arguments_by_parameter_with_defaults():
    assert bound_arguments(lambda a, b=2, *, c=3: None, [1], {"c": 4}) == {"a": 1, "b": 2, "c": 4}


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ([], {"d": 1}, "got an unexpected keyword argument 'd'; the parameters are a, b"),
        ([], {"b": 1}, "missing a required argument: 'a'"),
        ([1, 2, 3], {}, "too many positional arguments"),
    ],
)
def test_arguments_that_do_not_fit_are_type_errors(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        bound_arguments(lambda a, b=2: None, args, kwargs)


def test_annotations_that_are_text_are_read_again():
    names = {"fx": fx, "T": fx.Int32}
    text = "def function(a: 'T', b: fx.Int32): pass\ndef typed(b: fx.Int32): pass"
    exec(compile(text, "<test>", "exec", dont_inherit=True), names)
    found, typed = Parameters(names["function"]), Parameters(names["typed"])
    assert [p.scalar for p in found()] == [fx.Int32, fx.Int32]
    names["T"] = fx.Int64
    assert [p.scalar for p in found()] == [fx.Int64, fx.Int32]
    assert typed() is typed()


@pytest.mark.parametrize(
    ("annotation", "right", "wrong"),
    [
        (fx.Constexpr[int], [3, True, np.int32(4), fx.Int32(5)], [1.5, "a", None, (1,), [], np.float32(1), 1j]),
        (fx.Constexpr[float], [1.5, 3, np.float32(2)], ["a", None]),
        (fx.Constexpr[bool], [True, 1, np.bool_(False)], ["a", 1.5, None]),
        (fx.Constexpr[str], ["a"], [1, None, b"a"]),
        (fx.Constexpr[int | None], [1, None], ["a", 1.5]),
        (fx.Constexpr, [1, "a", None, int], []),
        (fx.Constexpr[type], [int, 3], []),
    ],
)
def test_a_constexpr_of_a_plain_type_takes_values_of_that_type(annotation, right, wrong):
    parameter = parameter_of("n", annotation)
    assert [value for value in right if wrong_constexpr(parameter, value)] == []
    assert [value for value in wrong if not wrong_constexpr(parameter, value)] == []


def test_a_constexpr_takes_its_default():
    def function(n: fx.Constexpr[int] = None, m: fx.Constexpr[int] = 3):
        pass

    n, m = parameters(function)
    assert wrong_constexpr(n, None) == ""
    assert wrong_constexpr(m, None) == "fx.Constexpr[int] is expected, found None"


def test_variable_parameters_are_refused_whatever_is_passed():
    def function(x, *a, **k):
        pass

    for args, kwargs in [((1,), {}), ((1, 2), {}), ((1,), {"b": 2})]:
        with pytest.raises(TypeError, match=r"takes \*a and \*\*k, and a traced function has fixed parameters"):
            bound_arguments(function, args, kwargs)


def test_arguments_are_put_in_order_whatever_form_a_call_has():
    def function(a, b, c=3, *, d=4):
        """Takes four."""

    def plain(a, b=2, c=3):
        """Takes three."""

    order, plain_order = ArgumentOrder(function), ArgumentOrder(plain)
    for _ in range(2):  # the second time the form is known
        assert order((1,), {"b": 5}) == (1, 5, 3, 4)
        assert order((1, 2), {"d": 6}) == (1, 2, 3, 6)
        assert plain_order((), {"c": 7, "a": 8}) == (8, 2, 7)
        assert plain_order((), {"a": 8, "c": 7}) == (8, 2, 7)
        assert plain_order((1,), {"c": 9}) == (1, 2, 9)
        assert plain_order((1,), {}) == (1, 2, 3)
        with pytest.raises(TypeError, match="missing a required argument: 'a'"):
            plain_order((), {"c": 7})
        with pytest.raises(TypeError, match="unexpected keyword argument 'e'"):
            plain_order((1,), {"e": 7})
        with pytest.raises(TypeError, match="multiple values for argument 'a'"):
            plain_order((1,), {"a": 7})
    plain.__defaults__ = (20, 30)
    function.__kwdefaults__["d"] = 40
    assert plain_order((1,), {"c": 9}) == (1, 20, 9)
    assert order((1,), {"b": 5}) == (1, 5, 3, 40)
