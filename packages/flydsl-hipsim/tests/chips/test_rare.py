"""Instructions of gfx9 that no compiler selects by itself, against Python of the ISA's text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

LEVELS = pytest.mark.parametrize("level", [0, 2])


def face(x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Number, twice the major axis, and the coordinates on the face."""
    if abs(z) >= abs(x) and abs(z) >= abs(y):
        return 4 + (z < 0), 2 * z, -x if z < 0 else x, -y
    if abs(y) >= abs(x):
        return 2 + (y < 0), 2 * y, x, -z if y < 0 else z
    return float(x < 0), 2 * x, z if x < 0 else -z, -y


@LEVELS
def test_faces_of_a_cube(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found = rng.integers(-3, 4, (64, 3)).astype(np.float32), np.zeros((64, 4), np.float32)
    kernels("rare", level).run("cubes", 1, 64, [a, found])
    np.testing.assert_array_equal(found, np.array([face(*row) for row in a.tolist()], np.float32))


@LEVELS
def test_sums_of_differences_where_the_reference_is_not_zero(
    kernels: Any, level: int, rng: np.random.Generator
) -> None:
    a = rng.integers(0, 256, (64, 8), dtype=np.uint8)
    b = rng.integers(0, 256, (64, 4), dtype=np.uint8) * rng.integers(0, 2, (64, 4), dtype=np.uint8)
    c = rng.integers(0, 2**32, (64, 4), dtype=np.uint32)
    windows = np.stack([a[:, k : k + 4] for k in range(4)], 1).astype(np.int64)
    wide = b.astype(np.int64)[:, None, :]
    expected = c + (np.abs(windows - wide) * (wide != 0)).sum(2).astype(np.uint32)
    kernels("rare", level).run("masked_sums", 1, 64, [a, b, c])
    np.testing.assert_array_equal(c, expected)


@LEVELS
def test_a_float_becomes_one_byte_of_its_destination(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a = (rng.standard_normal(64) * 200).astype(np.float32)
    which = rng.integers(0, 16, 64, dtype=np.uint32)
    c = rng.integers(0, 256, (64, 4), dtype=np.uint8)
    expected = c.copy()
    expected[np.arange(64), which & 3] = np.clip(np.rint(a), 0, 255).astype(np.uint8)
    kernels("rare", level).run("collected", 1, 64, [a, which, c])
    np.testing.assert_array_equal(c, expected)


@LEVELS
def test_a_quotient_of_halves_is_mended_and_its_legacy_form_clears_the_upper_half(kernels: Any, level: int) -> None:
    halves = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, 65504, 1e-7] * 8, np.float16)
    a, b = (np.ascontiguousarray(np.stack([h, h], 1)) for h in (halves, np.repeat(halves[:8], 8)))
    found = np.zeros((64, 2, 2), np.float16)
    kernels("rare", level).run("quotients", 1, 64, [a, b, found])
    for x, y, kept, cleared in zip(a[:, 0], b[:, 0], found[:, 0], found[:, 1], strict=True):
        negative = np.signbit(x) != np.signbit(y)
        size = abs(x)  # the first source is what an approximation gave
        if (x == 0 and y == 0) or (np.isinf(x) and np.isinf(y)):
            size = np.float16(np.nan)
        elif y == 0 or np.isinf(x):
            size = np.float16(np.inf)
        elif np.isinf(y) or x == 0:
            size = np.float16(0)
        np.testing.assert_array_equal([kept[0], cleared[0]], [-size if negative else size] * 2)
        assert (kept.view(np.uint16)[1], cleared.view(np.uint16)[1]) == (0xABCD, 0)


def test_signed_bytes_are_loaded_to_lds_from_memory_and_from_scratch(kernels: Any, rng: np.random.Generator) -> None:
    a, found = rng.integers(-128, 128, 64).astype(np.int8), np.zeros((64, 2), np.int32)
    kernels("rare", 2).run("small_to_lds", 1, 64, [a, found])
    lane = np.arange(64)
    np.testing.assert_array_equal(found[:, 0], a)
    np.testing.assert_array_equal(found[:, 1], a[lane * 7 & 63] ^ lane.astype(np.int8))
