"""The name of a matrix instruction of RDNA and gfx1250 in, the places of its elements in the registers of a wave out.

From the ISA guides of RDNA3 and RDNA4, from what RADV says of waves of 64, and for gfx1250 from AMD's emulator of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

Array = np.ndarray
Places = tuple[Array, Array]
"""Lane and element in the lane of each (row, k)."""
BITS = {
    "f32": 32,
    "i32": 32,
    "f16": 16,
    "bf16": 16,
    "fp8": 8,
    "bf8": 8,
    "fp6": 6,
    "bf6": 6,
    "fp4": 4,
    "iu8": 8,
    "iu4": 4,
}


@dataclass(frozen=True, slots=True)
class WaveShape:
    """`before` is the format of C where it is not that of the result."""

    rows: int
    depth: int
    result: str
    before: str
    first: str
    second: str
    sparse: bool

    @property
    def is_rdna4(self) -> bool:
        """gfx1250 has these too, as RDNA4 has them."""
        return self.depth == 16 or (self.sparse and self.depth == 32) or self.first == "iu4"

    def registers(self, wave: int, chip: str) -> tuple[int, int, int, int]:
        """Of A, B, C and D."""
        copies = wave // 16 if chip.startswith("gfx11") else 1  # gfx11 has all of A and B in every 16 lanes
        kept = self.depth // 2 if self.sparse else self.depth
        a, b = (
            max(1, rows * depth * BITS[kind] * copies // wave // 32)
            for rows, depth, kind in ((self.rows, kept, self.first), (16, self.depth, self.second))
        )
        c, d = (
            self.rows * 16 // wave * (1 if chip.startswith("gfx11") else BITS[kind] / 32)
            for kind in (self.before, self.result)
        )
        return a, b, int(c), int(d)


def shape_of_wave(name: str, formats: tuple[str, str] = ("fp8", "fp8")) -> WaveShape:
    """`v_wmma_f32_16x16x32_f16` and the like; `formats` are those of an instruction that has them as modifiers."""
    match = re.fullmatch(r"v_(s?)wm(?:ma|mac)(?:_scale\d*)?_(bf16f32|\w+?)_(\d+)x16x(\d+)_(\w+)", name)
    assert match, name
    result = "bf16" if match[2] == "bf16f32" else match[2]
    before = "f32" if match[2] == "bf16f32" else result
    kinds = match[5].split("_")
    if kinds == ["f8f6f4"]:
        kinds = list(formats)
    if kinds == ["f4"]:
        kinds = ["fp4"]
    return WaveShape(int(match[3]), int(match[4]), result, before, kinds[0], kinds[-1], bool(match[1]))


def _alternating(k: Array, run: int, groups: int, swapped: bool = False) -> Places:
    """Runs of k go to the groups of 16 lanes in turn; `swapped`: the second run of four to the third group."""
    group = k // run % groups
    if swapped:
        group = (group & 1) << 1 | group >> 1
    return group, k // (run * groups) * run + k % run


def _with_rows(rows: int, places: Places) -> Places:
    group, element = places
    row = np.arange(rows)[:, None]
    return row % 16 + 16 * group[None], np.broadcast_to(element[None], (rows, len(element)))


def _dense(shape: WaveShape, kind: str, rows: int, chip: str, wave: int) -> Places:
    k, bits = np.arange(shape.depth), BITS[kind]
    if chip.startswith("gfx11"):
        return _with_rows(rows, (0 * k, k))
    if wave == 64:
        run, groups = (8, shape.depth // 8) if bits == 4 else (4, 4)
        return _with_rows(rows, _alternating(k, run, groups, swapped=groups == 4 and bits == 4))
    runs = {16: 8, 8: 8, 4: 8} if shape.is_rdna4 else {32: 2, 16: 8, 8: 16, 6: 32, 4: 32}
    lane, element = _with_rows(rows, _alternating(k, runs[bits], 2))
    return lane, element + (np.arange(rows) // 16 * shape.depth // 2)[:, None]


_SPARSE_RUNS = {  # wave, bits, depth: k of B in a run; half as many are kept of A
    (32, 16, 32): 8, (32, 8, 32): 16, (32, 4, 32): 16, (32, 4, 64): 16, (32, 16, 64): 16, (32, 8, 128): 32,
    (64, 16, 32): 8, (64, 8, 32): 8, (64, 4, 64): 16,
}  # fmt: skip


def a_places(shape: WaveShape, chip: str, wave: int) -> Places:
    if not shape.sparse:
        return _dense(shape, shape.first, shape.rows, chip, wave)
    k, bits = np.arange(shape.depth // 2), BITS[shape.first]
    if (wave, bits, shape.depth) == (64, 4, 32):
        return _with_rows(16, _alternating(k, 8, 2))  # in the first half of the wave
    run = _SPARSE_RUNS[wave, bits, shape.depth] // 2
    return _with_rows(16, _alternating(k, run, wave // 16, wave == 64 and bits < 16))


def b_places(shape: WaveShape, chip: str, wave: int) -> Places:
    if not shape.sparse:
        return _dense(shape, shape.second, 16, chip, wave)
    k, bits = np.arange(shape.depth), BITS[shape.second]
    if (wave, bits, shape.depth) == (64, 4, 32):
        return _with_rows(16, _alternating(k, 8, 4, swapped=True))
    run = _SPARSE_RUNS[wave, bits, shape.depth]
    return _with_rows(16, _alternating(k, run, wave // 16, wave == 64 and bits < 16))


def index_places(shape: WaveShape, chip: str, wave: int) -> Places:
    """Of the two bits that go with each kept element."""
    if shape.is_rdna4:
        return a_places(shape, chip, wave)
    k = np.arange(shape.depth // 2)
    return _with_rows(16, (k // (shape.depth // 4), k % (shape.depth // 4)))


def result_places(rows: int, chip: str, wave: int) -> Places:
    """Lane and element of each (row, column)."""
    row, column = np.arange(rows)[:, None], np.arange(16)[None]
    if chip.startswith("gfx11"):
        step = wave // 16
        return row % step * 16 + column, np.broadcast_to(row // step, (rows, 16))
    if wave == 64:
        return column + 16 * (row >> 3 & 1) + 32 * (row >> 2 & 1), np.broadcast_to(row & 3, (rows, 16))
    return column + 16 * (row // 8 % 2), np.broadcast_to(row // 16 * 8 + row % 8, (rows, 16))


def codes_of(values: Array, places: Places, bits: int, lanes: int, words: int, copies: bool = False) -> Array:
    """(row, k) of codes to (lane, word); `copies`: every 16 lanes hold the same."""
    lane, element = places
    each = np.arange(bits)
    made = np.zeros((lanes, words * 32), np.uint8)
    codes = np.asarray(values, np.int64)[..., None] >> each & 1
    for copy in range(lanes // 16 if copies else 1):
        made[lane[..., None] + 16 * copy, element[..., None] * bits + each] = codes
    return np.packbits(made, axis=1, bitorder="little").view(np.uint32)
