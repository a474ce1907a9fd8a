"""`from_jax`: an input with a layout of its own."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import flydsl.compiler as flyc
from flydsl.base.errors import ArgumentError, UnsupportedTensorError
from flydsl.jax import from_jax
from flydsl.jax.adaptor import JaxAdaptor


def test_it_is_a_word_of_the_compiler() -> None:
    assert flyc.from_jax is from_jax


def test_an_array_has_a_static_layout_until_it_is_marked() -> None:
    argument = from_jax(jnp.zeros((4, 6)), assumed_align=16)
    assert isinstance(argument.adaptor, JaxAdaptor)
    assert (str(argument.layout), argument.alignment) == ("(4,6):(6,1)", 16)
    assert str(argument.mark_shape_dynamic(0).layout) == "(?,6):(6,1)"
    narrow = from_jax(jnp.zeros((4, 6)), use_32bit_stride=True).mark_layout_dynamic()
    assert str(narrow.layout) == "(?,?):(?,1)"


def test_other_values_are_refused() -> None:
    with pytest.raises(ArgumentError, match="takes a jax.Array, found list; use from_dlpack"):
        from_jax([1.0])  # type: ignore[arg-type]


def test_a_tracer_is_refused_with_what_to_call_instead() -> None:
    with pytest.raises(UnsupportedTensorError, match="flydsl.jax.call"):
        jax.jit(lambda x: from_jax(x))(jnp.zeros(3))
