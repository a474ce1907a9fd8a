"""Sine, cosine, tangent and their inverses against NumPy in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from expressions import evaluate, singles, spread, ulps

from flydsl.passes.math import trigonometric

INFINITY, NAN = math.inf, math.nan
ANGLES = [*spread(-10.0, 10.0, 40), *spread(-30000.0, 30000.0, 20), *singles(1e-6, -1e-20)]
LARGE = singles(32769.0, -1e6, 1e10, 7e22, -3.4e38, 2.0**100)
UNIT = [*spread(-1.0, 1.0), *singles(0.5, -0.5, 1.0, -1.0, 1e-10)]


@pytest.mark.parametrize(("name", "exact"), [("sin", np.sin), ("cos", np.cos), ("tan", np.tan)])
@pytest.mark.parametrize("arguments", [ANGLES, LARGE], ids=["reduced", "large"])
def test_angles_of_every_size_are_reduced_exactly_enough(name, exact, arguments):
    assert ulps(evaluate(getattr(trigonometric, name), arguments), exact(np.array(arguments))) <= 4


@pytest.mark.parametrize(
    ("name", "exact", "arguments"),
    [
        ("asin", np.arcsin, UNIT),
        ("acos", np.arccos, UNIT),
        ("atan", np.arctan, [*spread(-5.0, 5.0), *singles(1e30, -1e-30, 1.0)]),
    ],
)
def test_inverses_are_within_three_units_of_the_last_place(name, exact, arguments):
    assert ulps(evaluate(getattr(trigonometric, name), arguments), exact(np.array(arguments))) <= 3


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_an_infinite_angle_has_no_value(name):
    assert np.isnan(evaluate(getattr(trigonometric, name), [INFINITY, -INFINITY, NAN])).all()


@pytest.mark.parametrize("name", ["sin", "tan", "atan", "asin"])
def test_zeros_keep_their_sign(name):
    assert np.signbit(evaluate(getattr(trigonometric, name), [-0.0, 0.0])).tolist() == [True, False]


@pytest.mark.parametrize("name", ["asin", "acos"])
def test_beyond_one_there_is_no_inverse(name):
    assert np.isnan(evaluate(getattr(trigonometric, name), singles(1.001, -2.0))).all()


def test_the_angle_of_a_point_is_that_of_c():
    axis = [0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, 0.3, -2.5, NAN]
    y, x = (grid.ravel() for grid in np.meshgrid(np.float32(axis), np.float32(axis)))
    found = evaluate(trigonometric.atan2, y.tolist(), x.tolist())
    exact = np.arctan2(y.astype(float), x.astype(float))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))
    np.testing.assert_array_equal(np.signbit(found[~np.isnan(exact)]), np.signbit(exact[~np.isnan(exact)]))
    np.testing.assert_allclose(found, exact, rtol=3e-7)
