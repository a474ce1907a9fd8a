"""Exponentials and logarithms against NumPy in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from expressions import evaluate, singles, spread, ulps

from flydsl.passes.math import exponential

POSITIVE = [*spread(1e-3, 4.0), *singles(1e-40, 3e-39, 1e-20, 1e30, 3.4e38, 1.0)]
BOUNDS = {"log10": 4.1}
SIGNED = [*spread(-20.0, 20.0), *singles(-1e-8, 1e-8, 0.0)]


@pytest.mark.parametrize(
    ("name", "exact", "arguments"),
    [
        ("exp", np.exp, [*SIGNED, *singles(-87.0, 88.0)]),
        ("exp2", np.exp2, [*SIGNED, *singles(-126.0, 127.0)]),
        ("log", np.log, POSITIVE),
        ("log2", np.log2, POSITIVE),
        ("log10", np.log10, POSITIVE),
        ("log1p", np.log1p, [*spread(-0.9, 5.0), *singles(1e-9, -1e-9)]),
        ("expm1", np.expm1, SIGNED),
    ],
)
def test_results_are_as_close_as_the_reference_of_math_says(name, exact, arguments):
    found = evaluate(getattr(exponential, name), arguments)
    assert ulps(found, exact(np.array(arguments))) <= BOUNDS.get(name, 3)


INFINITY, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("exp", [-INFINITY, INFINITY, NAN, 200.0, -200.0], [0.0, INFINITY, NAN, INFINITY, 0.0]),
        ("exp2", [-INFINITY, INFINITY, NAN, 128.0, -160.0], [0.0, INFINITY, NAN, INFINITY, 0.0]),
        ("log", [0.0, -0.0, -1.0, INFINITY, NAN, 1.0], [-INFINITY, -INFINITY, NAN, INFINITY, NAN, 0.0]),
        ("log2", [0.0, -1.0, INFINITY, NAN, 8.0], [-INFINITY, NAN, INFINITY, NAN, 3.0]),
        ("log10", [0.0, -1.0, INFINITY, NAN, 1.0], [-INFINITY, NAN, INFINITY, NAN, 0.0]),
        ("log1p", [-1.0, -2.0, INFINITY, 0.0], [-INFINITY, NAN, INFINITY, 0.0]),
        ("expm1", [-INFINITY, INFINITY, 0.0], [-1.0, INFINITY, 0.0]),
    ],
)
def test_edges_are_those_of_c(name, arguments, expected):
    np.testing.assert_array_equal(evaluate(getattr(exponential, name), arguments), expected)


def test_half_of_an_exponential_beyond_the_range_is_finite():
    x = float(np.float32(89.0))
    assert evaluate(exponential.exp, [x]).tolist() == [INFINITY]
    assert ulps(evaluate(exponential.half_exp, [x]), np.exp([x]) / 2) <= 3


def test_a_number_is_split_into_mantissa_and_exponent():
    arguments = singles(1.0, 1.4, 1.5, 0.75, 2.0**-140)
    mantissas = 1 + evaluate(lambda x: exponential.split(x)[0], arguments)
    exponents = evaluate(lambda x: exponential.split(x)[1], arguments)
    np.testing.assert_array_equal(mantissas * 2.0**exponents, arguments)
    assert (mantissas >= math.sqrt(0.5) - 1e-6).all()
    assert (mantissas < math.sqrt(2) + 1e-6).all()


@pytest.mark.parametrize(("name", "exact"), [("log1p_wide", np.log1p), ("expm1_wide", np.expm1)])
def test_wide_functions_keep_small_arguments(name, exact):
    arguments = singles(1e-10, -3e-7, 0.25, 0.0)
    found = evaluate(lambda x: getattr(exponential, name)(x.wide()).value, arguments)
    np.testing.assert_allclose(found, exact(arguments), rtol=1e-14)
