"""Powers and cube roots against NumPy in float64, and their special cases against C's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from expressions import evaluate, singles, spread, ulps
from xdsl.dialects.builtin import IntegerType, f32, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from flydsl.ir.interpret import run
from flydsl.passes.math import powers
from flydsl.passes.to_llvm.builder import LLVMBuilder

INFINITY, NAN = math.inf, math.nan
EDGES = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, INFINITY, -INFINITY, NAN]


def test_powers_are_rounded_once():
    base, exponent = spread(0.01, 50.0), spread(-9.0, 9.0)[::-1]
    assert ulps(evaluate(powers.powf, base, exponent), np.power(base, exponent)) <= 0.51


def test_special_cases_of_powers_are_those_of_c():
    x, y = (grid.ravel() for grid in np.meshgrid(EDGES, EDGES))
    with np.errstate(all="ignore"):
        exact = np.power(x, y)
    found = evaluate(powers.powf, x.tolist(), y.tolist())
    np.testing.assert_array_equal(found, exact.astype(np.float32))
    np.testing.assert_array_equal(np.signbit(found[exact == 0]), np.signbit(exact[exact == 0]))


def test_integer_powers_of_floats():
    base = [*singles(1.5, -1.5, 0.0, -2.0, NAN), INFINITY]
    for n in (0, 1, 2, 3, -3, -2):
        with np.errstate(divide="ignore"):
            exact = np.power(np.array(base), n)
        found = evaluate(powers.fpowi, base, [n] * len(base), types=[f32, i32])
        np.testing.assert_allclose(found, exact, rtol=6e-8)


@pytest.mark.parametrize("width", [8, 32])
def test_integer_powers_wrap_and_negative_exponents_give_units_or_zero(width):
    type_ = IntegerType(width)
    block = Block(arg_types=[type_, type_])
    block.add_op(ReturnOp(powers.ipowi(LLVMBuilder(block), *block.args, width)))
    program = FuncOp("f", ([type_, type_], [type_]), Region(block))
    half = 1 << width - 1
    for base in (0, 1, -1, 2, -3, 7):
        for exponent in (0, 1, 2, 5, 6, 31):
            expected = (base**exponent + half) % (2 * half) - half
            assert run(program, [base, exponent]) == [expected]
        for exponent in (-1, -2):
            assert run(program, [base, exponent]) == [base**-exponent if base in (1, -1) else 0]


def test_cube_roots_of_every_size_and_sign():
    arguments = [*spread(-100.0, 100.0), *singles(1e-42, -1e-30, 3e38, 27.0, -8.0)]
    assert ulps(evaluate(powers.cbrt, arguments), np.cbrt(np.array(arguments))) <= 1
    np.testing.assert_array_equal(
        evaluate(powers.cbrt, [INFINITY, -INFINITY, NAN, 0.0]), [INFINITY, -INFINITY, NAN, 0.0]
    )
    assert np.signbit(evaluate(powers.cbrt, [-0.0])).all()
