"""Math functions against NumPy in extended precision."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.ir.math_functions import MATH_FUNCTIONS
from flydsl.testing.suite import math_tables

REFERENCES = {
    "absf": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": np.vectorize(math.erf, otypes=[float]),
    "erfc": np.vectorize(math.erfc, otypes=[float]),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "roundeven": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}
PAGE = Path(__file__).resolve().parents[2] / "docs/reference/math.md"
ULPS = {name: float(bound) for name, bound in re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", PAGE.read_text(), re.MULTILINE)}
"""What the page promises for f32."""
N, THREADS = 16384, 1024
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, -0.5, 1e-40, -1e-45, 3.4e38, -3.4e38, 6e4, 1e22]


@flyc.kernel
def functions_kernel(x: fx.Tensor, y: fx.Tensor, names: fx.Constexpr[tuple]):
    i = fx.block_idx.x * THREADS + fx.thread_idx.x
    for index, name in enumerate(names):
        y[index, i] = getattr(fx.math, name)(x[index, i])


@flyc.jit
def functions(x: fx.Tensor, y: fx.Tensor, names: fx.Constexpr[tuple]):
    functions_kernel(x, y, names).launch(grid=N // THREADS, block=THREADS)


def arguments(dtype) -> np.ndarray:
    """For every function a dense range, special numbers, and numbers of every magnitude."""
    rows, rng = [], np.random.default_rng(4)
    for name in REFERENCES:
        dense = np.linspace(*MATH_FUNCTIONS[name].domain, N // 2)
        any_size = np.ldexp(rng.uniform(-1, 1, N // 2 - len(SPECIAL)), rng.integers(-140, 128, N // 2 - len(SPECIAL)))
        rows.append(np.concatenate([dense, SPECIAL, any_size]))
    with np.errstate(over="ignore"):
        return np.stack(rows).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_functions_are_within_a_few_units_in_the_last_place(dtype):
    x = arguments(dtype)
    y = np.zeros_like(x)
    functions(x, y, tuple(REFERENCES))
    for row, argument, (name, reference) in zip(y, x, REFERENCES.items(), strict=True):
        wide = np.longdouble if not name.startswith("erf") else np.float64
        with np.errstate(all="ignore"):
            expected = reference(argument.astype(wide))
            rounded = expected.astype(dtype)
        finite = np.isfinite(rounded)
        np.testing.assert_array_equal(row[~finite], rounded[~finite], err_msg=name)
        zero = rounded == 0
        np.testing.assert_array_equal(np.signbit(row[zero]), np.signbit(rounded[zero]), err_msg=name)
        ulps = np.abs(row[finite] - expected[finite]) / np.spacing(np.abs(rounded[finite])).astype(wide)
        bound = {np.float16: 1.5, np.float32: ULPS[name], np.float64: 4.0}[dtype]  # f64: the C library's
        assert ulps.max() <= bound, name


def test_the_page_has_every_function_with_an_error():
    assert set(ULPS) == set(REFERENCES)


def test_tangents_and_large_angles(target):
    """Reduced with as many digits of pi as there are: an f32 as large as 3e38 is a precise angle."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.block_idx.x * THREADS + fx.thread_idx.x
        sine, cosine = fx.sincos(x[i])
        y[0, i], y[1, i], y[2, i] = sine, cosine, fx.tan(x[i])

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=N // THREADS, block=THREADS)

    rng = np.random.default_rng(11)
    x = np.ldexp(rng.uniform(-1, 1, N), rng.integers(-20, 128, N)).astype(np.float32)
    y = np.zeros((3, N), np.float32)
    host(x, y)
    for row, reference in zip(y, (np.sin, np.cos, np.tan), strict=True):
        expected = reference(x.astype(np.longdouble))
        ulps = np.abs(row - expected) / np.spacing(np.abs(expected).astype(np.float32))
        assert ulps.max() <= (1.1 if target.libm else ULPS[reference.__name__]), reference


