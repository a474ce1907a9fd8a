"""Integer and float arithmetic against NumPy and Python, on scalars and on vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from one_operation import call

from flydsl.base.arithmetic import maximum, minimum, quotient
from flydsl.ir.interpret import Poison, run
from flydsl.ir.parse import parse_module

INTEGERS = [-128, -7, -1, 0, 1, 3, 127]


NUMPY = {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "floordivsi": np.floor_divide,
}


@pytest.mark.parametrize("name", list(NUMPY))
def test_integers_wrap_as_in_numpy(name: str) -> None:
    for a in INTEGERS:
        for b in INTEGERS:
            if b == 0 and "div" in name:
                continue
            with np.errstate(over="ignore"):
                assert call(f"arith.{name}", "i8", a, b) == NUMPY[name](np.int8(a), np.int8(b))


@pytest.mark.parametrize(
    ("name", "a", "b", "expected"),
    [
        ("divsi", -7, 2, -3),
        ("divsi", 5, 0, -1),
        ("divsi", -128, -1, -128),
        ("remsi", -7, 2, -1),
        ("remsi", 5, 0, 5),
        ("ceildivsi", -7, 2, -3),
        ("ceildivsi", 7, 2, 4),
        ("divui", -1, 2, 127),
        ("divui", 3, 0, -1),
        ("remui", -1, 10, 5),
        ("minui", -1, 1, 1),
        ("maxui", -1, 1, -1),
        ("shli", 1, 7, -128),
        ("shrsi", -128, 7, -1),
        ("shrui", -128, 7, 1),
    ],
)
def test_division_shifts_and_unsigned_numbers(name: str, a: int, b: int, expected: int) -> None:
    assert call(f"arith.{name}", "i8", a, b) == expected
    assert call(f"arith.{name}", "vector<2xi8>", [a, a], [b, b]) == [expected, expected]


@pytest.mark.parametrize("count", [8, -1])
def test_a_shift_by_the_width_has_no_value(count: int) -> None:
    assert isinstance(call("arith.shli", "i8", 1, count), Poison)


@pytest.mark.parametrize(
    ("name", "source", "target", "value", "expected"),
    [
        ("extsi", "i8", "i32", -3, -3),
        ("extui", "i8", "i32", -3, 253),
        ("extui", "i1", "i32", 1, 1),
        ("extsi", "i1", "i32", 1, -1),
        ("trunci", "i32", "i8", 300, 44),
        ("sitofp", "i8", "f32", -3, -3.0),
        ("uitofp", "i8", "f32", -3, 253.0),
        ("fptosi", "f32", "i8", -2.9, -2),
        ("fptoui", "f32", "i8", 200.0, -56),
        ("truncf", "f64", "f16", 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-10),
        ("bitcast", "f32", "i32", 1.0, 0x3F800000),
    ],
)
def test_casts(name: str, source: str, target: str, value: object, expected: object) -> None:
    assert call(f"arith.{name}", source, value, result=target) == expected


def test_a_bitcast_of_vectors_joins_and_splits_lanes() -> None:
    assert call("vector.bitcast", "vector<4xi8>", [1, 0, 0, 0x40], result="vector<1xi32>") == [0x40000001]
    assert call("vector.bitcast", "vector<1xi32>", [-2], result="vector<2xi16>") == [-2, -1]


def test_an_undefined_lane_makes_its_bits_undefined_and_no_others() -> None:
    lanes = call("vector.bitcast", "vector<4xi8>", [1, 0, Poison(), 0], result="vector<2xi16>")
    assert isinstance(lanes, list)
    assert lanes[0] == 1
    assert isinstance(lanes[1], Poison)


@pytest.mark.parametrize(("a", "b"), [(1.0, 2.0), (0.0, -0.0), (-0.0, 0.0), (-1.0, -1.0)])
def test_the_larger_and_the_smaller_of_two_tell_the_zeros_apart(a: float, b: float) -> None:
    assert (math.copysign(1, maximum(a, b)), maximum(a, b)) == max((math.copysign(1, x), x) for x in (a, b))
    assert (math.copysign(1, minimum(a, b)), minimum(a, b)) == min((math.copysign(1, x), x) for x in (a, b))


def test_nan_spreads_through_maximum_and_not_through_maxnum() -> None:
    assert math.isnan(maximum(math.nan, 1.0))
    assert call("arith.maxnumf", "f32", math.nan, 1.0) == 1.0
    assert call("arith.minnumf", "f32", 1.0, math.nan) == 1.0


@pytest.mark.parametrize(("a", "b", "expected"), [(1.0, 0.0, math.inf), (1.0, -0.0, -math.inf), (-1.0, 0.0, -math.inf)])
def test_a_quotient_by_zero_is_infinite(a: float, b: float, expected: float) -> None:
    assert quotient(a, b) == expected
    assert math.isnan(quotient(0.0, b))


def test_a_choice_takes_lanes_or_all() -> None:
    module = parse_module(
        "func.func @f(%c: vector<2xi1>, %d: i1, %a: vector<2xi32>, %b: vector<2xi32>)\n"
        "    -> (vector<2xi32>, vector<2xi32>) {\n"
        '  %x = "arith.select"(%c, %a, %b) : (vector<2xi1>, vector<2xi32>, vector<2xi32>) -> vector<2xi32>\n'
        '  %y = "arith.select"(%d, %a, %b) : (i1, vector<2xi32>, vector<2xi32>) -> vector<2xi32>\n'
        "  func.return %x, %y : vector<2xi32>, vector<2xi32>\n}",
        check=False,  # xDSL's own select is of scalars
    )
    assert run(module.body.block.first_op, [[1, 0], 0, [1, 2], [3, 4]]) == [[1, 4], [3, 4]]  # type: ignore[arg-type]
