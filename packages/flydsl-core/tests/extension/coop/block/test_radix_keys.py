"""Numbers as unsigned integers of the same order."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.extension.coop.block.radix_keys import from_bits, to_bits, unsigned_of

VALUES: dict[Any, list[Any]] = {
    fx.Uint8: [0, 1, 200, 255],
    fx.Int16: [-32768, -5, 0, 7, 32767],
    fx.Int64: [-(1 << 63), -1, 0, 1 << 40],
    fx.Float32: [float("-inf"), -2.5, -0.0, 0.0, 1e-40, 3.0, float("inf")],
}


@pytest.mark.parametrize("dtype", VALUES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("descending", [False, True])
def test_bits_have_the_order_of_the_keys(computed: Any, dtype: Any, descending: bool) -> None:
    bits = computed(lambda key: to_bits(key, descending=descending), dtype)
    found = [bits(value) for value in VALUES[dtype]]
    assert found == sorted(found, reverse=descending)
    assert len(set(found)) == len(found)
    back = computed(lambda key: from_bits(to_bits(key, descending=descending), dtype, descending=descending), dtype)
    assert list(map(repr, map(back, VALUES[dtype]))) == list(map(repr, VALUES[dtype])) or dtype is fx.Float32


def wrapped(bits: int, width: int) -> int:
    """Bits as the number that the interpreter has for them."""
    return bits - (bits >> width - 1 << width)


NARROW = {
    fx.Float8E5M2: ml_dtypes.float8_e5m2,
    fx.Float8E4M3FN: ml_dtypes.float8_e4m3fn,
    fx.Float8E4M3: ml_dtypes.float8_e4m3,
    fx.Float8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
    fx.Float8E4M3B11FNUZ: ml_dtypes.float8_e4m3b11fnuz,
    fx.Float8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
    fx.Float8E8M0FNU: ml_dtypes.float8_e8m0fnu,
}


@pytest.mark.parametrize("dtype", NARROW, ids=lambda dtype: dtype.__name__)
def test_all_bits_of_narrow_floats_are_in_order_with_nans_last(computed: Any, dtype: Any) -> None:
    ordered = computed(lambda bits: to_bits(bits.bitcast(dtype), descending=False), fx.Uint8)
    back = computed(lambda bits: from_bits(bits, dtype, descending=False).bitcast(fx.Uint8), fx.Uint8)
    keys = [int(ordered(wrapped(bits, 8))) & 255 for bits in range(256)]
    values = np.arange(256, dtype=np.uint8).view(NARROW[dtype]).astype(np.float64)
    order = np.argsort(keys, kind="stable")
    nans = int(np.isnan(values).sum())
    assert np.isnan(values[order[256 - nans :]]).all()
    assert (np.diff(values[order[: 256 - nans]]) >= 0).all()
    # the interpreter holds narrow floats as numbers, so that all NaNs have the same bits there
    returned = np.array([int(back(wrapped(key, 8))) & 255 for key in keys], np.uint8)
    assert (np.isnan(values) | (returned == np.arange(256))).all()
    assert np.isnan(returned.view(NARROW[dtype]).astype(np.float64)[np.isnan(values)]).all()


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [
        (fx.Float16, [0xFC00, 0x8000, 0, 1, 0x7C00, 0x7C01, 0x7FFF, 0xFFFF, 0xFE00, 0xFC01]),
        (fx.BFloat16, [0xFF80, 0x8000, 0, 1, 0x7F80, 0x7F81, 0xFFFF, 0xFFC0]),
        (fx.Float32, [0xFF800000, 0x80000000, 0, 0x7F800000, 0x7FC00000, 0xFFFFFFFF, 0xFFC00000]),
        (fx.Float64, [0xFFF << 52, 1 << 63, 0, 0x7FF << 52, 0x7FF8 << 48, (1 << 64) - 1, 0xFFF8 << 48]),
    ],
    ids=["f16", "bf16", "f32", "f64"],
)
def test_nans_of_either_sign_are_behind_infinity(computed: Any, dtype: Any, bits: list[int]) -> None:
    unsigned = unsigned_of(dtype)
    mask = (1 << dtype.width) - 1
    ordered = computed(lambda given: to_bits(given.bitcast(dtype), descending=False), unsigned)
    back = computed(lambda given: from_bits(given, dtype, descending=False).bitcast(unsigned), unsigned)
    keys = [int(ordered(wrapped(one, dtype.width))) & mask for one in bits]
    infinity = next(i for i, one in enumerate(bits) if one in (0x7C00, 0x7F80, 0x7F800000, 0x7FF << 52))
    assert keys[: infinity + 1] == sorted(keys[: infinity + 1])
    assert min(keys[infinity + 1 :]) > keys[infinity]
    numbers = slice(None) if dtype.width > 16 else slice(infinity + 1)  # narrow NaNs have one form in the interpreter
    assert [int(back(wrapped(key, dtype.width))) & mask for key in keys[numbers]] == bits[numbers]


def test_other_types_have_no_digits() -> None:
    assert unsigned_of(fx.Float64) is fx.Uint64
    for dtype in (fx.Boolean, fx.Int128, int):
        with pytest.raises(TypeError, match="keys are numbers of 8, 16, 32 or 64 bits"):
            unsigned_of(dtype)
