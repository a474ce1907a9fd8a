"""erf and erfc against Python's, which are those of C in double precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from expressions import evaluate, singles, spread, ulps

from flydsl.passes.math import error_function

ARGUMENTS = [*spread(-4.5, 4.5, 100), *singles(0.9249, 0.9251, 0.4769, 0.477, 1e-10, 9.0, 9.99)]


@pytest.mark.parametrize(("name", "bound"), [("erf", 2), ("erfc", 4)])
def test_results_are_close_on_both_sides_of_every_seam(name, bound):
    exact = np.array([getattr(math, name)(x) for x in ARGUMENTS])
    normal = np.abs(exact) > 1.2e-38
    found = evaluate(getattr(error_function, name), ARGUMENTS)
    assert ulps(found[normal], exact[normal]) <= bound


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("erf", [math.inf, -math.inf, math.nan, 0.0], [1.0, -1.0, math.nan, 0.0]),
        ("erfc", [math.inf, -math.inf, math.nan, 0.0], [0.0, 2.0, math.nan, 1.0]),
    ],
)
def test_edges_are_those_of_c(name, arguments, expected):
    np.testing.assert_array_equal(evaluate(getattr(error_function, name), arguments), expected)
