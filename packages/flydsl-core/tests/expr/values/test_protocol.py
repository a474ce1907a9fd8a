"""Types of a program's own: their SSA values, and their reconstruction from these."""

from __future__ import annotations

from typing import NamedTuple

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.values.protocol import (
    DslType,
    JitArgument,
    cache_signature,
    construct_from_ir_values,
    extract_to_ir_values,
    get_ir_types,
    own_values,
    remade,
)


class Complex:
    """Two floats; made by a class method."""

    def __init__(self, re, im):
        self.re, self.im = re, im

    def __extract_to_ir_values__(self):
        return [self.re.ir_value(), self.im.ir_value()]

    @classmethod
    def __construct_from_ir_values__(cls, values):
        return cls(*map(fx.Float32, values))


class Scaled:
    """A scalar with a static factor; made by a plain method from another one."""

    def __init__(self, factor, value):
        self.factor, self.value = factor, value

    def __extract_to_ir_values__(self):
        return [self.value.ir_value()]

    def __construct_from_ir_values__(self, values):
        return Scaled(self.factor, fx.Int32(values[0]))


class OneWay:
    """It has SSA values, and nothing makes it of them."""

    def __extract_to_ir_values__(self):
        return []


class Argument:
    """An argument that describes itself."""

    def __get_ir_types__(self):
        return ["a type"]

    def __cache_signature__(self):
        return "signature"

    def __c_abi_spec__(self):
        return []


class Pair(NamedTuple):
    """A named tuple of values."""

    left: object
    right: object


def test_protocols_are_recognised_by_their_methods():
    assert isinstance(Complex(1, 2), DslType)
    assert not isinstance(OneWay(), DslType)
    assert isinstance(Argument(), JitArgument)
    assert not isinstance(Complex(1, 2), JitArgument)


def test_values_of_containers_are_extracted_in_order(emitted):
    def use(a, b):
        x, y = a.ir_value(), b.ir_value()
        tree = {"first": [a, 3, None], "second": (Complex(b, b), "text", fx.make_layout(4, 1))}
        return [x, y, y], extract_to_ir_values(tree)

    expected, found = emitted(use, fx.Int32, fx.Float32).result
    assert all(one is other for one, other in zip(expected, found, strict=True))


def test_an_object_without_the_methods_is_refused():
    with pytest.raises(
        FrontendError, match=r"is not a value of the language; give object the methods __extract_to_ir_v"
    ):
        extract_to_ir_values(object())


def test_class_methods_and_plain_methods_make_values(emitted):
    def use(a, b):
        made = construct_from_ir_values(Complex, None, [b.ir_value(), b.ir_value()])
        scaled = construct_from_ir_values(Scaled, Scaled(5, fx.Int32(0)), [a.ir_value()])
        return a, b, made, scaled

    a, b, made, scaled = emitted(use, fx.Int32, fx.Float32).result
    assert (type(made), type(scaled), scaled.factor) == (Complex, Scaled, 5)
    assert made.re.ir_value() is made.im.ir_value() is b.ir_value()
    assert scaled.value.ir_value() is a.ir_value()


def test_each_part_of_a_container_takes_as_many_values_as_its_counterpart(emitted):
    def use(a, b):
        like = Pair({"x": Complex(b, b)}, [a, 7])
        kinds = Pair({"x": Complex}, [fx.Int32, int])
        values = [b.ir_value(), b.ir_value(), a.ir_value()]
        made = construct_from_ir_values(kinds, like, values)
        with pytest.raises(FrontendError, match="1 SSA values are left over after"):
            construct_from_ir_values(kinds, like, [*values, a.ir_value()])
        return a, made

    a, made = emitted(use, fx.Int32, fx.Float32).result
    assert type(made) is Pair
    assert type(made.left["x"]) is Complex
    assert made.right[0].ir_value() is a.ir_value()
    assert made.right[1] == 7


def test_types_that_cannot_be_made_say_why():
    with pytest.raises(FrontendError, match=r"has no __construct_from_ir_values__, which builds it from SSA values"):
        construct_from_ir_values(OneWay, OneWay(), [])
    with pytest.raises(FrontendError, match="builds a value from another one; pass that as args"):
        construct_from_ir_values(Scaled, None, [])
    with pytest.raises(FrontendError, match="OneWay has no __construct_from_ir_values__"):
        own_values(OneWay())


def test_ir_types_are_those_of_the_object_or_of_its_values(emitted):
    assert get_ir_types(Argument()) == ["a type"]
    types = emitted(lambda a, b: get_ir_types((Complex(b, b), a)), fx.Int32, fx.Float32).result
    assert [str(type_) for type_ in types] == ["f32", "f32", "i32"]


def test_signatures_tell_apart_what_needs_different_code(emitted):
    assert cache_signature(Argument()) == "signature"
    assert cache_signature(1) != cache_signature(True)
    assert cache_signature(0.0) != cache_signature(-0.0)
    assert cache_signature((1, 2)) != cache_signature([1, 2])
    assert cache_signature({"a": 1}) != cache_signature({"b": 1})
    assert cache_signature(fx.make_layout(4, 1)) == cache_signature(fx.make_layout(4, 1))
    assert cache_signature(fx.make_layout(4, 1)) != cache_signature(fx.make_layout(4, 2))

    def use(a, b):
        return [cache_signature(value) for value in (a, a + 1, b, Complex(b, b))]

    one, other, wide, pair = emitted(use, fx.Int32, fx.Int64).result
    assert one == other
    assert len({one, wide, pair}) == 3


def test_own_values_are_those_of_types_that_the_language_does_not_know(emitted):
    def use(a):
        assert [own_values(value) for value in (a, (a,), fx.make_layout(4, 1), Complex, object())] == [None] * 5
        (value,) = own_values(Scaled(2, a))
        assert value is a.ir_value()

    emitted(use, fx.Int32)


def test_a_remade_object_keeps_the_types_of_its_values(emitted):
    def use(a, b):
        made = remade(Complex(b, b), [b + b, b])
        with pytest.raises(
            FrontendError, match=r"a Complex consists of values of types f32, f32, found f32, i32; keep"
        ):
            remade(Complex(b, b), [b, a])
        return b, made

    b, made = emitted(use, fx.Int32, fx.Float32).result
    assert made.im.ir_value() is b.ir_value()
    assert made.re.ir_value() is not b.ir_value()
