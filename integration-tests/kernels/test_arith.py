"""Fast-math flags, rounding modes, comparisons and extremes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 4096
MODES = fx.RoundingMode
TYPES = {"float16": fx.Float16, "float32": fx.Float32, "bfloat16": fx.BFloat16}
PRECISION = {"float16": (11, -14, 65504.0), "float32": (24, -126, float(np.finfo(np.float32).max))}
PRECISION["bfloat16"] = (8, -126, (2 - 2.0**-7) * 2.0**127)


def host(kernel, grid: int = 1, block: int = N // 4):
    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=grid, block=block)

    return launch


def rounded(x: np.ndarray, name: str, mode: fx.RoundingMode) -> np.ndarray:
    """What IEEE 754 says, in extended precision."""
    precision, smallest, largest = PRECISION[name]
    wide = x.astype(np.longdouble)
    _, exponent = np.frexp(wide)
    unit = np.ldexp(np.longdouble(1), np.maximum(exponent - 1, smallest) - precision + 1)
    scaled = wide / unit
    away = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)
    whole = {0: np.rint(scaled), 1: np.floor(scaled), 2: np.ceil(scaled), 3: np.trunc(scaled), 4: away}[int(mode)]
    result = whole * unit
    inward = {0: False, 1: x > 0, 2: x < 0, 3: True, 4: False}[int(mode)]
    over = np.where(inward, largest, np.inf)
    result = np.where(np.abs(result) > largest, np.copysign(over, x), np.copysign(result, x))
    return np.where(np.isfinite(x), result, x)


def numbers(source: type, wanted: str) -> np.ndarray:
    """Numbers of every magnitude, half-way cases, neighbours of powers of two, and special ones."""
    rng = np.random.default_rng(6)
    low = -30 if wanted == "float16" else -152
    high = 18 if wanted == "float16" else 129
    x = np.ldexp(rng.uniform(-2, 2, N), rng.integers(low, high, N))
    precision = PRECISION[wanted][0]
    half = np.ldexp(rng.integers(2**precision, 2 ** (precision + 1), 1000).astype(float), rng.integers(low, high, 1000))
    x[:1000] = np.ldexp(half, -precision) * rng.choice([-1, 1], 1000)
    x[1000:1012] = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        65504,
        65519.9,
        65520,
        -65536,
        1e-8,
        3.4028235e38,
        -3.4028236e38,
    ]
    with np.errstate(over="ignore"):
        return x.astype(source)


@pytest.mark.parametrize("mode", list(MODES))
@pytest.mark.parametrize(("source", "wanted"), [
    (np.float32, "float16"), (np.float64, "float32"), (np.float64, "float16"), (np.float32, "bfloat16"),
])  # fmt: skip
def test_conversions_round_as_ieee_754_says(source, wanted, mode):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        first = (fx.block_idx.x * (N // 4) + fx.thread_idx.x) * 2
        y[first] = x[first].to(TYPES[wanted], rounding_mode=mode).to(fx.Float64)
        pair = fx.Vector.from_elements([x[first + 1], x[first]]).to(TYPES[wanted], rounding_mode=mode)
        y[first + 1] = pair[0].to(fx.Float64)

    x = numbers(source, wanted)
    y = np.zeros(N, np.float64)
    host(kernel, 2)(x, y)
    expected = rounded(x, wanted, mode).astype(np.float64)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(np.signbit(y[expected == 0]), np.signbit(expected[expected == 0]))


@pytest.mark.parametrize("mode", list(MODES))
def test_integers_round_as_told(mode):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[0, i] = x[i].to(fx.Int32, rounding_mode=mode)
        y[1, i] = fx.Int32(x[i] * 1e6).to(fx.Float32, rounding_mode=mode).bitcast(fx.Int32)

    x = np.linspace(-2000, 2000, N // 4).astype(np.float64).round(1)
    y = np.zeros((2, x.size), np.int32)
    host(kernel)(x, y)
    away = np.copysign(np.floor(np.abs(x) + 0.5), x)
    expected = [np.rint(x), np.floor(x), np.ceil(x), np.trunc(x), away][int(mode)]
    np.testing.assert_array_equal(y[0], expected)
    floats = rounded((x * 1e6).astype(np.int32).astype(np.float64), "float32", mode).astype(np.float32)
    np.testing.assert_array_equal(y[1].view(np.float32), floats)


def test_contract_rounds_a_product_and_a_sum_once():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[0, i] = x[i] * x[i] - 1.0
        with fx.fastmath(fx.FastMathFlags.contract):
            y[1, i] = x[i] * x[i] - 1.0
        y[2, i] = fx.fma(x[i], x[i], -1.0)

    x = (1 + np.random.default_rng(3).uniform(-1, 1, N // 4) * 1e-3).astype(np.float32)
    y = np.zeros((3, x.size), np.float32)
    host(kernel)(x, y)
    twice = x * x - np.float32(1)
    np.testing.assert_array_equal(y[0], twice)
    np.testing.assert_array_equal(y[1], y[2])
    assert (y[1] != twice).any()


def test_flags_are_part_of_what_is_compiled():
    def traced(flags):
        @flyc.kernel
        def kernel(x: fx.Tensor, y: fx.Tensor):
            with fx.fastmath(flags):
                y[fx.thread_idx.x] = x[fx.thread_idx.x] * 2.5 + 1.0

        x = np.zeros(N // 4, np.float32)
        return host(kernel).trace(x, x)

    plain, contracted = traced("none"), traced(fx.FastMathFlags.contract)
    assert "fastmath<contract>" in contracted.text
    assert "fastmath<contract>" not in plain.text
    assert plain.lower().compile().key != contracted.lower().compile().key


FLAGS = fx.FastMathFlags.none


@flyc.kernel
def global_flags_kernel(x: fx.Tensor, y: fx.Tensor):
    with fx.fastmath(FLAGS):
        y[fx.thread_idx.x] = x[fx.thread_idx.x] * x[fx.thread_idx.x] - 1.0


def test_changed_flags_are_compiled_anew(monkeypatch):
    launch = host(global_flags_kernel)
    x = np.full(N // 4, 1 + 2.0**-12, np.float32)
    y = np.zeros_like(x)
    launch(x, y)
    np.testing.assert_array_equal(y, x * x - np.float32(1))
    monkeypatch.setitem(globals(), "FLAGS", fx.FastMathFlags.contract)
    launch(x, y)
    assert float(y[0]) == (1 + 2.0**-12) ** 2 - 1


def test_ceildiv_and_shrui_of_dynamic_numbers():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[0, i] = fx.ceildiv(x[i], i % 7 + 1)
        y[1, i] = fx.ceildiv(x[i], -3)
        y[2, i] = fx.shrui(x[i], i % 32)

    x = np.random.default_rng(1).integers(-(10**6), 10**6, N // 4).astype(np.int32)
    y = np.zeros((3, x.size), np.int32)
    host(kernel)(x, y)
    i = np.arange(x.size)
    np.testing.assert_array_equal(y[0], -(-x // (i % 7 + 1)))
    np.testing.assert_array_equal(y[1], -(-x // -3))
    np.testing.assert_array_equal(y[2], (x.view(np.uint32) >> (i % 32).astype(np.uint32)).view(np.int32))


def test_comparisons_by_name():
    integers, floats = ("slt", "ult", "uge", "ne"), ("olt", "ult", "uno", "one", "ueq", "ord")

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        for row, name in enumerate(floats):
            y[row, i] = fx.cmpf(name, x[i], 0.5)
        for row, name in enumerate(integers):
            y[len(floats) + row, i] = fx.cmpi(name, i - 3, 2)

    x = np.array([0.25, 0.5, 0.75, math.nan, math.inf, -math.inf, -0.0], np.float32)
    y = np.zeros((10, x.size), bool)
    host(kernel, block=x.size)(x, y)
    nan, i = np.isnan(x), np.arange(x.size) - 3
    expected = [x < 0.5, (x < 0.5) | nan, nan, (x != 0.5) & ~nan, (x == 0.5) | nan, ~nan]
    u = i.astype(np.uint32)
    np.testing.assert_array_equal(y, [*expected, i < 2, u < 2, u >= 2, i != 2])
