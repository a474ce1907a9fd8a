"""Every dense matrix instruction against the ISA guide's layout, written down again in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

SHAPES = {  # kernel: rows, columns, depth, blocks
    "f32_32x32x8_f16": (32, 32, 8, 1), "f32_16x16x16_f16": (16, 16, 16, 1), "f32_32x32x4_2b_f16": (32, 32, 4, 2),
    "f32_16x16x4_4b_f16": (16, 16, 4, 4), "f32_4x4x4_16b_f16": (4, 4, 4, 16), "f32_16x16x4_f32": (16, 16, 4, 1),
    "f32_32x32x2_f32": (32, 32, 2, 1), "f32_32x32x8_bf16": (32, 32, 8, 1), "i32_16x16x32_i8": (16, 16, 32, 1),
    "i32_32x32x16_i8": (32, 32, 16, 1), "f64_16x16x4_f64": (16, 16, 4, 1), "f64_4x4x4_4b_f64": (4, 4, 4, 4),
    "f32_16x16x32_fp8_fp8": (16, 16, 32, 1), "f32_32x32x16_bf8_fp8": (32, 32, 16, 1),
}  # fmt: skip


def fnuz(codes: np.ndarray, exponent_bits: int) -> np.ndarray:
    """Numbers of the 8-bit formats in which only -0 is a NaN; none is drawn here."""
    mantissa_bits, bias = 7 - exponent_bits, 1 << exponent_bits - 1
    exponent, mantissa = (codes & 127) >> mantissa_bits, codes & (1 << mantissa_bits) - 1
    size = np.where(exponent > 0, mantissa + (1 << mantissa_bits), mantissa) * 2.0 ** (
        np.maximum(exponent, 1) - bias - mantissa_bits
    )
    return np.where(codes & 128, -size, size)


def draw(rng: np.random.Generator, kind: str, shape: tuple[int, ...], bf8: bool) -> tuple[np.ndarray, np.ndarray]:
    """Codes as in registers, and the numbers they stand for: small ones, so that every sum is exact."""
    values = rng.integers(-8, 9, shape)
    if kind in ("f16", "f32", "f64"):
        codes = values.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind])
        return codes, codes.astype(np.float64)
    if kind == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16), values.astype(np.float64)
    if kind == "i8":
        codes = rng.integers(-128, 128, shape).astype(np.int8)
        return codes, codes.astype(np.float64)
    codes = rng.integers(0x30, 0x48, shape).astype(np.uint8) | (rng.integers(0, 2, shape) << 7).astype(np.uint8)
    return codes, fnuz(codes.astype(np.int64), 5 if bf8 else 4)


def gathered(values: np.ndarray, rows: int, depth: int, blocks: int) -> np.ndarray:
    """(lane, element) to (block, row, k)."""
    each = values.shape[1]
    made = np.zeros((blocks, rows, depth))
    for lane in range(64):
        for element in range(each):
            made[lane // rows % blocks, lane % rows, lane // (rows * blocks) * each + element] = values[lane, element]
    return made


def result_place(kind: str, lane: int, word: int, rows: int, columns: int, blocks: int) -> tuple[int, int, int]:
    if kind == "f64":
        return lane // columns % blocks, word * (64 // (columns * blocks)) + lane // (columns * blocks), lane % columns
    group = word // 4 * (64 // columns) + lane // columns
    return group // (rows // 4), group % (rows // 4) * 4 + word % 4, lane % columns


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("name", SHAPES)
def test_a_matrix_instruction(kernels: Any, level: int, name: str, rng: np.random.Generator) -> None:
    rows, columns, depth, blocks = SHAPES[name]
    words = name.split("_")
    out, kind = words[0], words[-1]
    a_codes, a = draw(rng, kind, (64, depth * rows * blocks // 64), "bf8" in words)
    b_codes, b = draw(rng, kind, (64, depth * columns * blocks // 64), words[-1] == "bf8")
    dtype = {"f32": np.float32, "i32": np.int32, "f64": np.float64}[out]
    c = rng.integers(-50, 50, (64, rows * columns * blocks // 64)).astype(dtype)
    product = gathered(a, rows, depth, blocks) @ gathered(b, columns, depth, blocks).transpose(0, 2, 1)
    expected = c.astype(np.float64)
    for lane in range(64):
        for word in range(c.shape[1]):
            expected[lane, word] += product[result_place(out, lane, word, rows, columns, blocks)]
    kernels("matrix", level).run(name, 1, 64, [a_codes, b_codes, c])
    np.testing.assert_array_equal(c, expected.astype(dtype))
