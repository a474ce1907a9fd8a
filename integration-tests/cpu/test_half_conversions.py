"""Conversions between halves and wider floats on processors that lack them and on this one, against NumPy.

The launcher never uses more than the architecture's baseline, so it converts by functions of its own.
"""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_cpu.target import host_arch

ARCHS = sorted({host_arch(), "x86-64-v2"}) if host_arch().startswith("x86") else [host_arch()]
THREADS = 256


@pytest.fixture(params=ARCHS)
def arch(request, monkeypatch):
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", request.param)
    return request.param


@flyc.kernel
def convert_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.block_idx.x * THREADS + fx.thread_idx.x
    y[i] = x[i]


@flyc.jit
def convert(x: fx.Tensor, y: fx.Tensor, blocks: fx.Int32):
    convert_kernel(x, y).launch(grid=blocks, block=THREADS)


def converted(x: np.ndarray, dtype: str) -> np.ndarray:
    padded = np.zeros(-(-x.size // THREADS) * THREADS, x.dtype)
    padded[: x.size] = x
    y = np.zeros(padded.size, dtype)
    convert(padded, y, padded.size // THREADS)
    return y[: x.size]


def all_halves() -> np.ndarray:
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    """Equal bits, other than those of NaNs."""
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), nan)
    bits = f"u{expected.itemsize}"
    np.testing.assert_array_equal(found[~nan].view(bits), expected[~nan].view(bits))


def rounding_cases(dtype: str) -> np.ndarray:
    """All halves, the middles between neighbours, what lies next to those, and random bits."""
    halves = all_halves()
    finite = np.sort(halves[np.isfinite(halves)].astype(np.float64))
    finite = np.append(finite, 65536.0)
    middles = ((finite[1:] + finite[:-1]) / 2).astype(dtype)
    infinity = np.array(np.inf, dtype)
    rng = np.random.default_rng(3)
    bits = np.frombuffer(rng.bytes(50_000 * np.dtype(dtype).itemsize), dtype)
    signs = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38], dtype)
    near = [np.nextafter(middles, infinity), np.nextafter(middles, -infinity)]
    with np.errstate(invalid="ignore"):
        return np.concatenate([halves.astype(dtype), middles, -middles, *near, bits, signs])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_half_is_widened_exactly(arch, dtype):
    with np.errstate(invalid="ignore"):
        assert_same(converted(all_halves(), dtype), all_halves().astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_halves_are_rounded_once_to_nearest_even(arch, dtype):
    x = rounding_cases(dtype)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        assert_same(converted(x, "float16"), x.astype(np.float16))


@flyc.kernel
def store_kernel(y: fx.Tensor, half, single, bfloat, product, narrow, narrow_bfloat):
    y[0], y[1], y[2] = half, single, bfloat
    y[3], y[4], y[5] = product, narrow, narrow_bfloat


@flyc.jit
def host_arithmetic(y: fx.Tensor, a: fx.Float16, b: fx.BFloat16, c: fx.Float32, d: fx.Float64):
    single, product = a.to(fx.Float32) + c, a * c.to(fx.Float16)
    store_kernel(y, a + a, single, b * b, product, d.to(fx.Float16), d.to(fx.BFloat16)).launch(grid=1, block=1)


def bfloat(value: float) -> float:
    """`value`, a double, rounded once to bfloat16; within its normal range."""
    mantissa, exponent = np.frexp(value)
    return float(np.ldexp(np.rint(mantissa * 256) / 256, exponent))


@pytest.mark.parametrize(
    ("a", "b", "c", "d"),
    [
        (1.5, 1.0078125, 0.1, 0.1),
        (-0.25, 3.140625, 1e-6, 1 + 2.0**-11 + 2.0**-40),
        (6e-8, -2.0, 3.0, 1 + 2.0**-8 + 2.0**-40),
        (60000.0, 1e10, 2.0, -1e5),
    ],
)
def test_the_host_function_computes_with_halves(arch, a, b, c, d):
    y = np.zeros(6)
    host_arithmetic(y, a, b, c, d)
    half, b = np.float16(a), bfloat(b)
    with np.errstate(over="ignore"):
        expected = [half + half, np.float32(half) + np.float32(c), bfloat(b * b)]
        expected += [half * np.float16(np.float32(c)), np.float16(d), bfloat(d)]
    np.testing.assert_array_equal(y, np.array([float(value) for value in expected]))


@flyc.kernel
def fma_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, d: fx.Tensor):
    i = fx.thread_idx.x
    d[i] = fx.math.fma(a[i], b[i], c[i])


@flyc.jit
def fma(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, d: fx.Tensor):
    fma_kernel(a, b, c, d).launch(grid=1, block=THREADS)


def test_a_fused_product_of_halves_rounds_once(arch):
    rng = np.random.default_rng(11)
    a, b, c = (rng.standard_normal(THREADS).astype(np.float16) for _ in range(3))
    d = np.zeros_like(a)
    fma(a, b, c, d)
    exact = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
    np.testing.assert_array_equal(d, exact.astype(np.float16))
