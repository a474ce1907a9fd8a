"""Comparisons, extremes, fast-math flags and rounding modes in what is emitted."""

from __future__ import annotations

import math
import re

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def flags_of(run, name: str) -> list[str]:
    """The fast-math flags of every operation `name`."""
    lines = [line for line in run.ops if f'"{name}"' in line]
    return [re.search(r"#arith\.fastmath<([^>]*)>", line).group(1) for line in lines]


def test_flags_hold_inside_the_statement_only(emitted):
    def use(x):
        y = x + x
        with fx.fastmath(fx.FastMathFlags.contract | fx.FastMathFlags.nsz):
            y = y + x
            with fx.fastmath("afn"):
                y = y + x
            y = y + x
        return y + x

    assert flags_of(emitted(use, fx.Float32), "arith.addf") == ["none", "nsz,contract", "afn", "nsz,contract", "none"]


def test_the_argument_of_a_function_wins(emitted):
    def use(x):
        with fx.fastmath(fx.FastMathFlags.fast):
            return fx.exp(x), fx.exp(x, fastmath=0), fx.exp(x, fastmath="nnan,ninf"), fx.max(x, 1.0, fastmath="nsz")

    run = emitted(use, fx.Float32)
    assert flags_of(run, "math.exp") == ["fast", "none", "nnan,ninf"]
    assert flags_of(run, "arith.maximumf") == ["nsz"]


@pytest.mark.parametrize("operation", ["add", "sub", "mul", "truediv", "neg", "lt", "pow"])
def test_operators_of_floats_take_flags(emitted, operation):
    import operator

    def use(x, y):
        with fx.fastmath("contract"):
            return getattr(operator, operation)(x, *([] if operation == "neg" else [y]))

    assert "#arith.fastmath<contract>" in emitted(use, fx.Float32, fx.Float32).ops[-1]


@pytest.mark.parametrize("operation", ["floordiv", "mod"])
def test_rounded_down_divisions_are_exact_under_any_flags(emitted, operation):
    import operator

    def use(x, y):
        with fx.fastmath("fast"):
            return getattr(operator, operation)(x, y)

    assert "fastmath<fast>" not in "".join(emitted(use, fx.Float32, fx.Float32).ops)


def test_a_loop_leaves_no_flags_behind_when_it_raises(emitted):
    def use(x):
        with pytest.raises(FrontendError), fx.fastmath("fast"):
            fx.ctpop(x)
        return x + x

    assert flags_of(emitted(use, fx.Float32), "arith.addf") == ["none"]


def test_integers_have_no_flags(emitted):
    def use(n):
        with fx.fastmath("fast"):
            return n * n + 1

    assert "fastmath" not in "".join(emitted(use, fx.Int32).ops)


@pytest.mark.parametrize("flags", ["quick", 128, -1, 1.5, True])
def test_other_flags_are_refused(emitted, flags):
    def use(x):
        with pytest.raises(FrontendError, match="fast"), fx.fastmath(flags):
            return None

    emitted(use, fx.Float32)


def test_flags_need_a_trace():
    with pytest.raises(FrontendError, match="no kernel is being traced"), fx.fastmath("fast"):
        pass


def test_ceildiv_rounds_up():
    for a in range(-9, 10):
        for b in (-4, -1, 1, 3, 7):
            assert fx.ceildiv(fx.Int32(a), b).value == math.ceil(a / b)
    assert fx.ceildiv(fx.Uint32(2**32 - 1), fx.Uint32(2)).value == 2**31


def test_comparisons_by_name(emitted):
    assert emitted(lambda a, b: fx.cmpi("ult", a, b), fx.Int32, fx.Int32).result.dtype is fx.Boolean
    assert "predicate = 6" in emitted(lambda a, b: fx.cmpi("ult", a, b), fx.Int32, fx.Int32).ops[-1]
    assert "predicate = 14" in emitted(lambda a, b: fx.cmpf("uno", a, b), fx.Float32, fx.Float32).ops[-1]
    assert "predicate = 4" in emitted(lambda a, b: fx.cmpf(4, a, b), fx.Float32, fx.Float32).ops[-1]
    assert emitted(lambda a: fx.cmpf("olt", fx.full(3, a, fx.Float32), 1.0), fx.Float32).result.shape == (3,)

    def wrong(a):
        with pytest.raises(FrontendError, match="cmpi takes one of eq, ne, .*found 'olt'"):
            fx.cmpi("olt", a, a)

    emitted(wrong, fx.Int32)


