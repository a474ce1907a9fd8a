"""Arithmetic on lanes: what each operator computes, and how it is rounded."""

from __future__ import annotations

import math

import numpy as np
import pytest
from expressions import evaluate, singles
from xdsl.dialects.builtin import VectorType, f32, i32
from xdsl.ir import Block

from flydsl.passes.math.expression import F32, both, select
from flydsl.passes.to_llvm.builder import LLVMBuilder

X, Y = singles(1.1, -3.7, 0.0), singles(0.3, 2.5, -8.0)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (lambda x, y: x + y, np.add),
        (lambda x, y: x - y, np.subtract),
        (lambda x, y: x * y, np.multiply),
        (lambda x, y: x / y, np.divide),
        (lambda x, y: -x + y, lambda x, y: y - x),
        (lambda x, y: x + 0.1, lambda x, y: x + np.float32(0.1)),
        (lambda x, y: 1.0 - x, lambda x, y: np.float32(1) - x),
        (lambda x, y: x.with_sign_of(y), np.copysign),
        (lambda x, y: x.magnitude() * y.truncated(), lambda x, y: np.abs(x) * np.trunc(y)),
    ],
)
def test_operators_round_once_to_f32(expression, expected):
    x, y = (np.array(values, np.float32) for values in (X, Y))
    np.testing.assert_array_equal(evaluate(expression, X, Y).astype(np.float32), expected(x, y))


def test_a_polynomial_takes_the_highest_power_first():
    assert evaluate(lambda x: x.polynomial((2.0, 3.0, 5.0)), [10.0]).tolist() == [235.0]


def test_a_fused_product_is_rounded_once():
    x = float(np.float32(1 + 2**-12))
    assert evaluate(lambda x: x.fused(x, -1.0), [x]).tolist() == [2**-11 + 2**-24]
    assert evaluate(lambda x: x * x - 1.0, [x]).tolist() == [2**-11]


@pytest.mark.parametrize(("value", "expected"), [(-9.0, -1.0), (0.5, 0.5), (9.0, 2.0), (math.nan, 2.0)])
def test_numbers_are_clamped_and_nan_is_the_upper_bound(value, expected):
    assert evaluate(lambda x: x.clamped(-1.0, 2.0), [value]).tolist() == [expected]


@pytest.mark.parametrize(("value", "expected"), [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.75, -1.0)])
def test_halves_are_rounded_to_even(value, expected):
    assert evaluate(lambda x: x.rounded(), [value]).tolist() == [expected]


@pytest.mark.parametrize("predicate", ["==", "!=", "<", "<=", ">", ">="])
def test_comparisons_are_those_of_python(predicate):
    values = [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (math.nan, 1.0)]
    found = evaluate(lambda x, y: x.compare(predicate, y), *zip(*values, strict=True))
    assert [bool(mask) for mask in found] == [eval(f"x {predicate} y", {"x": x, "y": y}) for x, y in values]


def test_unordered_is_true_of_nan_alone():
    assert evaluate(lambda x: x.compare("unordered", x), [math.nan, 0.0]).tolist() == [1, 0]


def test_bits_and_values_of_integers():
    assert evaluate(lambda x: x.as_i32(), [1.0]).tolist() == [0x3F800000]
    assert evaluate(lambda n: n.as_f32(), [0x40000000], types=[i32]).tolist() == [2.0]
    assert evaluate(lambda n: n.to_f32(), [-7], types=[i32]).tolist() == [-7.0]
    assert evaluate(lambda x: x.to_i32(), [-7.0]).tolist() == [-7]
    assert evaluate(lambda n: n.power_of_two().narrow(), [-3, 10], types=[i32]).tolist() == [0.125, 1024.0]


def test_integer_operators():
    def expression(n):
        return (((n + 5) << 2) ^ 1) - ((n >> 1) | 8)

    numbers = [-9, 0, 12]
    expected = [(((n + 5) << 2) ^ 1) - ((n >> 1) | 8) for n in numbers]
    assert evaluate(expression, numbers, types=[i32]).tolist() == expected
    assert evaluate(lambda n: (n & 6).compare("slt", 3), numbers, types=[i32]).tolist() == [0, 1, 0]


def test_a_choice_takes_a_number_and_all_masks():
    def inside(x):
        return select(both(x, x.compare(">", 0.0), x.compare("<", 1.0)), x, -1.0)

    assert evaluate(inside, [0.5, 2.0, -0.5]).tolist() == [0.5, -1.0, -1.0]


def test_wide_values_are_doubles():
    third = evaluate(lambda x: (x.wide() / 3.0).value, [1.0])
    assert third.tolist() == [1 / 3]


def test_vectors_keep_their_shape():
    type_ = VectorType(f32, [2, 3])
    block = Block(arg_types=[type_])
    x = F32(LLVMBuilder(block), block.args[0])
    assert (x * 2.0 + x).value.type == type_
    assert x.as_i32().value.type == VectorType(i32, [2, 3])
    assert str(x.compare("<", 0.0).type) == "vector<2x3xi1>"
