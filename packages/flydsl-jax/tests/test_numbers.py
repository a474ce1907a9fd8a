"""Operands of numbers: the bytes that a launch reads, and numbers that are refused."""

from __future__ import annotations

import struct

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.jax import numbers
from flydsl.jax.numbers import NeedsValue, NumberParameter, UnknownNumber


@pytest.mark.parametrize(
    ("wanted", "value", "code"),
    [
        (fx.Float32, -0.0, "<f"),
        (fx.Float64, 0.1, "<d"),
        (fx.Float16, 0.1, "<e"),
        (fx.Int8, -3, "<b"),
        (fx.Uint32, 2**32 - 1, "<I"),
        (fx.Int64, -(2**63), "<q"),
        (fx.Boolean, True, "<?"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_operands_have_the_bytes_of_the_number(wanted, value, code):
    operand = numbers.known_operand("f: 'n'", wanted, value)
    assert operand.tobytes() == struct.pack(code, value)
    assert jnp.asarray(operand).tobytes() == operand.tobytes(), "jax keeps its dtype"
    assert numbers.number_of(wanted, operand) == struct.unpack(code, struct.pack(code, value))[0]


def test_integers_of_jax_are_widened_with_their_signs():
    for value in (jnp.int32(-5), jnp.uint32(2**32 - 1), jnp.int8(-1), jnp.uint8(200), jnp.bool_(True)):
        operand = numbers.operand_words(fx.Int64, numbers.traced_operand("f: 'n'", fx.Int64, value))
        assert numbers.number_of(fx.Int64, np.asarray(operand)) == int(value)


def test_a_number_that_does_not_fit_names_its_parameter():
    with pytest.raises(ArgumentError, match="f: argument 'n': 300 does not fit in Uint8"):
        numbers.opened("f", [300], [NumberParameter(0, "n", fx.Uint8)])
    with pytest.raises(ArgumentError, match=r"found an array of int32\[2\]"):
        numbers.traced_operand("f: 'n'", fx.Int32, jnp.ones(2, jnp.int32))


def test_what_asks_for_an_open_number_is_told_so():
    number = UnknownNumber()
    for ask in (bool, int, float, str, repr, hash, abs, lambda n: n == 1, lambda n: n + 1, lambda n: 2 * n, range):
        with pytest.raises(NeedsValue):
            ask(number)
    with pytest.raises(NeedsValue):
        jax.ShapeDtypeStruct((2,), jnp.float32).update(shape=(number + 1,))


def test_numbers_are_told_from_arrays():
    assert [type(numbers.python_literal(value)) for value in (2.0, 3, True, "x")] == [float, int, bool, str]
    assert numbers.is_plain_number(np.float32(2))
    assert not numbers.is_plain_number(jnp.float32(2))
    assert numbers.element(2.5).dtype == np.float32
    assert numbers.element(True).dtype == np.bool_