def test_extremes_differ_in_what_they_do_with_nan(emitted):
    assert emitted(lambda a, b: fx.maxnumf(a, b), fx.Float32, fx.Float32).names == ["arith.maxnumf"]
    assert emitted(lambda a, b: fx.maximumf(a, b), fx.Float32, fx.Float32).names == ["arith.maximumf"]
    assert fx.maxnumf(math.nan, 2.0).value == fx.maxnumf(2.0, math.nan).value == 2.0
    assert math.isnan(fx.maximumf(math.nan, 2.0).value)
    assert math.isnan(fx.maxnumf(math.nan, math.nan).value)
    assert fx.minimumf(1.0, fx.Float64(-2.0)).value == -2.0


def test_shrui_brings_zeros_in(emitted):
    assert fx.shrui(fx.Int32(-1), 28).value == 15
    assert emitted(lambda a, n: fx.shrui(a, n), fx.Int32, fx.Int32).names == ["arith.shrui"]
    assert "isExact" in emitted(lambda a, n: fx.shrui(a, n, is_exact=True), fx.Int32, fx.Int32).ops[-1]


MODES = fx.RoundingMode
CASES = [
    (1.00048828125, [1.0, 1.0, 1.0009765625, 1.0, 1.0009765625]),  # half way between two f16
    (-1.00048828125, [-1.0, -1.0009765625, -1.0, -1.0, -1.0009765625]),
    (1e-9, [0.0, 0.0, 2.0**-24, 0.0, 0.0]),
    (-1e-9, [-0.0, -(2.0**-24), -0.0, -0.0, -0.0]),
    (65519.0, [65504.0, 65504.0, math.inf, 65504.0, 65504.0]),
    (65520.0, [math.inf, 65504.0, math.inf, 65504.0, math.inf]),
    (-1e9, [-math.inf, -math.inf, -65504.0, -65504.0, -math.inf]),
    (math.inf, [math.inf] * 5),
    (0.5, [0.5] * 5),
]


@pytest.mark.parametrize(("value", "expected"), CASES)
def test_static_conversions_round_as_told(value, expected):
    results = [fx.Float32(value).to(fx.Float16, rounding_mode=mode).value for mode in MODES]
    assert results == expected
    assert [math.copysign(1, x) for x in results] == [math.copysign(1, x) for x in expected]


def test_conversions_to_integers_round_as_told():
    for value in (-2.5, -1.2, 0.5, 1.5, 2.7):
        rounded = [fx.Float32(value).to(fx.Int32, rounding_mode=mode).value for mode in MODES]
        away = math.copysign(math.floor(abs(value) + 0.5), value)
        assert rounded == [round(value), math.floor(value), math.ceil(value), math.trunc(value), int(away)]


def test_exact_conversions_take_every_mode(emitted):
    run = emitted(lambda x: x.to(fx.Float64, rounding_mode=MODES.upward), fx.Float32)
    assert run.names == ["arith.extf"]
    assert emitted(lambda x: x.to(fx.Float64, rounding_mode=1), fx.Int32).names == ["arith.sitofp"]


def test_modes_that_are_not_there_are_refused(emitted):
    def use(x, n):
        with pytest.raises(FrontendError, match="Float16, BFloat16 and Float32"):
            x.to(fx.Float8E5M2, rounding_mode=MODES.upward)
        with pytest.raises(FrontendError, match="rounds to nearest even only"):
            n.to(fx.Float32, rounding_mode=MODES.upward)
        with pytest.raises(FrontendError, match="rounding_mode takes one of"):
            x.to(fx.Float16, rounding_mode="upward")

    emitted(use, fx.Float32, fx.Int64)
