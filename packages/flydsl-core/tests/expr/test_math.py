from __future__ import annotations

import math

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError

UNARY = ["absf", "ceil", "cos", "erf", "exp", "exp2", "floor", "log", "log2", "log10", "rsqrt", "sin", "sqrt", "tanh"]


@pytest.mark.parametrize("name", UNARY)
def test_a_function_is_one_operation_and_keeps_the_type(emitted, name):
    function = getattr(fx, name)
    for dtype in (fx.Float16, fx.Float32, fx.Float64):
        run = emitted(lambda x, f=function: f(x), dtype)
        assert run.names == [f"math.{name}"]
        assert run.result.dtype is dtype
    assert emitted(lambda x: function(fx.full(4, x, fx.Float32)), fx.Float32).result.shape == (4,)


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
    assert emitted(lambda x: x**3, fx.Int32).names == ["arith.muli", "arith.muli"]


def test_integers_are_refused_where_floats_are_needed(emitted):
    def use(x):
        with pytest.raises(FrontendError, match=r"sin needs floats, found Int32"):
            fx.sin(x)
        with pytest.raises(FrontendError, match="at least one operand"):
            fx.max()

    emitted(use, fx.Int32)
