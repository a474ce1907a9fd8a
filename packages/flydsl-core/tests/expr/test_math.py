"""Functions of fx.math: one operation each, folded when they are static."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError

UNARY = [
    *("absf", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfc", "exp"),
    *("exp2", "expm1", "floor", "log", "log1p", "log2", "log10", "round", "roundeven", "rsqrt", "sin", "sinh", "sqrt"),
    *("tan", "tanh", "trunc"),
]


@pytest.mark.parametrize("name", UNARY)
def test_a_function_is_one_operation_and_keeps_the_type(emitted, name):
    function = getattr(fx, name)
    for dtype in (fx.Float16, fx.Float32, fx.Float64):
        run = emitted(lambda x, f=function: f(x), dtype)
        assert run.names == [f"math.{name}"]
        assert run.result.dtype is dtype
    assert emitted(lambda x: function(fx.full(4, x, fx.Float32)), fx.Float32).result.shape == (4,)


@pytest.mark.parametrize("name", ["ctlz", "ctpop", "cttz"])
@pytest.mark.parametrize("dtype", [fx.Int8, fx.Uint32, fx.Int64])
def test_counts_of_bits(emitted, name, dtype):
    assert emitted(lambda x: getattr(fx, name)(x), dtype).names == [f"math.{name}"]
    for value in (0, 1, 12, 127):
        bits = f"{value:0{dtype.width}b}"
        count = {"ctlz": len(bits) - len(bits.lstrip("0")), "ctpop": bits.count("1")}
        count["cttz"] = len(bits) - len(bits.rstrip("0"))
        result = getattr(fx, name)(dtype(value))
        assert (type(result), result.value) == (dtype, count[name])


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        *(("round", 2.5, 3.0), ("round", -2.5, -3.0), ("round", 0.49999999999999994, 0.0), ("roundeven", 2.5, 2.0)),
        *(("trunc", -2.7, -2.0), ("trunc", math.inf, math.inf), ("ceil", -0.5, -0.0), ("floor", -0.0, -0.0)),
    ],
)
def test_static_roundings_are_those_of_the_device(name, value, expected):
    result = getattr(fx, name)(fx.Float64(value)).value
    assert (result, math.copysign(1, result)) == (expected, math.copysign(1, expected))


def test_static_classes_of_numbers():
    values = [0.0, 1e-40, 1.5, math.inf, -math.inf, math.nan]
    expected = {
        "isnan": [0, 0, 0, 0, 0, 1],
        "isinf": [0, 0, 0, 1, 1, 0],
        "isfinite": [1, 1, 1, 0, 0, 0],
        "isnormal": [0, 0, 1, 0, 0, 0],
    }
    for name, answers in expected.items():
        assert [bool(getattr(fx, name)(fx.Float32(x))) for x in values] == [bool(a) for a in answers]


def test_no_flag_makes_an_answer_about_nan_up(emitted):
    def use(x):
        with fx.fastmath("fast"):
            return fx.isnan(x), fx.isinf(x), fx.isfinite(x), fx.isnormal(x, fastmath="nnan")

    assert "fast>" not in "".join(emitted(use, fx.Float32).ops)
    assert "nnan" not in "".join(emitted(use, fx.Float32).ops)


def test_sincos_is_both(emitted):
    run = emitted(lambda x: fx.sincos(x), fx.Float32)
    assert run.names == ["math.sin", "math.cos"]
    sine, cosine = fx.sincos(fx.Float64(0.5))
    assert (sine.value, cosine.value) == (math.sin(0.5), math.cos(0.5))


def test_clampf_keeps_nan(emitted):
    assert emitted(lambda x: fx.clampf(x, 0.0, 1.0), fx.Float32).names == ["arith.maximumf", "arith.minimumf"]
    assert [fx.clampf(x, 0.0, 1.0).value for x in (-2.0, 0.25, 7.0)] == [0.0, 0.25, 1.0]
    assert math.isnan(fx.clampf(math.nan, 0.0, 1.0).value)


def test_integer_powers(emitted):
    assert fx.ipowi(fx.Int32(3), 5).value == 243
    assert emitted(lambda x, n: fx.ipowi(x, n), fx.Int64, fx.Int32).names == ["arith.extsi", "math.ipowi"]
    assert emitted(lambda x, n: x**n, fx.Int32, fx.Int32).names == ["math.ipowi"]
    assert emitted(lambda x, n: fx.fpowi(x, n), fx.Float16, fx.Int64).names == ["arith.trunci", "math.fpowi"]
    assert emitted(lambda x: x**3, fx.Int32).names == ["arith.muli", "arith.muli"]


def test_static_arguments_are_evaluated_and_rounded():
    assert fx.exp(fx.Float32(1.0)).value == float(np.float32(math.e))
    assert fx.sqrt(fx.Float64(2.0)).value == math.sqrt(2.0)
    assert fx.floor(2.7).value == 2.0


@pytest.mark.parametrize("name, argument", [("log", 0.0), ("sqrt", -1.0), ("exp", 1e6), ("rsqrt", 0.0)])
def test_where_python_has_no_result_the_device_computes_it(emitted, name, argument):
    assert emitted(lambda: getattr(fx, name)(fx.Float32(argument))).names == [f"math.{name}"]


def test_operands_are_promoted_together(emitted):
    assert emitted(lambda x, y: fx.fma(x, y, 1.0), fx.Float16, fx.Float64).result.dtype is fx.Float64
    assert emitted(lambda x: 2.0**x, fx.Float64).result.dtype is fx.Float64
    assert emitted(lambda x: fx.max(x, 3, 2.5), fx.Int32).result.dtype is fx.Float32
    assert emitted(lambda x, y: fx.min(x, y), fx.Int32, fx.Uint32).names == ["arith.minui"]
    assert emitted(lambda x: fx.atan2(x, 1.0), fx.Float32).names == ["math.atan2"]
    assert fx.copysign(3.0, -0.0).value == -3.0


def test_integers_are_converted_where_floats_are_needed(emitted):
    assert emitted(lambda x: fx.sin(x), fx.Int32).names == ["arith.sitofp", "math.sin"]
    assert emitted(lambda x: fx.powf(x, 0.5), fx.Int64).result.dtype is fx.Float64
    assert fx.sqrt(fx.Int64(4)).dtype is fx.Float64


def test_an_extreme_needs_operands():
    with pytest.raises(FrontendError, match="at least one operand"):
        fx.max()


def test_wrong_arguments_are_named(emitted):
    def use(x, n):
        with pytest.raises(FrontendError, match="ctpop needs integers, found Float32"):
            fx.ctpop(x)
        with pytest.raises(FrontendError, match="exp has no argument 'fast'"):
            fx.exp(x, fast=True)
        with pytest.raises(FrontendError, match="Index; convert"):
            fx.ctlz(fx.Index(n))
        with pytest.raises(FrontendError, match="fma needs vectors of one shape"):
            fx.fma(fx.full(2, x, fx.Float32), fx.full(3, x, fx.Float32), x)

    emitted(use, fx.Float32, fx.Int32)
