"""Transposed loads, asynchronous copies and named barriers of gfx12 and gfx1250, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.errors import KernelFault

CHIP = "gfx1250"
EVERY = ("gfx1201", CHIP)


def tile_rows(bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and first column of what each lane loads: RADV's for 16 and 8 bits, for the others AMD's emulator's."""
    lane = np.arange(32)
    if bits == 16:
        return lane // 16 * 8 + lane % 8, lane // 8 % 2 * 8
    if bits == 8:
        return lane // 8 * 4 + lane % 4, lane // 4 % 2 * 8
    if bits == 4:
        return lane // 16 * 8 + lane % 8, lane // 8 % 2 * 16
    return lane // 8 * 4 + lane % 4, lane // 4 % 2 * 16


def packed(codes: np.ndarray, bits: int) -> np.ndarray:
    fields = (codes[..., None] >> np.arange(bits) & 1).astype(np.uint8).reshape(len(codes), -1)
    return np.packbits(fields, axis=1, bitorder="little")


TILES = [(CHIP, "tr16", 16), (CHIP, "tr8", 8), (CHIP, "tr6", 6), (CHIP, "tr4", 4), (CHIP, "local_tr16", 16)]
TILES += [("gfx1201", "tr16", 16), ("gfx1201", "tr8", 8)]


@pytest.mark.parametrize(("chip", "name", "bits"), TILES)
def test_rows_are_loaded_and_columns_received(
    kernels: Any, chip: str, name: str, bits: int, rng: np.random.Generator
) -> None:
    columns, each = (16, {16: 8, 8: 8}[bits]) if bits >= 8 else (32, 16)
    matrix = rng.integers(0, 1 << bits, (16, columns))
    row, column = tile_rows(bits)
    loaded = matrix[row[:, None], column[:, None] + np.arange(each)]
    given = packed(loaded, bits)
    out = np.zeros_like(given)
    kernels("gfx1250", 1, chip).run(name, 1, 32, [given, out])
    lane, element = np.arange(32)[:, None], np.arange(each)
    # A half of a column of 16, or all of one of 32 columns.
    expected = matrix[lane // 16 * 8 + element, lane % 16] if bits >= 8 else matrix[element, lane]
    np.testing.assert_array_equal(out, packed(expected, bits))


def test_waves_of_64_receive_a_quarter_of_a_column(kernels: Any, rng: np.random.Generator) -> None:
    matrix = rng.integers(0, 1 << 16, (16, 16)).astype(np.uint16)
    row, column = tile_rows(16)
    given, out = np.zeros((64, 8), np.uint16), np.zeros((64, 4), np.uint16)
    given[:32] = matrix[row[:, None], column[:, None] + np.arange(8)]
    kernels("gfx1250", 1, "gfx1201-wave64").run("tr16", 1, 64, [given, out])
    lane = np.arange(64)[:, None]
    first = np.array([0, 8, 4, 12])[lane // 16]
    np.testing.assert_array_equal(out, matrix[first + np.arange(4), lane % 16])


@pytest.mark.parametrize("check", [0, "all"])
def test_copies_go_through_lds_and_back(kernels: Any, check: Any, rng: np.random.Generator) -> None:
    given = rng.integers(0, 2**32, (64, 4), dtype=np.uint32)
    out, seen = np.zeros_like(given), np.zeros(64, np.uint32)
    kernels("gfx1250", 1, CHIP).run("copied", 1, 64, [given, out, seen], check=check)
    np.testing.assert_array_equal(out, given)
    np.testing.assert_array_equal(seen, given[:, 0])


def test_lds_that_is_read_before_the_copy_has_been_waited_for_is_found(kernels: Any) -> None:
    given = np.zeros((64, 4), np.uint32)
    arguments = [given, np.zeros_like(given), np.zeros(64, np.uint32)]
    with pytest.raises(KernelFault, match="missing wait: LDS at offset 16 is used before an asynchronous copy to it"):
        kernels("gfx1250", 1, CHIP).run("copied_too_early", 1, 64, arguments, check="waits")


def test_copies_race_with_other_waves_unless_there_is_a_barrier(kernels: Any, rng: np.random.Generator) -> None:
    given, seen = rng.integers(0, 99, (64, 4), dtype=np.uint32), np.zeros(32, np.uint32)
    program = kernels("gfx1250", 1, CHIP)
    program.run("handed", 1, 64, [given, seen], check="all")
    np.testing.assert_array_equal(seen, given[32:, 0])
    with pytest.raises(KernelFault, match="race"):
        program.run("handed_too_early", 1, 64, [given, seen], check="races")


def test_a_copy_of_lds_that_nothing_was_written_to_is_found(kernels: Any) -> None:
    with pytest.raises(KernelFault, match="an undefined value of LDS is stored to memory"):
        kernels("gfx1250", 1, CHIP).run(
            "stored_undefined", 1, 32, [np.zeros((64, 4), np.uint32)], check="uninitialised"
        )


def test_a_barrier_in_lds_counts_and_begins_again(kernels: Any) -> None:
    out = np.zeros(7, np.uint64)
    kernels("gfx1250", 1, CHIP).run("arrived", 1, 32, [out])
    first, second, third = 2 << 32, (2 << 32) | 7 << 29, (2 << 32) | 6 << 29
    np.testing.assert_array_equal(out, [first | 2, first | 1, first, second | 2, second | 1, second, third | 2])


def test_a_load_for_a_cluster_of_one_is_a_load(kernels: Any, rng: np.random.Generator) -> None:
    given, out = rng.integers(0, 99, 32, dtype=np.uint32), np.zeros(32, np.uint32)
    kernels("gfx1250", 1, CHIP).run("clustered", 1, 32, [given, out])
    np.testing.assert_array_equal(out, given)


@pytest.mark.parametrize("chip", EVERY)
@pytest.mark.parametrize("order", ["forward", "backward", "random:5"])
def test_waves_that_join_a_barrier_wait_for_each_other_only(kernels: Any, chip: str, order: str) -> None:
    out = np.zeros((3, 32), np.uint32)
    kernels("gfx1250", 1, chip).run("named", 1, 96, [out], order=order, check="races")
    np.testing.assert_array_equal(out, 100 * np.arange(3)[:, None] + np.arange(32))


def test_one_wave_is_the_first_at_a_barrier(kernels: Any) -> None:
    out = np.zeros((4, 32), np.uint32)
    kernels("gfx1250", 1, CHIP).run("first", 1, 128, [out], order="backward")
    np.testing.assert_array_equal(out[:, 0], [0, 0, 0, 1])


def test_waves_that_wait_for_what_does_not_come_are_a_fault(kernels: Any) -> None:
    with pytest.raises(KernelFault, match="all waves wait, and one for a named barrier"):
        kernels("gfx1250", 1, CHIP).run("never", 1, 32, [np.zeros(1, np.uint32)])
