"""Instructions that only RDNA has, by clang's builtins, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

CHIPS = ("gfx1100", "gfx1201", "gfx1100-wave64", "gfx1201-wave64")
LEVELS = pytest.mark.parametrize("level", [0, 2])
OLD = 0xDEAD
LANE = np.arange(64)


def words(rng: np.random.Generator, n: int = 64) -> np.ndarray:
    return rng.integers(0, 2**32, n, dtype=np.uint32)


@LEVELS
def test_values_within_rows_of_lanes(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found = words(rng), np.zeros((64, 9), np.uint32)
    kernels("rdna", level).run("rows", 1, 64, [a, found])
    row, place = LANE & ~15, LANE & 15
    crossed = np.array([8, 9, 10, 11, 12, 13, 14, 15, 15, 14, 13, 12, 11, 10, 9, 8])[place]
    enabled = (LANE // 16 % (kernels.wave // 16) % 2 == 0) & (place > 0)
    odd = LANE % 2 == 1
    columns = [
        a[row + np.where(place < 8, place, 15 - place)], a[(row ^ 16) + crossed], a[LANE ^ 7], a[row + 3],
        a[row + (place ^ 5)], a[LANE ^ 7], np.where(enabled, a[LANE - 1], OLD), np.where(odd, 0, OLD),
        np.where(odd, a[row], OLD),
    ]  # fmt: skip
    compared = slice(9 if level else 8)  # at -O0 a lane that is off holds what was there before
    np.testing.assert_array_equal(found[:, compared], np.stack(columns, 1).astype(np.uint32)[:, compared])


@LEVELS
def test_the_crossbar_of_gfx11_stays_within_32_lanes(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found = words(rng), np.zeros((64, 2), np.uint32)
    kernels("rdna", level).run("permutes", 1, 64, [a, found])
    reach = kernels.wave if kernels.arch.startswith("gfx12") else 32
    lanes = a.reshape(-1, reach)
    pulled, pushed = (np.roll(lanes, shift, axis=1).ravel() for shift in (-40, 40))
    np.testing.assert_array_equal(found, np.stack([pulled, pushed], 1))


@LEVELS
def test_half_floats_in_both_halves_of_registers(kernels: Any, level: int, rng: np.random.Generator) -> None:
    x, y = ((rng.standard_normal((64, 8)) * 4).astype(np.float16) for _ in range(2))
    found = np.zeros_like(x)
    kernels("rdna", level).run("halves", 1, 64, [x, y, found])
    wide = x.astype(np.float64)
    z = (wide * y[:, ::-1] + np.roll(wide, -3, 1)).astype(np.float16)
    np.testing.assert_array_equal(found, np.where(z < y, -z, np.abs(x - z)))


@LEVELS
def test_dot_products_of_either_sign(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, b, found = words(rng), words(rng), np.zeros((64, 5), np.int32)
    kernels("rdna", level).run("dots", 1, 64, [a, b, found])
    bytes_a, bytes_b = (x.view(np.uint8).reshape(64, 4).astype(np.int64) for x in (a, b))
    signed_a, signed_b = (x.view(np.int8).reshape(64, 4).astype(np.int64) for x in (a, b))
    nibbles_a, nibbles_b = ((x[:, None] >> np.arange(0, 32, 4, dtype=np.uint32) & 15).astype(np.int64) for x in (a, b))
    columns = [
        (signed_a * signed_b).sum(1) + 100, (bytes_a * signed_b).sum(1) - 100,
        np.minimum((signed_a * signed_b).sum(1) + 0x7FFFFF00, 2**31 - 1),
        (np.where(nibbles_a > 7, nibbles_a - 16, nibbles_a) * nibbles_b).sum(1) + 7, (bytes_a * bytes_b).sum(1) + 5,
    ]  # fmt: skip
    np.testing.assert_array_equal(found, np.stack(columns, 1))


@LEVELS
def test_products_of_halves_in_f32(kernels: Any, level: int, rng: np.random.Generator) -> None:
    program = kernels("rdna", level)
    x, y = (rng.integers(-99, 99, (65, 2)).astype(np.float16) / np.float16(8) for _ in range(2))
    c = rng.integers(-99, 99, 64).astype(np.float32)
    expected = c + (x.astype(np.float32) * y)[:64].sum(1)
    program.run("dots_f16", 1, 64, [x, y, c])
    np.testing.assert_array_equal(c, expected)
    b = rng.integers(-99, 99, 64).astype(np.float32)
    a = np.ascontiguousarray(x[:, 0])
    program.run("mixed", 1, 64, [a, b, c])
    np.testing.assert_array_equal(c, a[:64].astype(np.float32) * b + a[1:])


@LEVELS
def test_minima_of_maxima(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, b = rng.integers(-200, 200, 64).astype(np.int32), (rng.standard_normal(64) * 3).astype(np.float32)
    c, d = np.zeros_like(a), np.zeros_like(b)
    kernels("rdna", level).run("between", 1, 64, [a, b, c, d])
    np.testing.assert_array_equal(c, np.clip(a, -50, 70))
    np.testing.assert_array_equal(d, np.clip(b, np.float32(-1.5), np.float32(2.5)))


@LEVELS
@pytest.mark.parametrize(("x", "y", "n"), [(3.25, -7.5, 20), (-2.5, 40.75, -9), (0.5, 0.5, 3)])
def test_floats_that_are_the_same_for_all_lanes(kernels: Any, level: int, x: float, y: float, n: int) -> None:
    c, d = np.zeros(3, np.float32), np.zeros(2, np.int32)
    kernels("rdna", level).run("uniform", 1, 1, [x, y, n, c, d])
    z = x * y + 1.5 - x * 3
    z = np.floor(z) if z > y else np.ceil(z) + n
    assert c.tolist() == [z, min(x, y) + np.trunc(y) - np.rint(x), x + y * 2]
    assert d.tolist() == [int(x * y), n if (n & 0xFFFFFFFF) * 7 & 0xFFFFFFFF > 100 else -n]


@LEVELS
def test_roots_and_powers_that_are_the_same_for_all_lanes(kernels: Any, level: int) -> None:
    c = np.zeros(3, np.float32)
    kernels("rdna", level).run("uniform_roots", 1, 1, [6.25, c])
    np.testing.assert_allclose(c, [2.5, 0.16, 2**6.25], rtol=1e-6)


@LEVELS
def test_the_clock_advances(kernels: Any, level: int) -> None:
    c = np.zeros(3, np.uint64)
    kernels("rdna", level).run("clocks", 1, 1, [c])
    assert c[0] < c[2] < c[1]


@LEVELS
def test_votes_and_reads_of_lanes(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found = words(rng), np.zeros((64, 3), np.uint32)
    kernels("rdna", level).run("votes", 1, 64, [a, found])
    for first in range(0, 64, kernels.wave):
        part = slice(first, first + kernels.wave)
        ballot = sum(int(x & 1) << k for k, x in enumerate(a[part])) & 0xFFFFFFFF
        assert (found[part, 0] == ballot).all()
        assert (found[part, 1] == (int(a[first + 5]) + int(a[first])) % 2**32).all()
    field = (a >> np.uint32(3) & np.uint32(511)).astype(np.int64)
    np.testing.assert_array_equal(found[:, 2].view(np.int32), np.where(field > 255, field - 512, field))


@LEVELS
def test_buffers_lds_and_bytes(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found, limit = words(rng, 256), np.zeros((64, 6), np.uint32), 900
    kernels("rdna", level).run("buffers", 1, 64, [a, found, limit], order="backward")
    seen = np.where(np.arange(256) * 4 + 4 <= limit, a, 0).reshape(64, 4).astype(np.uint32)
    stored = seen[:, 0] + seen[:, 1]
    low = seen.astype(np.uint8)
    columns = [
        seen[:, 0] ^ seen[:, 3], seen[:, 1] + seen[:, 2], a.view(np.uint8)[LANE + 4], a.view(np.uint16)[LANE],
        stored[LANE ^ 33], np.ascontiguousarray(low).view(np.uint32)[:, 0],
    ]  # fmt: skip
    np.testing.assert_array_equal(found, np.stack(columns, 1).astype(np.uint32))
