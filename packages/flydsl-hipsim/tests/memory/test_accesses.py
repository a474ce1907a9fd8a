"""Loads and stores at all kinds of places, whole waves and parts of them, against copies of bytes lane by lane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.errors import KernelFault

CHIPS = ("gfx942", "gfx1100", "gfx1201")
BITS = pytest.mark.parametrize("bits", [8, 16, 32, 64, 96, 128])
LEVELS = pytest.mark.parametrize("level", [0, 2])
POOL = 4096
LANES = np.arange(64)
EVERY = np.ones(64, np.uint32)

PATTERNS = ("run", "later_run", "backward", "shuffled", "spread", "same", "in_pairs", "broken_run")


def places(rng: np.random.Generator, pattern: str, step: int) -> np.ndarray:
    """Offsets in a pool of 4096 bytes, multiples of `step`, two of which are equal where the pattern has it so."""
    lanes = {
        "run": LANES,
        "later_run": LANES + 3,
        "backward": 63 - LANES,
        "shuffled": rng.permutation(64),
        "spread": LANES * 3,
        "same": LANES * 0 + 5,
        "in_pairs": LANES // 2,
        "broken_run": np.where(LANES == 41, 2, LANES),
    }[pattern]
    return (lanes * step).astype(np.uint32)


def space(bits: int) -> int:
    """Bytes from one element to the next in an array of the kernels: three words take the place of four."""
    return 16 if bits == 96 else bits // 8


def pool_and_data(rng: np.random.Generator, bits: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.integers(0, 256, POOL, dtype=np.uint8), rng.integers(0, 256, 64 * space(bits), dtype=np.uint8)


def loaded(pool: np.ndarray, at: np.ndarray, on: np.ndarray, data: np.ndarray, bits: int) -> np.ndarray:
    """The lanes' data after a load: those that are off have theirs, and the fourth word of three is nobody's."""
    made, size = data.copy().reshape(64, -1), bits // 8
    for lane in np.flatnonzero(on):
        made[lane, :size] = pool[at[lane] : at[lane] + size]
    return made[:, :size]


def stored(pool: np.ndarray, at: np.ndarray, on: np.ndarray, data: np.ndarray, bits: int) -> np.ndarray:
    """The pool after a store: the last lane of those with the same place wins."""
    made, size = pool.copy(), bits // 8
    for lane in np.flatnonzero(on):
        made[at[lane] : at[lane] + size] = data.reshape(64, -1)[lane, :size]
    return made


def masks() -> list[np.ndarray]:
    return [EVERY, (LANES % 3 != 0).astype(np.uint32), (LANES == 63).astype(np.uint32)]


def check(
    rng: np.random.Generator,
    program: Any,
    kind: str,
    bits: int,
    pool: np.ndarray,
    at: np.ndarray,
    on: np.ndarray,
    **options: Any,
) -> None:
    """One load and one store."""
    prefix, before = kind.format("load"), [pool] if kind != "buffer_{}" else [pool, POOL]
    data = pool_and_data(rng, bits)[1]
    found = data.copy()
    program.run(f"{prefix}_{bits}", 1, 64, [*before, at, on, found], **options)
    np.testing.assert_array_equal(found.reshape(64, -1)[:, : bits // 8], loaded(pool, at, on, data, bits))
    target = pool.copy()
    program.run(f"{kind.format('store')}_{bits}", 1, 64, [target, *before[1:], at, on, data], **options)
    np.testing.assert_array_equal(target, stored(pool, at, on, data, bits))


@LEVELS
@BITS
@pytest.mark.parametrize("kind", ["{}", "lds_{}", "buffer_{}"])
def test_every_pattern_of_places(kernels: Any, level: int, bits: int, kind: str, rng: np.random.Generator) -> None:
    program, step = kernels("accesses", level), space(bits)
    for pattern in PATTERNS:
        pool, at = pool_and_data(rng, bits)[0], places(rng, pattern, step)
        for on in masks():
            check(rng, program, kind, bits, pool, at, on)


@BITS
def test_places_that_are_not_aligned(kernels: Any, bits: int, rng: np.random.Generator) -> None:
    program = kernels("accesses", 2)
    for pattern in PATTERNS:
        check(
            rng,
            program,
            "{}",
            bits,
            pool_and_data(rng, bits)[0],
            places(rng, pattern, space(bits)) + np.uint32(3),
            EVERY,
        )


@BITS
def test_a_checked_launch_makes_the_same(kernels: Any, bits: int, rng: np.random.Generator) -> None:
    program = kernels("accesses", 2)
    for pattern in ("run", "shuffled"):
        check(
            rng,
            program,
            "lds_{}",
            bits,
            pool_and_data(rng, bits)[0],
            places(rng, pattern, space(bits)),
            EVERY,
            check="waits",
        )
        check(
            rng,
            program,
            "{}",
            bits,
            pool_and_data(rng, bits)[0],
            places(rng, pattern, space(bits)),
            EVERY,
            check="races+waits",
        )


@BITS
def test_lanes_in_two_allocations(kernels: Any, bits: int, rng: np.random.Generator) -> None:
    program, size = kernels("accesses", 2), bits // 8
    first, second = (pool_and_data(rng, bits)[0] for _ in range(2))
    data = pool_and_data(rng, bits)[1]
    inside = places(rng, "shuffled", space(bits))
    for far in (LANES >= 32, LANES == 63, LANES == 0):
        base = np.where(far, second.ctypes.data, first.ctypes.data).astype(np.uint64)
        found, targets = data.copy(), [first.copy(), second.copy()]
        program.run(f"far_load_{bits}", 1, 64, [first, second, base + inside, EVERY, found])
        both = np.where(
            far[:, None], loaded(second, inside, EVERY, data, bits), loaded(first, inside, EVERY, data, bits)
        )
        np.testing.assert_array_equal(found.reshape(64, -1)[:, :size], both)
        base = np.where(far, targets[1].ctypes.data, targets[0].ctypes.data).astype(np.uint64)
        program.run(f"far_store_{bits}", 1, 64, [*targets, base + inside, EVERY, data])
        for target, before, on in zip(targets, (first, second), (~far, far), strict=True):
            np.testing.assert_array_equal(target, stored(before, inside, on, data, bits))


def outside(rng: np.random.Generator, pattern: str, bits: int, lane: int) -> np.ndarray:
    """Places of which one lane's last byte is just past the end."""
    at = places(rng, pattern, space(bits))
    if pattern == "run" and lane == 63:
        return at + np.uint32(POOL - 63 * space(bits) - bits // 8 + 1)
    at[lane] = POOL - bits // 8 + 1
    return at


@BITS
@pytest.mark.parametrize("access", ["load", "store"])
@pytest.mark.parametrize(("pattern", "lane"), [("run", 63), ("run", 0), ("shuffled", 17)])
def test_a_fault_names_the_lane_that_is_outside(
    kernels: Any, bits: int, access: str, pattern: str, lane: int, rng: np.random.Generator
) -> None:
    program, at, (pool, data) = kernels("accesses", 2), outside(rng, pattern, bits, lane), pool_and_data(rng, bits)
    program.run(f"{access}_{bits}", 1, 64, [pool, at, (LANES != lane).astype(np.uint32), data])
    where = rf"past the end of an allocation|at offset {POOL - bits // 8 + 1}"
    with pytest.raises(KernelFault, match=rf"({where}).*lane {lane % kernels.wave}:"):
        program.run(f"{access}_{bits}", 1, 64, [pool, at, EVERY, data])


@BITS
@pytest.mark.parametrize("access", ["load", "store"])
def test_a_fault_in_lds_names_the_lane(kernels: Any, bits: int, access: str, rng: np.random.Generator) -> None:
    program, at, (pool, data) = kernels("accesses", 2), places(rng, "run", space(bits)), pool_and_data(rng, bits)
    at[29] = POOL
    with pytest.raises(KernelFault, match=rf"an access outside of LDS: {bits // 8} bytes.*lane {29 % kernels.wave}:"):
        program.run(f"lds_{access}_{bits}", 1, 64, [pool, at, EVERY, data])


@BITS
def test_what_is_outside_of_a_buffer_reads_zero_and_is_not_written(
    kernels: Any, bits: int, rng: np.random.Generator
) -> None:
    program, size, (pool, data) = kernels("accesses", 2), bits // 8, pool_and_data(rng, bits)
    at, limit = places(rng, "run", space(bits)), np.uint32(space(bits) * 40)
    found, target = data.copy(), pool.copy()
    program.run(f"buffer_load_{bits}", 1, 64, [pool, limit, at, EVERY, found])
    expected = loaded(pool, at, EVERY, data, bits)
    expected[40:] = 0
    np.testing.assert_array_equal(found.reshape(64, -1)[:, :size], expected)
    program.run(f"buffer_store_{bits}", 1, 64, [target, limit, at, EVERY, data])
    np.testing.assert_array_equal(target, stored(pool, at, LANES < 40, data, bits))


@BITS
def test_read_only_memory_is_not_written_by_whole_waves(kernels: Any, bits: int, rng: np.random.Generator) -> None:
    program, (pool, data) = kernels("accesses", 2), pool_and_data(rng, bits)
    pool.flags.writeable = False
    with pytest.raises(KernelFault, match=r"a write to read-only memory.*lane 0:"):
        program.run(f"store_{bits}", 1, 64, [pool, places(rng, "run", space(bits)), EVERY, data])


def test_pairs_of_places_in_lds(kernels: Any, rng: np.random.Generator) -> None:
    program, pool = kernels("accesses", 2), pool_and_data(rng, 64)[0]
    for pattern in PATTERNS:
        at, data = places(rng, pattern, 8), rng.integers(0, 256, (64, 2, 8), dtype=np.uint8)
        found, target, expected = np.zeros_like(data), pool.copy(), pool.copy()
        program.run("lds_load_pairs", 1, 64, [pool, at, found])
        both = np.stack([loaded(pool, at + up, EVERY, data[:, 0], 64) for up in (0, 512)], 1)
        np.testing.assert_array_equal(found, both)
        program.run("lds_store_pairs", 1, 64, [target, at, data])
        for wave in np.split(LANES, 64 // kernels.wave):
            for lane, half in ((lane, half) for lane in wave for half in (0, 1)):
                expected[at[lane] + 512 * half :][:8] = data[lane, half]
        np.testing.assert_array_equal(target, expected)


def test_data_over_their_own_addresses(kernels: Any, rng: np.random.Generator) -> None:
    program, pool = kernels("accesses", 2), pool_and_data(rng, 128)[0]
    for pattern in PATTERNS:
        at, found = places(rng, pattern, 16), np.zeros(64 * 16, np.uint8)
        program.run("load_over_address", 1, 64, [pool, at, found])
        np.testing.assert_array_equal(found.reshape(64, 16), loaded(pool, at, EVERY, found, 128))
