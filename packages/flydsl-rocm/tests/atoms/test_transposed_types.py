"""Layouts of transposing loads: who reads which element of a tile, and who receives it."""

from __future__ import annotations

import numpy as np
import pytest

from flydsl_rocm.atoms.transposed_types import Gfx12GlobalLoadTransType, Gfx1250LdsLoadTransType, LdsReadTransType

# Row and first column of what each lane reads, as AMD's emulator and RADV have them; 16 or 32 columns.
LANE = np.arange(32)
READS = {
    16: (LANE // 16 * 8 + LANE % 8, LANE // 8 % 2 * 8, 16),
    8: (LANE // 8 * 4 + LANE % 4, LANE // 4 % 2 * 8, 16),
    6: (LANE // 8 * 4 + LANE % 4, LANE // 4 % 2 * 16, 32),
    4: (LANE // 16 * 8 + LANE % 8, LANE // 8 % 2 * 16, 32),
}


def elements(layout, threads: int, width: int, count: int) -> np.ndarray:
    """The first bit of each element of each thread, as the number of an element."""
    bits = np.array([[layout((t, width * e)) for e in range(count)] for t in range(threads)])
    assert not (bits % width).any()
    return bits // width


@pytest.mark.parametrize("kind", [Gfx1250LdsLoadTransType, Gfx12GlobalLoadTransType])
@pytest.mark.parametrize(("width", "bits"), Gfx1250LdsLoadTransType.forms)
def test_a_wave_reads_rows_and_receives_columns(kind: type, width: int, bits: int) -> None:
    op, count = kind(width, bits), bits // width
    row, column, columns = READS[width]
    read = elements(op.src_tv_bits, 32, width, count)
    np.testing.assert_array_equal(read, row[:, None] * columns + column[:, None] + np.arange(count))
    received = elements(op.dst_tv_bits, 32, width, count)
    first = LANE // 16 * 8 if width >= 8 else 0 * LANE
    expected = (first[:, None] + np.arange(count)) * columns + (LANE % columns)[:, None]
    np.testing.assert_array_equal(received, expected)
    assert sorted(received.ravel()) == sorted(read.ravel()) == list(range(32 * count))


@pytest.mark.parametrize(("width", "bits"), LdsReadTransType.forms)
def test_sixteen_threads_receive_every_sixteenth_element(width: int, bits: int) -> None:
    op, count = LdsReadTransType(width, bits), bits // width
    np.testing.assert_array_equal(
        elements(op.dst_tv_bits, 16, width, count), np.arange(16)[:, None] + 16 * np.arange(count)
    )
    np.testing.assert_array_equal(elements(op.src_tv_bits, 16, width, count).ravel(), np.arange(16 * count))


def test_types_print_as_they_are_read() -> None:
    assert str(Gfx1250LdsLoadTransType(16, 128)) == "!fly_rocdl.gfx1250.lds_load_trans<trans = 16b, 128>"
    assert str(Gfx12GlobalLoadTransType(8, 64)) == "!fly_rocdl.gfx12.global_load_trans<trans = 8b, 64>"


@pytest.mark.parametrize("kind", [LdsReadTransType, Gfx1250LdsLoadTransType, Gfx12GlobalLoadTransType])
def test_a_tiled_copy_is_made_for_what_is_received(kind: type) -> None:
    for width, bits in kind.forms:
        op = kind(width, bits)
        assert op.ref_tv_bits == op.dst_tv_bits
