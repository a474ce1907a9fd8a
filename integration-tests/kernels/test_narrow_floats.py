"""Floats of 4 to 8 bits, bit for bit those of ml_dtypes: every code, every half, a net of f32 and f64."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError

BYTES = {
    "float8_e4m3": fx.Float8E4M3,
    "float8_e4m3fn": fx.Float8E4M3FN,
    "float8_e4m3fnuz": fx.Float8E4M3FNUZ,
    "float8_e4m3b11fnuz": fx.Float8E4M3B11FNUZ,
    "float8_e5m2": fx.Float8E5M2,
    "float8_e5m2fnuz": fx.Float8E5M2FNUZ,
    "float8_e8m0fnu": fx.Float8E8M0FNU,
}
"""Those that arrays hold, an element a byte."""
PARTS = {
    "float6_e2m3fn": fx.Float6E2M3FN,
    "float6_e3m2fn": fx.Float6E3M2FN,
    "float4_e2m1fn": fx.Float4E2M1FN,
}
"""Those of less than a byte: in registers."""
ALL = BYTES | PARTS
BLOCK = 256


@flyc.kernel
def convert_kernel(x: fx.Tensor, y: fx.Tensor, through: fx.Constexpr[type]):
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(x)):
        y[i] = x[i].to(through)


@flyc.jit
def convert(x: fx.Tensor, y: fx.Tensor, through: fx.Constexpr[type]):
    convert_kernel(x, y, through).launch(grid=fx.ceil_div(x.shape[0], BLOCK), block=BLOCK)


def singles() -> np.ndarray:
    """Every upper half of an f32 with nothing and with something behind it: all ties and their neighbours."""
    upper = np.arange(1 << 16, dtype=np.uint32) << 16
    lower = np.random.default_rng(0).integers(1, 1 << 16, 1 << 16, dtype=np.uint32)
    return np.concatenate([upper, upper | lower, upper | 1]).view(np.float32)


def halves() -> np.ndarray:
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def brains() -> np.ndarray:
    return np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)


def converted(x: np.ndarray, name: str) -> np.ndarray:
    """What ml_dtypes makes of `x`, as f32; except for two mistakes of version 0.5."""
    with np.errstate(all="ignore"):
        if x.dtype == np.float64:  # it rounds twice, by way of f32
            x = rounded_to_odd(x)
        result = x.astype(getattr(ml_dtypes, name)).astype(np.float32)
    if name == "float8_e8m0fnu":  # just above its least number it goes to the next, which is further away
        x = x.astype(np.float32)
        result[(x >= 2.0**-127) & (x < 1.5 * 2.0**-127)] = 2.0**-127
    return result


def rounded_to_odd(x: np.ndarray) -> np.ndarray:
    """f64 as f32 such that rounding it again is rounding once."""
    single = x.astype(np.float32)
    bits = single.view(np.uint32)
    bits -= (np.abs(single.astype(np.float64)) > np.abs(x)).astype(np.uint32)
    bits |= (single.astype(np.float64) != x).astype(np.uint32) & ~np.isnan(x)
    return bits.view(np.float32)


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    """Equal, with the sign of zeros; NaNs have no sign."""
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("source", [singles, halves, brains], ids=["f32", "f16", "bf16"])
@pytest.mark.parametrize("name", ALL)
def test_numbers_are_narrowed_as_in_ml_dtypes(name, source):
    x = source()
    y = np.zeros(x.size, np.float32)
    convert(x, y, ALL[name])
    assert_same(y, converted(x, name))


@pytest.mark.parametrize("name", ALL)
def test_doubles_are_narrowed_in_one_rounding(name):
    base = singles()[: 1 << 16]
    base = base[np.isfinite(base)].astype(np.float64)
    x = np.concatenate([base, base * (1 + 2.0**-40), base * (1 - 2.0**-40), [np.inf, -np.inf, np.nan, 1e300]])
    y = np.zeros(x.size, np.float32)
    convert(x, y, ALL[name])
    assert_same(y, converted(x, name))


@pytest.mark.parametrize("wide", [fx.Float16, fx.BFloat16, fx.Float32, fx.Float64])
@pytest.mark.parametrize("name", BYTES)
def test_every_code_is_widened_exactly(name, wide):
    x = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, name))
    y = np.zeros(256, np.float64)
    convert(x, y, wide)
    half = {fx.Float16: np.float16, fx.BFloat16: ml_dtypes.bfloat16}.get(wide, np.float64)
    with np.errstate(over="ignore"):  # the largest scales are above the largest half
        assert_same(y, x.astype(np.float64).astype(half).astype(np.float64))


@pytest.mark.parametrize("name", BYTES)
def test_elements_of_a_byte_keep_their_bits(name):
    x = np.arange(256, dtype=np.uint8)
    y = np.zeros_like(x)
    convert(x.view(getattr(ml_dtypes, name)), y.view(getattr(ml_dtypes, name)), BYTES[name])
    np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize("name", BYTES)
def test_narrow_numbers_are_stored_rounded(name):
    x = np.random.default_rng(3).standard_normal(999, dtype=np.float32) * 4
    x = np.abs(x) if name == "float8_e8m0fnu" else x
    y = np.zeros(x.size, getattr(ml_dtypes, name))
    convert(x, y, fx.Float32)
    np.testing.assert_array_equal(y.view(np.uint8), x.astype(y.dtype).view(np.uint8))


@pytest.mark.parametrize("name", [*PARTS, "int4", "uint4", "int2", "float8_e3m4"])
def test_arrays_of_elements_without_a_type_are_refused_by_name(name):
    with pytest.raises(FlyDSLError, match=r"argument 'x': dtype with DLPack code \d+, \d bits .* is not supported"):
        convert(np.zeros(3, getattr(ml_dtypes, name)), np.zeros(3, np.float32), fx.Float32)
