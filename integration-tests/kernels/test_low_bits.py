"""The low bits of computed floating-point numbers, stored as integers of fewer bits."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

THREADS = 64
NARROW = {"float64": ("uint8", "uint16", "uint32"), "float32": ("uint8", "uint16"), "float16": ("uint8",)}
BITS = {"float64": fx.Int64, "float32": fx.Int32, "float16": fx.Int16}
INTEGERS = {"uint8": fx.Uint8, "uint16": fx.Uint16, "uint32": fx.Uint32}


@flyc.kernel
def low_bits_kernel(x: fx.Tensor, y: fx.Tensor, bits: fx.Constexpr[type], low: fx.Constexpr[type]):
    i = fx.thread_idx.x
    y[i] = (x[i] + x[i]).bitcast(bits).to(low)


@flyc.jit
def low_bits(x: fx.Tensor, y: fx.Tensor, bits: fx.Constexpr[type], low: fx.Constexpr[type]):
    low_bits_kernel(x, y, bits, low).launch(grid=1, block=THREADS)


@pytest.mark.parametrize("wide, narrow", [(wide, narrow) for wide, all_ in NARROW.items() for narrow in all_])
def test_low_bits_of_a_sum_are_stored_as_they_are(
    rng: np.random.Generator, wide: str, narrow: str, target: object
) -> None:
    x = rng.uniform(-4, 4, THREADS).astype(wide)
    y = np.zeros(THREADS, narrow)
    low_bits(x, y, BITS[wide], INTEGERS[narrow])
    sums = x + x
    np.testing.assert_array_equal(y, sums.view(f"u{sums.itemsize}").astype(narrow))
