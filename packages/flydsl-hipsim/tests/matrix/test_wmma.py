"""Matrix instructions of RDNA against the layouts of the ISA guides, written down again in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

NAMES = {
    "gfx1100": (
        "f32_f16", "f32_bf16", "f16_f16", "f16_f16_high", "bf16_bf16", "i32_i8", "i32_u8", "i32_i8_clamp", "i32_i4",
        "i32_u4",
    ),
    "gfx1201": (
        "f32_f16", "f32_bf16", "f16_f16", "bf16_bf16", "f32_fp8_fp8", "f32_fp8_bf8", "f32_bf8_fp8", "f32_bf8_bf8",
        "i32_i8", "i32_u8", "i32_i8_clamp", "i32_i4", "i32_u4", "i32_i4_deep",
    ),
    "gfx1100-wave64": ("f32_f16", "i32_i8"),
    "gfx1250": (
        "f32_f32", "f32_f16", "f32_bf16", "f16_f16", "bf16_bf16", "f32_fp8_bf8", "f16_bf8_fp8", "f32_fp8_fp8_deep",
        "i32_i8",
    ),
}  # fmt: skip
DEPTHS = {
    "f32": 4,
    "f16": 32,
    "bf16": 32,
    "fp8": 64,
    "bf8": 64,
    "i8": 64,
}  # of gfx1250; 16 elsewhere, 32 and 128 when deep
CASES = [(chip, name) for chip, names in NAMES.items() for name in names]
SPARSE = ("sparse_f32_f16", "sparse_f16_f16", "sparse_f32_fp8_bf8")


def eight_bits(codes: np.ndarray, exponent_bits: int) -> np.ndarray:
    """Numbers of E4M3 and E5M2; neither infinities nor NaNs are drawn here."""
    mantissa_bits, bias = 7 - exponent_bits, (1 << exponent_bits - 1) - 1
    exponent, mantissa = (codes & 127) >> mantissa_bits, codes & (1 << mantissa_bits) - 1
    fraction = np.where(exponent > 0, mantissa + (1 << mantissa_bits), mantissa)
    size = fraction * 2.0 ** (np.maximum(exponent, 1) - bias - mantissa_bits)
    return np.where(codes & 128, -size, size)


def bf16_codes(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def draw(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, int]:
    """Codes, the numbers they stand for (small, so that every sum is exact), and the bits of a code."""
    values = rng.integers(-4, 5, shape)
    if kind == "f32":
        return values.astype(np.float32), values.astype(np.float64), 32
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16), values.astype(np.float64), 16
    if kind == "bf16":
        return bf16_codes(values), values.astype(np.float64), 16
    if kind in ("fp8", "bf8"):
        codes = (rng.integers(0x30, 0x44, shape) | rng.integers(0, 2, shape) << 7).astype(np.uint8)
        return codes, eight_bits(codes.astype(np.int64), 5 if kind == "bf8" else 4), 8
    bits, signed = int(kind[1:]), kind[0] == "i"
    codes = rng.integers(0, 1 << bits, shape)
    values = np.where(signed & (codes >> bits - 1 == 1), codes - (1 << bits), codes)
    return codes.astype(np.uint8), values.astype(np.float64), bits


def packed(codes: np.ndarray, bits: int) -> np.ndarray:
    """(lane, element) to the bytes of the lane's registers."""
    if bits == 4:
        codes = codes[:, 0::2] | codes[:, 1::2] << 4
    return np.ascontiguousarray(codes)


def operand(matrix: np.ndarray, chip: str, lanes: int) -> np.ndarray:
    """(row, k) to (lane, element): on gfx11 all k in every lane, then a half of them in each half of the wave."""
    lane = np.arange(lanes)
    if chip.startswith("gfx11"):
        return matrix[lane % 16]
    half = matrix.shape[1] // 2
    run = min(half, 8) if chip == "gfx1250" else half  # runs of k alternate between the halves of the wave
    element = np.arange(half)
    k = (element // run * 2 + lane[:, None] // 16) * run + element % run
    return matrix[lane % 16][np.arange(lanes)[:, None], k]


def result_places(chip: str, lanes: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of each (lane, word)."""
    lane, word = np.arange(lanes)[:, None], np.arange(256 // lanes)[None]
    row = word * (lanes // 16) + lane // 16 if chip.startswith("gfx11") else word + 8 * (lane // 16)
    return row, np.broadcast_to(lane % 16, row.shape)


def registers(values: np.ndarray, out: str, chip: str, high: bool) -> np.ndarray:
    """(lane, word) of numbers to what registers hold; the other halves of gfx11's 16-bit results hold 0x1234."""
    if out in ("f32", "i32"):
        return values.astype(np.float32 if out == "f32" else np.int32)
    codes = values.astype(np.float16).view(np.uint16) if out == "f16" else bf16_codes(values)
    if not chip.startswith("gfx11"):
        return codes
    made = np.full((codes.shape[0], 2 * codes.shape[1]), 0x1234, np.uint16)
    made[:, int(high) :: 2] = codes
    return made


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize(("chip", "name"), CASES)
def test_a_matrix_instruction(kernels: Any, chip: str, name: str, level: int, rng: np.random.Generator) -> None:
    out, *kinds = name.removesuffix("_clamp").removesuffix("_deep").removesuffix("_high").split("_")
    lanes, high = 64 if "wave64" in chip else 32, name.endswith("high")
    depth = (DEPTHS[kinds[0]] if chip == "gfx1250" else 16) * (2 if "deep" in name else 1)
    a_codes, a, bits = draw(rng, kinds[0], (16, depth))
    b_codes, b, _ = draw(rng, kinds[-1], (16, depth))
    before = rng.integers(-50, 50, (16, 16)).astype(np.float64)
    if name.endswith("clamp"):
        before[::2] = 2**31 - 1
        before[1::2] = -(2**31)
    row, column = result_places(chip, lanes)
    c = registers(before[row, column], out, chip, high)
    expected = (before + a @ b.T)[row, column]
    if name.endswith("clamp"):
        expected = np.clip(expected, -(2**31), 2**31 - 1)
    arguments = [packed(operand(codes, chip, lanes), bits) for codes in (a_codes, b_codes)]
    kernels("wmma", level, chip).run(name, 1, lanes, [*arguments, c])
    np.testing.assert_array_equal(c, registers(expected, out, chip, high))


@pytest.mark.parametrize("name", SPARSE)
def test_a_matrix_instruction_on_two_of_each_four(kernels: Any, name: str, rng: np.random.Generator) -> None:
    _, out, *kinds = name.split("_")
    a_codes, a, bits = draw(rng, kinds[0], (16, 16))
    b_codes, b, _ = draw(rng, kinds[-1], (16, 32))
    places = np.sort(np.stack([rng.permuted(np.arange(4)) for _ in range(16 * 8)])[:, :2], 1).reshape(16, 16)
    full = np.zeros((16, 32))
    np.put_along_axis(full, places + np.arange(16) // 2 * 4, a, 1)
    row, column = result_places("gfx1201", 32)
    before = rng.integers(-50, 50, (16, 16)).astype(np.float64)
    c = registers(before[row, column], out, "gfx1201", False)
    index = (operand(places, "gfx1201", 32) << 2 * np.arange(8)).sum(1).astype(np.uint16)
    arguments = [packed(operand(codes, "gfx1201", 32), bits) for codes in (a_codes, b_codes)]
    kernels("wmma", 2, "gfx1201").run(name, 1, 32, [*arguments, c, index])
    np.testing.assert_array_equal(c, registers((before + full @ b.T)[row, column], out, "gfx1201", False))
