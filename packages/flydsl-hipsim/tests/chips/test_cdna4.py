"""What gfx950 adds: wide and scaled matrix instructions, transposed reads, exchanged rows, functions of three bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

LEVELS = pytest.mark.parametrize("level", [0, 2])
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def fp8(codes: np.ndarray) -> np.ndarray:
    """The OCP format with four exponent bits; no NaN is drawn here."""
    exponent, mantissa = codes >> 3 & 15, codes & 7
    size = np.where(exponent > 0, 8 + mantissa, mantissa) * 2.0 ** (np.maximum(exponent, 1) - 10)
    return np.where(codes & 128, -size, size)


def gathered(values: np.ndarray) -> np.ndarray:
    """(lane, element) to (row, k) of a matrix with 16 rows."""
    return values.reshape(4, 16, -1).transpose(1, 0, 2).reshape(16, -1)


def runs_gathered(values: np.ndarray) -> np.ndarray:
    """The same of 8-bit elements, whose runs of 16 k alternate between the four lanes of a row."""
    return values.reshape(4, 16, 2, 16).transpose(1, 2, 0, 3).reshape(16, -1)


def spread(matrix: np.ndarray) -> np.ndarray:
    """(row, column) of the result to (lane, word)."""
    return matrix.reshape(4, 4, 16).transpose(0, 2, 1).reshape(64, 4)


@LEVELS
def test_a_wide_matrix_instruction(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, b = (rng.integers(-8, 9, (64, 8)).astype(np.float16) for _ in range(2))
    c = np.zeros((64, 4), np.float32)
    kernels("cdna4", level, "gfx950").run("f32_16x16x32_f16", 1, 64, [a, b, c])
    np.testing.assert_array_equal(c, spread(gathered(a.astype(np.float64)) @ gathered(b.astype(np.float64)).T))


@LEVELS
def test_a_scaled_matrix_instruction(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, b = (rng.integers(0x30, 0x48, (64, 32)).astype(np.uint8) for _ in range(2))
    scales = rng.integers(125, 130, (2, 64)).astype(np.int32)
    c = np.zeros((64, 4), np.float32)
    kernels("cdna4", level, "gfx950").run("scaled", 1, 64, [a, b, c, scales[0], scales[1]])
    x, y = (runs_gathered(fp8(v.astype(np.int64))) for v in (a, b))
    x, y = (v * np.repeat(2.0 ** (s.reshape(4, 16).T - 127), 32, 1) for v, s in zip((x, y), scales, strict=True))
    np.testing.assert_array_equal(c, spread(x @ y.T))


@LEVELS
def test_four_bit_floats(kernels: Any, level: int, rng: np.random.Generator) -> None:
    codes = rng.integers(0, 16, (2, 64, 32)).astype(np.uint8)
    packed = np.zeros((2, 64, 32), np.uint8)
    packed[:, :, :16] = codes[:, :, 0::2] | codes[:, :, 1::2] << 4
    c = np.zeros((64, 4), np.float32)
    kernels("cdna4", level, "gfx950").run("fp4", 1, 64, [packed[0], packed[1], c])
    x, y = np.where(codes & 8, -1, 1) * FP4[codes & 7]
    np.testing.assert_array_equal(c, spread(gathered(x) @ gathered(y).T))


@LEVELS
def test_transposed_reads(kernels: Any, level: int) -> None:
    tiles, found = np.arange(256, dtype=np.int16).reshape(4, 4, 16), np.zeros((64, 4), np.int16)
    kernels("cdna4", level, "gfx950").run("transposed", 1, 64, [tiles, found])
    np.testing.assert_array_equal(found, tiles.transpose(0, 2, 1).reshape(64, 4))


@LEVELS
def test_exchanged_halves(kernels: Any, level: int) -> None:
    a, found = np.arange(128, dtype=np.uint32), np.zeros(128, np.uint32)
    kernels("cdna4", level, "gfx950").run("swapped", 1, 64, [a, found])
    quarters = a.reshape(4, 32)
    np.testing.assert_array_equal(found.reshape(4, 32), quarters[[0, 2, 1, 3]])


@LEVELS
def test_functions_of_three_bits(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, b, c = rng.integers(0, 2**32, (3, 64), dtype=np.uint32)
    found = c.copy()
    kernels("cdna4", level, "gfx950").run("three", 1, 64, [a, b, found])
    np.testing.assert_array_equal(found, (a ^ b) | (~a & c))
