"""Values that go from lane to lane, addresses of any space, LDS of the launch, and rounding modes, against NumPy."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

EVERYWHERE = os.environ.get("KERNEL_TESTS_EVERYWHERE") == "1"
CHIPS = ("gfx942", "gfx950", "gfx90a", "gfx1100", "gfx1201", "gfx1250") if EVERYWHERE else ("gfx950", "gfx1100")
LEVELS = pytest.mark.parametrize("level", [0, 1, 2, 3] if EVERYWHERE else [0, 2])
LANE = np.arange(64)


def words(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**32, count, dtype=np.uint32)


def ones_below(mask: int, lane: int) -> int:
    return (mask & ((1 << lane) - 1)).bit_count()


@LEVELS
def test_lanes_give_their_values_to_others(kernels: Any, level: int) -> None:
    wave, a, found = kernels.wave, words(66, 1), np.zeros((64, 12), np.uint32)
    kernels("crossing", level).run("moved", 1, 64, [a, found])
    first, lane, x = LANE & ~(wave - 1), LANE & (wave - 1), a[:64]
    pushed = np.zeros(64, np.uint32)
    pushed[first + (LANE * 5 + 3 & wave - 1)] = x
    row, place = LANE & ~15, LANE & 15
    half = np.where(place // 4 < 2, x[LANE ^ 7], 0x55)  # of four banks the first two
    low, high = int(a[65]), int(a[64])
    counted = [
        int(i) + ones_below(low, min(int(n), 32)) + ones_below(high, max(int(n) - 32, 0))
        for i, n in zip(LANE, lane, strict=True)
    ]
    columns = [
        pushed, x[first + (LANE * 7 + 1 & wave - 1)], x[LANE ^ 3], x[LANE ^ 16], x[LANE ^ 3],
        np.where(place >= 8, x[LANE - 8], 0x55), np.where(place <= 12, x[np.minimum(LANE + 3, 63)], 0),
        x[row + (place - 6 & 15)], x[row + 15 - place], half, x[first + 9] ^ x[first], counted,
    ]  # fmt: skip
    np.testing.assert_array_equal(found, np.stack(columns, 1).astype(np.uint32))


@LEVELS
def test_lanes_that_are_off_have_no_vote(kernels: Any, level: int) -> None:
    wave, a, found = kernels.wave, words(64, 2), np.zeros((64, 3), np.uint32)
    kernels("crossing", level).run("odd_lanes", 1, 64, [a, found])
    first, odd = LANE & ~(wave - 1), LANE % 2 == 1
    votes = np.array([((a[k : k + wave] & 2 > 0) & odd[k : k + wave]).sum() for k in first])
    columns = [a[first + 1], votes, a[LANE ^ 2]]
    np.testing.assert_array_equal(found, np.where(odd[:, None], np.stack(columns, 1), 0).astype(np.uint32))


@LEVELS
def test_reductions_of_a_wave(kernels: Any, level: int) -> None:
    a, found = words(64, 3) | np.uint32(0x8000), np.zeros((64, 3), np.uint32)
    kernels("crossing", level).run("reduced", 1, 64, [a, found], order="backward", check="all")
    parts = a.reshape(-1, kernels.wave)
    columns = [parts.sum(1, dtype=np.uint32), parts.max(1), np.bitwise_and.reduce(parts, 1)]
    np.testing.assert_array_equal(found, np.repeat(np.stack(columns, 1), kernels.wave, 0))


@LEVELS
def test_a_generic_address_is_of_scratch_lds_or_memory(kernels: Any, level: int) -> None:
    a, found = words(64, 4), np.zeros((64, 4), np.uint32)
    found[:, 3] = 100
    kernels("crossing", level).run("spaces", 1, 64, [a, found], check="all")
    own = np.stack([LANE, LANE * 2, np.full(64, 3), np.full(64, 4)], 1)[LANE, LANE & 3].astype(np.uint32)
    kind = LANE % 3
    expected = [
        np.select([kind == 0, kind == 1], [own, a], 100) + np.uint32(7), np.select([kind == 0, kind == 1], [2, 1], 0),
        own + a + np.where(kind < 2, 7, 0).astype(np.uint32), np.where(kind == 2, 107, 100),
    ]  # fmt: skip
    np.testing.assert_array_equal(found, np.stack(expected, 1).astype(np.uint32))


@LEVELS
def test_all_lds_that_a_chip_has(kernels: Any, level: int) -> None:
    count = {"gfx950": 160, "gfx1250": 320}.get(kernels.arch, 64) * 256
    a, found = words(1024, 5), np.zeros(64, np.uint32)
    kernels("crossing", level).run("large", 1, 64, [a, found, count], shared_bytes=4 * count)
    k = np.arange(count, dtype=np.uint32)
    products = (a[k & 1023] + k)[::-1] * (k | 1)
    np.testing.assert_array_equal(found, products.reshape(-1, 64).sum(0, dtype=np.uint32))


@LEVELS
def test_rounding_modes_are_set_and_read(kernels: Any, level: int) -> None:
    a, found = np.arange(1, 65, dtype=np.float32), np.zeros((64, 4), np.float32)
    kernels("crossing", level).run("modes", 1, 64, [a, found])
    columns = [a / np.float32(3), np.nextafter(a, np.float32(99)), np.nextafter(a, np.float32(-99)), a * 0]
    np.testing.assert_array_equal(found, np.stack(columns, 1))


@LEVELS
def test_floats_become_halves_of_a_word_and_scalars_multiply(kernels: Any, level: int) -> None:
    a = (np.random.default_rng(6).standard_normal((64, 2)) * 100).astype(np.float32)
    found, product = np.zeros((64, 2), np.float16), np.zeros(64, np.uint64)
    p, q = 0x123456789ABCDEF1, 0xFEDCBA9876543211
    kernels("crossing", level).run("narrowed", 1, 64, [a, found, p, q, product])
    np.testing.assert_array_equal(found, a.astype(np.float16))
    assert set(product.tolist()) == {p * q % 2**64}


@LEVELS
def test_rows_of_two_registers_change_places(kernels: Any, level: int) -> None:
    a, found = words(128, 7), np.zeros(128, np.uint32)
    program = kernels("crossing", level, "gfx950")
    program.run("halves_of_the_wave", 1, 64, [a, found])
    rows = a.reshape(2, 4, 16)
    expected = [[rows[0, 0], rows[1, 0], rows[0, 2], rows[1, 2]], [rows[0, 1], rows[1, 1], rows[0, 3], rows[1, 3]]]
    np.testing.assert_array_equal(found, np.array(expected).ravel())


@LEVELS
def test_the_halves_of_a_wave_of_64_change_places(kernels: Any, level: int) -> None:
    a, found = words(64, 8), np.zeros(64, np.uint32)
    kernels("crossing", level, "gfx1100-wave64").run("halves_of_the_wave", 1, 64, [a, found])
    np.testing.assert_array_equal(found, a[LANE ^ 32])
