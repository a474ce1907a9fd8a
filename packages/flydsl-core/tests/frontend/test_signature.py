"""Specs are the one description of an argument: other IR type, other text; equal text, equal IR type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.expr import numeric
from flydsl.frontend.signature import ScalarSpec, StreamSpec, TensorSpec, parameters
from flydsl.frontend.trace import _argument_type
from flydsl.layout import Dyn, Layout

if TYPE_CHECKING:
    from nowhere import Missing

NAMES = [name for name in numeric.__all__ if name not in ("Numeric", "as_numeric")]
leaf = st.one_of(st.integers(1, 4), st.builds(Dyn, st.sampled_from([32, 64]), st.sampled_from([1, 2, 8])))
layouts = st.integers(1, 3).flatmap(
    lambda rank: st.builds(
        lambda shape, stride: Layout(tuple(shape), tuple(stride)),
        st.lists(leaf, min_size=rank, max_size=rank),
        st.lists(leaf, min_size=rank, max_size=rank),
    )
)
specs = st.one_of(
    st.builds(TensorSpec, st.sampled_from(NAMES), layouts, st.sampled_from([16, 32, 64])),
    st.builds(ScalarSpec, st.sampled_from(NAMES)),
    st.just(StreamSpec()),
)


@given(specs, specs)
def test_another_ir_type_is_another_text(a, b):
    if str(_argument_type(a)) != str(_argument_type(b)):
        assert a.text() != b.text()
    if a.text() == b.text():
        assert a == b


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
