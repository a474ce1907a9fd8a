"""Arithmetic and conversions of clang's kernels, bit for bit what NumPy computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

INTS = {
    "u8": np.uint8,
    "i8": np.int8,
    "u16": np.uint16,
    "i16": np.int16,
    "u32": np.uint32,
    "i32": np.int32,
    "u64": np.uint64,
    "i64": np.int64,
}
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
THREADS = 83
CHIPS = ("gfx942", "gfx1100", "gfx1201", "gfx1250")
LEVELS = pytest.mark.parametrize("level", [0, 1, 2, 3])


def random_ints(dtype: Any, seed: int) -> np.ndarray:
    """Of all magnitudes, with the edges."""
    random, info = np.random.default_rng(seed), np.iinfo(dtype)
    values = random.integers(info.min, info.max, THREADS, dtype=dtype, endpoint=True)
    values >>= random.integers(0, info.bits, THREADS).astype(dtype)
    values[:3] = info.min, info.max, 1
    return values


def random_floats(dtype: Any, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = (random.standard_normal(THREADS) * 10.0 ** random.integers(-3, 4, THREADS)).astype(dtype)
    values[:5] = 0, -0.0, np.inf, 1, -np.inf
    return values


def int_results(x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    dtype, shift = x.dtype, (y & y.dtype.type(7)).astype(x.dtype)
    wide_x, wide_y = x.astype(object), y.astype(object)
    quotient = np.array(
        [abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(wide_x, wide_y, strict=True)], object
    )

    def wrapped(values: np.ndarray) -> np.ndarray:
        mask = (1 << 8 * dtype.itemsize) - 1
        return np.array([int(v) & mask for v in values], np.uint64).astype(f"u{dtype.itemsize}").view(dtype)

    return {
        "add": wrapped(wide_x + wide_y), "sub": wrapped(wide_x - wide_y), "mul": wrapped(wide_x * wide_y),
        "div": wrapped(quotient), "rem": wrapped(wide_x - quotient * wide_y), "shl": x << shift, "shr": x >> shift,
        "mix": (x & y) ^ ~(x | dtype.type(5)), "less": (x < y).astype(dtype), "low": np.minimum(x, y),
    }  # fmt: skip


@LEVELS
@pytest.mark.parametrize("name", INTS)
def test_integer_arithmetic(kernels: Any, level: int, name: str) -> None:
    x, y = random_ints(INTS[name], 1), random_ints(INTS[name], 2)
    y[y == 0] = 3
    if np.iinfo(x.dtype).min < 0:
        y[y == -1] = 2
    for operation, expected in int_results(x, y).items():
        found = np.zeros_like(x)
        kernels("numbers", level).run(f"{operation}_{name}", 1, THREADS, [x, y, found])
        np.testing.assert_array_equal(found, expected, err_msg=operation)


@LEVELS
@pytest.mark.parametrize("name", FLOATS)
def test_float_arithmetic(kernels: Any, level: int, name: str) -> None:
    x, y = random_floats(FLOATS[name], 3), random_floats(FLOATS[name], 4)[::-1].copy()
    with np.errstate(all="ignore"):
        expected = {
            "add": x + y,
            "sub": x - y,
            "mul": x * y,
            "div": x / y,
            "less": (x < y).astype(x.dtype),
            "low": np.where(x < y, x, y),
        }
    for operation, values in expected.items():
        found = np.zeros_like(x)
        kernels("numbers", level).run(f"{operation}_{name}", 1, THREADS, [x, y, found])
        np.testing.assert_array_equal(found, values, err_msg=operation)


@LEVELS
def test_saturation(kernels: Any, level: int) -> None:
    x, y = random_ints(np.uint32, 5), random_ints(np.uint32, 6)
    found = np.zeros((THREADS, 4), np.uint32)
    kernels("numbers", level).run("saturate", 1, THREADS, [x, y, found])
    a, b, sa, sb = (
        x.astype(np.int64),
        y.astype(np.int64),
        x.view(np.int32).astype(np.int64),
        y.view(np.int32).astype(np.int64),
    )
    columns = [
        np.clip(a + b, 0, 2**32 - 1),
        np.clip(a - b, 0, 2**32 - 1),
        np.clip(sa + sb, -(2**31), 2**31 - 1),
        np.clip(sa - sb, -(2**31), 2**31 - 1),
    ]
    np.testing.assert_array_equal(found, np.stack(columns, 1).astype(np.uint32))


@LEVELS
def test_bits(kernels: Any, level: int) -> None:
    x, y = random_ints(np.uint32, 7), random_ints(np.uint64, 8)
    found = np.zeros((THREADS, 9), np.uint32)
    kernels("numbers", level).run("bits", 1, THREADS, [x, y, found])
    for row, a, b in zip(found.tolist(), x.tolist(), y.tolist(), strict=True):
        turn, high = b & 31, b | 1 << 63
        assert row == [
            a.bit_count(), b.bit_count(), 32 - (a | 1).bit_length(), ((a | 1 << 31) & -(a | 1 << 31)).bit_length() - 1,
            int(f"{a:032b}"[::-1], 2), int.from_bytes(a.to_bytes(4, "little"), "big"),
            (a << turn | a >> (32 - turn)) & 0xFFFFFFFF, 64 - (b | 1).bit_length(), (high & -high).bit_length() - 1,
        ]  # fmt: skip


@LEVELS
@pytest.mark.parametrize("name", ["f32", "f64"])
def test_rounding_and_roots(kernels: Any, level: int, name: str) -> None:
    x = random_floats(FLOATS[name], 9)
    x[10:14] = 0.5, 1.5, -2.5, -0.25
    found = np.zeros((THREADS, 7), x.dtype)
    kernels("numbers", level).run(f"rounding_{name}", 1, THREADS, [x, found])
    with np.errstate(all="ignore"):
        wide = x.astype(np.longdouble)
        columns = [
            np.sqrt(x),
            np.floor(x),
            np.ceil(x),
            np.trunc(x),
            np.rint(x),
            (wide * wide + 1.5).astype(x.dtype),
            np.fmin(np.abs(x), 1),
        ]
    np.testing.assert_array_equal(found[:, 1:5], np.stack(columns[1:5], 1))
    np.testing.assert_array_equal(found[:, 6], columns[6])
    np.testing.assert_allclose(found[:, [0, 5]], np.stack([columns[0], columns[5]], 1), rtol=2 * np.finfo(x.dtype).eps)


@LEVELS
def test_exponentials_are_within_their_ulps(kernels: Any, level: int) -> None:
    x = np.abs(random_floats(np.float32, 10))
    x = np.minimum(x, np.float32(80)) + np.float32(1e-3)
    found = np.zeros((THREADS, 3), np.float32)
    kernels("numbers", level).run("transcendental", 1, THREADS, [x, found])
    wide = x.astype(np.float64)
    np.testing.assert_allclose(found, np.stack([np.exp(wide), np.log(wide), np.exp2(wide)], 1), rtol=5e-7)


@LEVELS
def test_denormals_are_kept(kernels: Any, level: int) -> None:
    x = np.arange(1, THREADS + 1, dtype=np.float32) * np.float32(2e-38)
    found = np.zeros_like(x)
    kernels("numbers", level).run("tiny", 1, THREADS, [x, found])
    np.testing.assert_array_equal(found, x * np.float32(0.25))
    assert 0 < found[0] < np.finfo(np.float32).tiny


@LEVELS
@pytest.mark.parametrize(("name", "dtype"), [("packed_f16", np.float16), ("packed_i16", np.int16)])
def test_packed_arithmetic(kernels: Any, level: int, name: str, dtype: Any) -> None:
    random = np.random.default_rng(11)
    x, y = (random.integers(-2000, 2000, (THREADS, 2)).astype(dtype) for _ in range(2))
    if dtype is np.float16:
        x, y = x / dtype(64), y / dtype(64)
    found = np.zeros((THREADS, 4, 2), dtype)
    kernels("numbers", level).run(name, 1, THREADS, [x, y, found])
    np.testing.assert_array_equal(found, np.stack([x + y, x * y, -x[:, ::-1] - y, np.maximum(x, y)], 1))


@LEVELS
@pytest.mark.parametrize("source", [*INTS, *FLOATS])
def test_conversions(kernels: Any, level: int, source: str) -> None:
    types = INTS | FLOATS
    x = random_ints(types[source], 12) if source in INTS else random_floats(types[source], 13)
    for target, dtype in types.items():
        values = x
        if source in FLOATS and target in INTS:  # what does not fit has no defined result
            info = np.iinfo(dtype)
            limit = 30000.0 if info.bits > 8 else 100.0
            values = np.clip(x, 0 if info.min == 0 else -limit, limit).astype(x.dtype)
        with np.errstate(all="ignore"):
            expected = values.astype(dtype)
        found = np.zeros(THREADS, dtype)
        kernels("conversions", level).run(f"{source}_{target}", 1, THREADS, [values, found])
        np.testing.assert_array_equal(found, expected, err_msg=f"{source} to {target}")


@LEVELS
def test_bfloat16(kernels: Any, level: int) -> None:
    x = random_floats(np.float32, 14)
    narrow = np.zeros(THREADS, np.uint16)
    kernels("conversions", level).run("round_bf16", 1, THREADS, [x, narrow])
    bits = x.view(np.uint32).astype(np.uint64)
    np.testing.assert_array_equal(narrow, ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16))
    wide = np.zeros(THREADS, np.float32)
    kernels("conversions", level).run("widen_bf16", 1, THREADS, [narrow, wide])
    np.testing.assert_array_equal(wide.view(np.uint32), narrow.astype(np.uint32) << 16)


@LEVELS
@pytest.mark.parametrize("name", FLOATS)
def test_quotients_of_any_bits_are_correctly_rounded(kernels: Any, level: int, name: str) -> None:
    random, dtype = np.random.default_rng(15), FLOATS[name]
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    x, y = (random.integers(0, np.iinfo(bits).max, 1024 * 8, dtype=bits).view(dtype) for _ in range(2))
    for part in range(8):
        a, b = x[part * 1024 : part * 1024 + 1024], y[part * 1024 : part * 1024 + 1024]
        found = np.zeros_like(a)
        kernels("numbers", level).run(f"div_{name}", 1, 1024, [a, b, found])
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(found, a / b)
