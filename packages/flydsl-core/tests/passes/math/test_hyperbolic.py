"""Hyperbolic functions and their inverses against NumPy in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from expressions import evaluate, singles, spread, ulps

from flydsl.passes.math import hyperbolic

INFINITY, NAN = math.inf, math.nan
SIGNED = [*spread(-12.0, 12.0), *spread(-0.7, 0.7, 20), *singles(0.625, 1e-12)]


@pytest.mark.parametrize(
    ("name", "exact", "arguments"),
    [
        ("tanh", np.tanh, SIGNED),
        ("sinh", np.sinh, [*SIGNED, *singles(88.9, -89.0)]),
        ("cosh", np.cosh, [*SIGNED, *singles(88.9, -89.0)]),
        ("asinh", np.arcsinh, [*SIGNED, *singles(8191.0, 8193.0, 1e30)]),
        ("acosh", np.arccosh, [*spread(1.0, 9.0), *singles(1.0, 8191.0, 8193.0, 1e30)]),
        ("atanh", np.arctanh, [*spread(-0.99, 0.99), *singles(1e-12)]),
    ],
)
def test_results_are_within_four_units_of_the_last_place(name, exact, arguments):
    assert ulps(evaluate(getattr(hyperbolic, name), arguments), exact(np.array(arguments))) <= 4


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("tanh", [INFINITY, -INFINITY, NAN], [1.0, -1.0, NAN]),
        ("sinh", [INFINITY, -INFINITY, 95.0], [INFINITY, -INFINITY, INFINITY]),
        ("cosh", [INFINITY, -INFINITY, -95.0], [INFINITY, INFINITY, INFINITY]),
        ("asinh", [INFINITY, -INFINITY], [INFINITY, -INFINITY]),
        ("acosh", [INFINITY, 0.5, 1.0], [INFINITY, NAN, 0.0]),
        ("atanh", [1.0, -1.0, 1.5], [INFINITY, -INFINITY, NAN]),
    ],
)
def test_edges_are_those_of_c(name, arguments, expected):
    np.testing.assert_array_equal(evaluate(getattr(hyperbolic, name), arguments), expected)


@pytest.mark.parametrize("name", ["tanh", "sinh", "asinh", "atanh"])
def test_odd_functions_keep_the_sign_of_zero(name):
    assert np.signbit(evaluate(getattr(hyperbolic, name), [-0.0, 0.0])).tolist() == [True, False]
