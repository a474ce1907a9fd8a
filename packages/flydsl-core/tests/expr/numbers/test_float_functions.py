"""Float functions of one operand: folded when static as they are computed when dynamic."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.expr.numbers.float_functions import unary

FUNCTIONS = {
    "absf": np.abs, "acos": np.arccos, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan, "atanh": np.arctanh,
    "cbrt": np.cbrt, "ceil": np.ceil, "cos": np.cos, "cosh": np.cosh, "exp": np.exp, "exp2": np.exp2,
    "expm1": np.expm1, "floor": np.floor, "log": np.log, "log1p": np.log1p, "log2": np.log2, "log10": np.log10,
    "roundeven": np.rint, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt,
    "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc,
}  # fmt: skip


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_static_and_dynamic_operands_have_the_values_of_numpy(computed, rng, name):
    call = computed(lambda x: unary(name, x), fx.Float64)
    for x in rng.uniform(0.05, 0.95, 7):
        expected = FUNCTIONS[name](x)
        folded = unary(name, fx.Float64(x))
        assert folded.is_static
        np.testing.assert_allclose([float(folded), call(x)], expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("round", [0.5, 1.5, 2.5, -0.5, -2.4], [1, 2, 3, -1, -2]),
        ("roundeven", [0.5, 1.5, 2.5, -0.5, -2.4], [0, 2, 2, -0.0, -2]),
        ("floor", [0.5, -0.5, -0.0], [0, -1, -0.0]),
        ("ceil", [0.5, -0.5], [1, -0.0]),
        ("trunc", [1.9, -1.9, -0.5], [1, -1, -0.0]),
    ],
)
def test_roundings_keep_the_sign_of_zero(name, values, expected):
    found = [float(unary(name, fx.Float32(value))) for value in values]
    assert [(x, math.copysign(1, x)) for x in found] == [(x, math.copysign(1, x)) for x in expected]


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round", "roundeven"])
def test_roundings_keep_infinities_and_nan(name):
    assert float(unary(name, fx.Float32(float("-inf")))) == -math.inf
    assert math.isnan(float(unary(name, fx.Float32(float("nan")))))


def test_a_folded_value_is_rounded_to_its_type():
    assert float(unary("exp", fx.Float32(1.0))) == float(np.float32(np.exp(1.0)))
    assert unary("exp", fx.Float32(1.0)).dtype is fx.Float32


def test_what_python_cannot_fold_is_left_to_the_target(emitted):
    run = emitted(
        lambda: [unary("sqrt", fx.Float32(-1.0)), unary("log", fx.Float32(0.0)), unary("exp", fx.Float64(1e4))]
    )
    assert run.names == ["math.sqrt", "math.log", "math.exp"]
    assert not any(result.is_static for result in run.result)


def test_vectors_are_one_operation(emitted):
    run = emitted(lambda x: unary("tanh", fx.full(4, x, fx.Float32)), fx.Float32)
    assert run.names[-1] == "math.tanh"
    assert (run.result.dtype, tuple(run.result.shape)) == (fx.Float32, (4,))


def test_fast_math_flags_go_on_the_operation(emitted):
    run = emitted(lambda x: (unary("exp", x), unary("exp", x, fx.FastMathFlags.fast)), fx.Float32)
    plain, fast = run.ops
    assert "fastmath<fast>" in fast
    assert "fastmath<fast>" not in plain


def test_integers_are_converted(emitted):
    assert emitted(lambda x: unary("sin", x), fx.Int32).names == ["arith.sitofp", "math.sin"]
