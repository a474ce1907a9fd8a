"""Elementary functions rounded to their type, and integer functions of bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from one_operation import call

FUNCTIONS = {
    "sqrt": np.sqrt, "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log10": np.log10, "sin": np.sin,
    "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "sinh": np.sinh, "cosh": np.cosh, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "atanh": np.arctanh, "expm1": np.expm1,
    "log1p": np.log1p, "cbrt": np.cbrt, "absf": np.abs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "roundeven": np.rint,
}  # fmt: skip
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e30, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_results_and_special_cases_are_those_of_numpy(name: str) -> None:
    arguments = [*SPECIAL, *np.random.default_rng(0).uniform(-3, 3, 20)]
    for x in map(float, arguments):
        with np.errstate(all="ignore"):
            exact = float(FUNCTIONS[name](x))
        found = float(call(f"math.{name}", "f64", x))  # type: ignore[arg-type]
        np.testing.assert_allclose(found, exact, rtol=1e-15, err_msg=f"{name}({x})")
        if exact == 0:
            assert math.copysign(1, found) == math.copysign(1, exact)


def test_results_are_rounded_to_the_type() -> None:
    assert call("math.sqrt", "f32", 2.0) == float(np.float32(math.sqrt(2)))
    assert call("math.exp", "f16", 12.0) == math.inf
    assert call("math.round", "f32", -2.5) == -3.0


def test_a_fused_product_is_rounded_once() -> None:
    x = 1 + 2.0**-12
    assert call("math.fma", "f32", x, x, -1.0) == 2.0**-11 + 2.0**-24
    assert call("math.fma", "vector<1xf32>", [x], [x], [-1.0]) == [2.0**-11 + 2.0**-24]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("ctpop", -1, 8),
        ("ctlz", 1, 7),
        ("ctlz", 0, 8),
        ("cttz", 8, 3),
        ("cttz", 0, 8),
        ("absi", -7, 7),
        ("absi", -128, -128),
    ],
)
def test_functions_of_bits(name: str, value: int, expected: int) -> None:
    assert call(f"math.{name}", "i8", value) == expected


@pytest.mark.parametrize(("base", "power", "expected"), [(3, 4, 81), (2, 8, 0), (-1, -3, -1), (5, -1, 0), (1, -9, 1)])
def test_integer_powers_wrap(base: int, power: int, expected: int) -> None:
    assert call("math.ipowi", "i8", base, power) == expected


def test_questions_about_floats() -> None:
    for name, expected in (("isnan", [0, 0, 1]), ("isinf", [0, 1, 0]), ("isfinite", [1, 0, 0])):
        assert [call(f"math.{name}", "f32", x, result="i1") for x in (1.0, math.inf, math.nan)] == expected
