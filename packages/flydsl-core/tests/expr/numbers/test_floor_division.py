"""Division of floats with a quotient that is rounded down, against Python's and NumPy's."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import flydsl.expr as fx

VALUES = [0.0, -0.0, 0.1, -0.2, 1.0, 6.0, -7.5, 1e7, 2.0**53 + 2, 3.0, math.inf, -math.inf, math.nan, 5e-324]


def pairs(kind: type[np.floating]) -> list[tuple[float, float]]:
    with np.errstate(over="ignore"):
        numbers = [float(kind(value)) for value in VALUES]
    return list(itertools.product(numbers, numbers))


def expected(kind: type[np.floating], a: float, b: float) -> list[float]:
    with np.errstate(all="ignore"):
        return [float(np.floor_divide(kind(a), kind(b))), float(np.remainder(kind(a), kind(b)))]


@pytest.mark.parametrize("dtype", [fx.Float16, fx.Float32, fx.Float64])
def test_operators_are_those_of_numpy(computed, dtype):
    call = computed(lambda x, y: (x // y, x % y, *divmod(x, y)), dtype, dtype)
    kind = dtype.numpy_dtype.type
    for a, b in pairs(kind):
        wanted = np.array(expected(kind, a, b) * 2)
        x, y = dtype(a), dtype(b)
        static = np.array([part.value for part in (x // y, x % y, *divmod(x, y))])
        for found in (np.array(call(a, b)), static):
            np.testing.assert_array_equal(found, wanted, err_msg=f"{a} by {b}")
            same = np.signbit(found) == np.signbit(wanted)
            assert np.all(same | np.isnan(wanted)), (a, b, found, wanted)


def test_finite_numbers_divide_as_those_of_python(computed):
    call = computed(lambda x, y: divmod(x, y), fx.Float64, fx.Float64)
    for a, b in pairs(np.float64):
        if b != 0 and not math.isnan(a + b):
            assert repr(call(a, b)) == repr([*divmod(a, b)]), (a, b)


def test_lanes_of_vectors_and_literals(computed):
    def run(x, y):
        v = fx.Vector.from_elements([x, y])
        return v // 0.1, 1.0 % v, v // fx.Vector.from_elements([y, x])

    a, b = 1.0, 0.5
    wanted = [[np.float32(x) // np.float32(0.1) for x in (a, b)], [1 % np.float32(x) for x in (a, b)], [2.0, 0.0]]
    assert computed(run, fx.Float32, fx.Float32)(a, b) == np.array(wanted).tolist()


def test_bfloat16_divides_in_single_precision(computed):
    call = computed(lambda x, y: x // y, fx.BFloat16, fx.BFloat16)
    assert call(1.0, 0.1) == np.float32(1.0) // np.float32(0.10009765625)
