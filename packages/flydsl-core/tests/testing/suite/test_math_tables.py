"""Errors in units in the last place, and arguments that reach special results."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flydsl.testing.suite import math_tables as tables


def test_each_bound_has_a_reference_and_a_row() -> None:
    assert {*tables.BOUNDS, *tables.BINARY} == set(tables.REFERENCES)
    assert len(tables.arguments()) == len(tables.BOUNDS) + 1


@pytest.mark.parametrize("name", tables.BOUNDS)
def test_a_rounded_result_errs_by_half_a_unit_and_the_next_by_more(name: str) -> None:
    x = tables.arguments()[list(tables.BOUNDS).index(name)]
    with np.errstate(all="ignore"):
        right = np.asarray(tables.REFERENCES[name](x.astype(np.float64))).astype(np.float32)
        above = np.nextafter(np.nextafter(right, np.float32(np.inf)), np.float32(np.inf))
    assert tables.errors(name, right, x).max() <= 0.5
    assert tables.errors(name, above, x).max() >= 1.5


@pytest.mark.parametrize(("found", "right"), [(0.0, -0.0), (math.inf, 3.4e38), (math.nan, 1.0), (1.0, math.nan)])
def test_special_results_are_right_or_infinitely_wrong(found: float, right: float) -> None:
    (error,) = tables.errors("trunc", np.array([found], np.float32), np.array([right], np.float32))
    assert error == math.inf


def test_functions_of_two_numbers_get_every_pair_of_special_ones() -> None:
    first, *_, second = tables.arguments()
    pairs = {(str(a), str(b)) for a, b in zip(first, second, strict=True)}
    numbers = ("0.0", "-0.0", "1.0", "-1.0", "inf", "-inf", "nan")
    assert {(a, b) for a in numbers for b in numbers} <= pairs
