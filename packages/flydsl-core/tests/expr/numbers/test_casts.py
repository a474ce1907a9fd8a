"""Which operation converts each type to each other."""

from __future__ import annotations

import itertools

import pytest

import flydsl.expr as fx

INTEGERS = [fx.Int8, fx.Int32, fx.Int64, fx.Uint8, fx.Uint32, fx.Uint64]
FLOATS = [fx.Float16, fx.BFloat16, fx.Float32, fx.Float64, fx.Float8E4M3FN]


def integer_cast(a, b):
    if a.width == b.width:
        return []
    return ["arith.trunci"] if b.width < a.width else ["arith.extsi" if a.is_signed else "arith.extui"]


def float_cast(a, b):
    if a is b:
        return []
    if a.width == b.width:
        return ["arith.extf", "arith.truncf"]
    return ["arith.truncf"] if b.width < a.width else ["arith.extf"]


@pytest.mark.parametrize("a, b", list(itertools.product(INTEGERS, INTEGERS)))
def test_integer_to_integer(emitted, a, b):
    assert emitted(lambda x: x.to(b), a).names == integer_cast(a, b)


@pytest.mark.parametrize("a, b", list(itertools.product(FLOATS, FLOATS)))
def test_float_to_float(emitted, a, b):
    assert emitted(lambda x: x.to(b), a).names == float_cast(a, b)


@pytest.mark.parametrize("a, b", list(itertools.product(INTEGERS, FLOATS)))
def test_between_integers_and_floats(emitted, a, b):
    assert emitted(lambda x: x.to(b), a).names == ["arith.sitofp" if a.is_signed else "arith.uitofp"]
    widened = ["arith.extf"] if b.width < 16 else []
    assert emitted(lambda x: x.to(a), b).names == [*widened, "arith.fptosi" if a.is_signed else "arith.fptoui"]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_to_boolean_compares_with_zero(emitted, dtype):
    widened = ["arith.extf"] if dtype.is_float and dtype.width < 16 else []
    compared = "arith.cmpf" if dtype.is_float else "arith.cmpi"
    assert emitted(lambda x: x.to(fx.Boolean), dtype).names == [*widened, compared]
    back = emitted(lambda x: x.to(dtype), fx.Boolean).names
    assert back == (["arith.uitofp"] if dtype.is_float else ["arith.extui"])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_to_and_from_index(emitted, dtype):
    expected = "arith.index_cast" if dtype.is_signed else "arith.index_castui"
    assert emitted(lambda x: x.to(fx.Index), dtype).names == [expected]
    assert emitted(lambda x: x.to(dtype), fx.Index).names == [expected]


def test_between_index_and_floats_goes_an_unsigned_integer(emitted):
    assert emitted(lambda x: x.to(fx.Float32), fx.Index).names == ["arith.index_cast", "arith.uitofp"]
    assert emitted(lambda x: x.to(fx.Index), fx.Float32).names == ["arith.fptoui", "arith.index_cast"]


def test_an_index_has_no_sign_in_wider_integers(emitted):
    assert emitted(lambda x: x.to(fx.Int128), fx.Index).names == ["arith.index_castui"]


def test_a_scalar_beside_a_vector_is_broadcast(emitted):
    def use(x):
        return fx.full(4, 1.0, fx.Float32) * x

    assert emitted(use, fx.Int32).names == ["arith.sitofp", "vector.broadcast", "arith.mulf"]


def test_constants_of_vectors_hold_signless_bits(emitted):
    def use():
        return [
            fx.full(2, 200, fx.Uint8).ir_value(),
            fx.full(2, True, fx.Boolean).ir_value(),
            fx.full(2, 0xFFFFFFFF, fx.Uint32).ir_value(),
        ]

    text = "\n".join(emitted(use).ops)
    assert "dense<-56>" in text
    assert "dense<true>" in text or "dense<1>" in text or "dense<-1>" in text
    assert "vector<2xi32>" in text