PAIRS = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1,
    -1,
    1e-40,
    3.4e38,
    -3.4e38,
    0.5,
    -0.5,
    2,
    -2,
    3,
    -3,
    1.5,
    1e9,
    -16777215,
]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_powers_and_angles_of_every_pair_of_special_numbers(dtype):
    @flyc.kernel
    def kernel(a: fx.Tensor, b: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[0, i], y[1, i], y[2, i] = fx.powf(a[i], b[i]), fx.atan2(a[i], b[i]), fx.copysign(a[i], b[i])
        y[3, i] = fx.fpowi(a[i], fx.Int32(3) - i % 7)

    @flyc.jit
    def host(a: fx.Tensor, b: fx.Tensor, y: fx.Tensor):
        kernel(a, b, y).launch(grid=1, block=len(PAIRS) ** 2)

    with np.errstate(all="ignore"):
        a, b = (grid.ravel() for grid in np.meshgrid(np.array(PAIRS).astype(dtype), np.array(PAIRS).astype(dtype)))
        y = np.zeros((4, a.size), dtype)
        host(a.copy(), b.copy(), y)
        whole = 3 - np.arange(a.size) % 7
        wide = a.astype(np.longdouble), b.astype(np.longdouble)
        expected = [np.power(*wide), np.arctan2(*wide), np.copysign(*wide), np.power(wide[0], whole)]
        for row, reference in zip(y, expected, strict=True):
            rounded = reference.astype(dtype)
            np.testing.assert_allclose(row, rounded, rtol=2 * np.finfo(dtype).eps)
            known = ~np.isnan(rounded)
            np.testing.assert_array_equal(np.signbit(row[known]), np.signbit(rounded[known]))


def test_powers_round_once():
    @flyc.kernel
    def kernel(a: fx.Tensor, b: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        i = fx.block_idx.x * THREADS + fx.thread_idx.x
        y[0, i], y[1, i] = fx.powf(a[i], b[i]), fx.fpowi(a[i], n[i])

    @flyc.jit
    def host(a: fx.Tensor, b: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        kernel(a, b, n, y).launch(grid=N // THREADS, block=THREADS)

    rng = np.random.default_rng(2)
    a = np.exp(rng.standard_normal(N) * 3).astype(np.float32)
    b, n = (rng.standard_normal(N) * 8).astype(np.float32), rng.integers(-30, 30, N).astype(np.int32)
    y = np.zeros((2, N), np.float32)
    host(a, b, n, y)
    wide = a.astype(np.longdouble)
    with np.errstate(over="ignore"):
        for row, expected in zip(y, (wide ** b.astype(np.longdouble), wide ** n.astype(np.longdouble)), strict=True):
            finite = np.isfinite(expected.astype(np.float32))
            spacing = np.spacing(expected[finite].astype(np.float32))
            assert (np.abs(row[finite] - expected[finite]) / spacing).max() < 0.501
            assert np.isinf(row[~finite]).all()


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint16])
def test_integers_bit_by_bit(dtype):
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        for row, function in enumerate((fx.ctlz, fx.cttz, fx.ctpop, fx.absi)):
            y[row, i] = function(x[i])
        y[4, i] = fx.ipowi(x[i], n[i])
        v = fx.Vector.from_elements([x[i], n[i]])
        y[5, i] = fx.ipowi(v, v)[1]

    @flyc.jit
    def host(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        kernel(x, n, y).launch(grid=1, block=300)

    info, rng = np.iinfo(dtype), np.random.default_rng(8)
    x = rng.integers(info.min, info.max, 300, dtype=dtype, endpoint=True)
    x[:8] = [0, 1, 2, 3, 5, info.max, info.min, 7]
    n = rng.integers(0, 100, 300).astype(dtype)
    y = np.zeros((6, 300), dtype)
    host(x, n, y)
    width = info.bits
    bits = [int(v) % 2**width for v in x]
    np.testing.assert_array_equal(y[0], [width - b.bit_length() for b in bits])
    np.testing.assert_array_equal(y[1], [(b & -b).bit_length() - 1 if b else width for b in bits])
    np.testing.assert_array_equal(y[2], [b.bit_count() for b in bits])
    np.testing.assert_array_equal(y[3], np.abs(x))
    power = [pow(int(a), int(b), 2**width) for a, b in zip(x, n, strict=True)]
    np.testing.assert_array_equal(y[4].astype(object) % 2**width, np.array(power, object))
    np.testing.assert_array_equal(
        y[5].astype(object) % 2**width, np.array([pow(int(b), int(b), 2**width) for b in n], object)
    )


def test_integers_to_negative_powers():
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = fx.ipowi(x[i], n[i])

    @flyc.jit
    def host(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        kernel(x, n, y).launch(grid=1, block=6)

    x, n = np.array([1, -1, -1, 2, 0, -5], np.int32), np.array([-7, -3, -4, -1, -1, -2], np.int32)
    y = np.full(6, 99, np.int32)
    host(x, n, y)
    np.testing.assert_array_equal(y, [1, -1, 1, 0, 0, 0])


APPROXIMATE = {
    name: (float(bound), float(on_nvidia))
    for bound, name, on_nvidia in re.findall(
        r"^\| (\d+) \| `(\w+)` \| [^|]* \| (\d+) \|", PAGE.read_text(), re.MULTILINE
    )
}
"""What the page promises for f32 with `afn`, elsewhere and on NVIDIA GPUs."""


@pytest.mark.parametrize("name", sorted(APPROXIMATE))
def test_approximate_functions_keep_their_bound(rng, name, target):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.block_idx.x * THREADS + fx.thread_idx.x
        y[i] = getattr(fx, name)(x[i], fastmath="afn")

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=N // THREADS, block=THREADS)

    domain = {"exp": (-87, 88), "exp2": (-125, 127)}.get(name)
    x = rng.uniform(*domain, N) if domain else np.exp(rng.uniform(-87, 88, N))
    if name.startswith("log"):
        x = x[(x < 0.5) | (x > 2)].repeat(2)[:N]
    x = np.resize(x.astype(np.float32), N)
    y = np.full(N, np.nan, np.float32)
    host(x, y)
    exact = REFERENCES[name](x.astype(np.float64))
    assert float((np.abs(y - exact) / np.spacing(np.abs(exact).astype(np.float32))).max()) <= max(
        APPROXIMATE[name][target.name == "cuda"], ULPS[name]
    )


def test_maxima_of_vectors_leave_nan_out_and_minima_are_nan():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        values = fx.Vector.from_elements([x[i, 0], x[i, 1], x[i, 2], x[i, 3]], fx.Float32)
        y[0, i], y[1, i] = values.reduce(fx.ReductionOp.MAX), values.reduce(fx.ReductionOp.MIN)
        y[2, i] = values.reduce(fx.ReductionOp.MAX, fx.Float32(1.5))

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=x.shape[0])

    numbers = (math.nan, -2.5, 1.25, math.inf, -0.75)
    x = np.array(list(itertools.product(numbers, repeat=4)), np.float32)
    y = np.full((3, len(x)), 99, np.float32)
    host(x, y)
    expected = np.fmax.reduce(x, 1), np.minimum.reduce(x, 1), np.fmax(np.fmax.reduce(x, 1), np.float32(1.5))
    np.testing.assert_array_equal(y, expected)


def test_classes_of_floats():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        with fx.fastmath("fast"):
            for row, function in enumerate((fx.isnan, fx.isinf, fx.isfinite, fx.isnormal)):
                y[row, i] = function(x[i])

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=len(SPECIAL))

    for dtype in (np.float16, np.float32, np.float64):
        with np.errstate(over="ignore"):
            x = np.array(SPECIAL).astype(dtype)
        y = np.zeros((4, x.size), bool)
        host(x, y)
        normal = np.isfinite(x) & (np.abs(x) >= np.finfo(dtype).smallest_normal)
        np.testing.assert_array_equal(y, [np.isnan(x), np.isinf(x), np.isfinite(x), normal])


def test_clampf_and_maxnumf_differ_on_nan():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[0, i], y[1, i], y[2, i] = fx.clampf(x[i], -0.5, 0.75), fx.maxnumf(x[i], 0.25), fx.maximumf(x[i], 0.25)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=len(SPECIAL))

    x = np.array(SPECIAL, np.float32)
    y = np.zeros((3, x.size), np.float32)
    host(x, y)
    np.testing.assert_array_equal(y, [np.clip(x, -0.5, 0.75), np.fmax(x, 0.25), np.maximum(x, 0.25)])


def test_functions_of_bfloat16_are_those_of_f32_rounded():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        v = fx.Vector.from_elements([x[i], -x[i]], fx.BFloat16)
        y[0, i] = fx.asinh(v)[1].to(fx.Float32)
        y[1, i] = fx.powf(x[i].to(fx.BFloat16), 3.0).to(fx.Float32)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=200)

    x = (np.linspace(0.1, 9, 200, dtype=np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)
    y = np.zeros((2, 200), np.float32)
    host(x, y)
    np.testing.assert_allclose(y, [np.arcsinh(-x.astype(float)), x.astype(float) ** 3], rtol=2**-8)


JOINT = 509


@flyc.kernel
def joint_kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    i = fx.thread_idx.x
    z[0, i] = fx.fma(x[i], y[i], 0.5)
    z[1, i] = x[i] ** y[i]
    z[2, i] = 2.0 ** x[i]
    v = fx.Vector.from_elements([x[i], y[i]], fx.Float64)
    z[3, i] = fx.sqrt(v).reduce(fx.ReductionOp.ADD)


@flyc.jit
def joint(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    joint_kernel(x, y, z).launch(grid=1, block=JOINT)


def test_functions_of_several_operands_and_of_vectors():
    x, y = np.abs(np.random.default_rng(1).standard_normal((2, JOINT))) + 0.1
    z = np.zeros((4, JOINT))
    joint(x, y, z)
    expected = np.stack([x * y + 0.5, x**y, 2.0**x, np.sqrt(x) + np.sqrt(y)])
    np.testing.assert_allclose(z, expected, rtol=1e-14)


def test_the_conformance_suite_asks_for_what_the_page_promises() -> None:
    assert dict(math_tables.BOUNDS) == ULPS
