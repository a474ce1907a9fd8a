"""Reductions over waves by shuffles, which CDNA does within registers, on simulated GPUs against NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench

CDNA = ("gfx90a", "gfx942", "gfx950")
CHIPS = [*CDNA, "gfx1100", "gfx1201", "gfx1250"]
BLOCK, WAVE = 128, 64


def fast_add(a: Any, b: Any) -> Any:
    with fx.fastmath("reassoc"):
        return a + b


def maxnum(a: Any, b: Any) -> Any:
    return fx.maxnumf(a, b, fastmath=fx.FastMathFlags.nnan)


Combine = Callable[[Any, Any], Any]
COMBINATIONS: dict[str, tuple[Combine, Any, str]] = {
    "max": (fx.max, np.maximum, "float32"),
    "min": (fx.min, np.minimum, "float32"),
    "maxnumf": (maxnum, np.maximum, "float32"),
    "maxnumf of any": (fx.maxnumf, np.fmax, "float32"),
    "sum": (fast_add, np.add, "float32"),
    "exact sum": (lambda a, b: a + b, np.add, "float32"),
    "max of ints": (fx.max, np.maximum, "int32"),
    "min of unsigned": (fx.min, np.minimum, "uint32"),
    "sum of ints": (lambda a, b: a + b, np.add, "int32"),
    "xor": (lambda a, b: a ^ b, np.bitwise_xor, "int32"),
    "max of f16": (fx.max, np.maximum, "float16"),
    "max of f64": (fx.max, np.maximum, "float64"),
}


@pytest.fixture(params=CHIPS)
def chip(request: pytest.FixtureRequest, hipsim: HipsimBench) -> str:
    hipsim.use(request.param)
    return str(request.param)


def butterfly(value: Any, combine: Combine, width: int, offsets: Any = None) -> Any:
    for offset in offsets or [width >> step for step in range(1, width.bit_length())]:
        value = combine(value, fx.shuffle_xor(value, offset, width))
    return value


def reducing(combine: Combine, width: int, block: int = BLOCK, offsets: Any = None) -> Any:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        index = fx.block_idx.x * block + fx.thread_idx.x
        y[index] = butterfly(x[index], combine, width, offsets)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=x.shape[0] // block, block=block)

    return host


def numbers(rng: np.random.Generator, dtype: str, count: int) -> np.ndarray[Any, Any]:
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(count).astype(dtype)
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, count, dtype=dtype, endpoint=True)


def reduced(x: np.ndarray[Any, Any], ufunc: Any, width: int) -> np.ndarray[Any, Any]:
    exact = x.astype(np.float64) if x.dtype.kind == "f" else x
    with np.errstate(over="ignore", invalid="ignore"):
        groups = ufunc.reduce(exact.reshape(-1, width), axis=1, dtype=exact.dtype)
    return np.repeat(groups, width)


def check(function: Any, x: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> None:
    y = np.zeros_like(x)
    function(x, y)
    if x.dtype.kind == "f":
        np.testing.assert_allclose(y, expected, rtol=0, atol=1e-5)
    else:
        np.testing.assert_array_equal(y, expected)


def isa(function: Any, arch: str, dtype: str = "float32") -> str:
    arguments = [np.zeros(2 * BLOCK, dtype) for _ in range(2)]
    found: str = function.trace(*arguments, arch=arch).lower().compile().disassemble()
    return found


@pytest.mark.parametrize("width", [2, 4, 16, 32, 64])
@pytest.mark.parametrize("name", COMBINATIONS)
def test_every_thread_gets_the_result_of_its_group(chip: str, name: str, width: int, rng: np.random.Generator) -> None:
    if width > (64 if chip in CDNA else 32):
        width = 32
    combine, ufunc, dtype = COMBINATIONS[name]
    x = numbers(rng, dtype, 4 * BLOCK)
    check(reducing(combine, width), x, reduced(x, ufunc, width))


@pytest.mark.parametrize("width", [4, 32, 64])
@pytest.mark.parametrize("name", ["max", "min", "maxnumf of any"])
def test_nan_infinity_and_zeros(chip: str, name: str, width: int, rng: np.random.Generator) -> None:
    """A NaN of either sign, or none, in every place of a group, among infinities and zeros of both signs."""
    if width > (64 if chip in CDNA else 32):
        width = 32
    combine, ufunc, dtype = COMBINATIONS[name]
    x = rng.choice(np.array([np.inf, -np.inf, 1, -2, 0], dtype), (2 * width, width))
    x[np.arange(width), np.arange(width)] = rng.choice(np.array([np.nan, -np.nan], dtype), width)
    x[-3:] = np.array([[np.nan], [-np.inf], [-np.nan]], dtype)
    x = np.resize(x, -(-x.size // BLOCK) * BLOCK)
    y = np.zeros_like(x)
    reducing(combine, width)(x, y)
    np.testing.assert_array_equal(y, reduced(x, ufunc, width))


@pytest.mark.parametrize(("name", "negative"), [("max", False), ("min", True)])
def test_zeros_are_ordered_by_sign(chip: str, name: str, negative: bool) -> None:
    x = np.zeros(BLOCK, np.float32)
    x[::2] = -0.0
    y = np.ones_like(x)
    reducing(COMBINATIONS[name][0], 4)(x, y)
    assert (np.signbit(y) == negative).all()
    assert not y.any()


@pytest.mark.parametrize("offsets", [(1, 2, 4, 8, 16, 32), (8, 32, 1, 16, 2, 4)])
@pytest.mark.parametrize("name", ["max", "sum", "exact sum"])
def test_the_order_of_steps_does_not_matter(
    hipsim: HipsimBench, name: str, offsets: tuple[int, ...], rng: np.random.Generator
) -> None:
    hipsim.use("gfx942")
    combine, ufunc, dtype = COMBINATIONS[name]
    x = numbers(rng, dtype, 4 * BLOCK)
    check(reducing(combine, WAVE, offsets=offsets), x, reduced(x, ufunc, WAVE))


def test_waves_that_are_not_full(chip: str, rng: np.random.Generator) -> None:
    """Of 96 threads, the second wave of 64 has 32: its butterfly stays as it is."""
    x = numbers(rng, "float32", 96)
    y = np.zeros_like(x)
    function = reducing(fx.max, 32, 96)
    function(x, y)
    np.testing.assert_array_equal(y, reduced(x, np.maximum, 32))


def conditional(loops: bool) -> Any:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, count: fx.Int32):
        i = fx.thread_idx.x
        if fx.const_expr(loops):
            total = fx.Float32(0)
            for row in range(count):
                total = total + butterfly(x[row * BLOCK + i], fx.max, 64)
            y[i] = total
        else:
            if i % 64 < count:
                y[i] = butterfly(x[i], fx.max, 64)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, count: fx.Int32):
        kernel(x, y, count).launch(grid=1, block=BLOCK)

    return host


@pytest.mark.parametrize("arch", CDNA)
def test_in_loops_that_all_threads_run(hipsim: HipsimBench, arch: str, rng: np.random.Generator) -> None:
    hipsim.use(arch)
    x, y = numbers(rng, "float32", 3 * BLOCK), np.zeros(BLOCK, np.float32)
    conditional(True)(x, y, 3)
    expected = reduced(x, np.maximum, 64).reshape(3, BLOCK).sum(0)
    np.testing.assert_allclose(y, expected, rtol=1e-6)


@pytest.mark.parametrize("arch", CDNA)
def test_where_threads_are_missing(hipsim: HipsimBench, arch: str, rng: np.random.Generator) -> None:
    """Threads that are there read 0 from those that are not."""
    hipsim.use(arch)
    x, y = numbers(rng, "float32", BLOCK), np.zeros(BLOCK, np.float32)
    conditional(False)(x, y, 64)
    np.testing.assert_array_equal(y, reduced(x, np.maximum, 64))
    y[:] = 7
    conditional(False)(-np.abs(x), y, 1)
    np.testing.assert_array_equal(y, np.where(np.arange(BLOCK) % 64 == 0, 0, 7))


@pytest.mark.parametrize("arch", CDNA)
@pytest.mark.parametrize(
    "name", ["max", "min", "maxnumf", "maxnumf of any", "sum", "max of ints", "min of unsigned", "sum of ints", "xor"]
)
def test_a_wave_is_reduced_in_registers(arch: str, name: str) -> None:
    combine, _, dtype = COMBINATIONS[name]
    code = isa(reducing(combine, WAVE), arch, dtype)
    assert "ds_" not in code
    assert len(re.findall(r"^\s+v_\w+_dpp", code, re.MULTILINE)) == 6
    assert len(re.findall(r"^\s+v_mov_b32_dpp", code, re.MULTILINE)) == 0
    assert code.count("v_readlane_b32") == 1
    assert len(re.findall("v_cmp_[uo]_f32", code)) == (1 if name in ("max", "min", "maxnumf of any") else 0)


@pytest.mark.parametrize("arch", CDNA)
def test_four_threads_vote_on_nan(arch: str) -> None:
    code = isa(reducing(fx.max, 4), arch)
    assert len(re.findall(r"^\s+v_max_f32_dpp", code, re.MULTILINE)) == 2
    assert code.count("s_wqm_b64") == 1


@pytest.mark.parametrize("arch", CDNA)
def test_what_order_or_missing_threads_matter_to_stays(arch: str) -> None:
    assert "v_readlane" not in isa(reducing(COMBINATIONS["exact sum"][0], WAVE), arch)
    assert "v_readlane" not in isa(reducing(fx.max, WAVE, 96), arch)
    arguments = [np.zeros(BLOCK, np.float32), np.zeros(BLOCK, np.float32), 3]
    code = conditional(False).trace(*arguments, arch=arch).lower().compile().disassemble()
    assert "v_readlane" not in code
    code = conditional(True).trace(*arguments, arch=arch).lower().compile().disassemble()
    assert "v_readlane" in code
    assert "ds_" not in code
