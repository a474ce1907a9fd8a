"""Instructions that RDNA4 adds, by clang's builtins, against NumPy; and what the simulator refuses."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

CHIPS = ("gfx1201",)
LEVELS = pytest.mark.parametrize("level", [0, 2])
OLD = 0xDEAD
RANDOM = np.random.default_rng(37)


@LEVELS
def test_eight_bit_floats_of_the_ocp(kernels: Any, level: int) -> None:
    a = (RANDOM.standard_normal((64, 4)) * 10.0 ** RANDOM.integers(-2, 3, (64, 4))).astype(np.float32)
    a = np.clip(a, -448, 448)
    codes, back = np.zeros((64, 4), np.uint8), np.zeros_like(a)
    kernels("rdna", level).run("eight_bits", 1, 64, [a, codes, back])
    expected = a.astype(ml_dtypes.float8_e4m3fn)
    np.testing.assert_array_equal(codes, expected.view(np.uint8))
    np.testing.assert_array_equal(back, expected.astype(np.float32))


@LEVELS
def test_every_lane_of_a_row_chooses_another(kernels: Any, level: int) -> None:
    a, which = (RANDOM.integers(0, 2**32, 64, dtype=np.uint32) for _ in range(2))
    found, lane = np.zeros((64, 2), np.uint32), np.arange(64)
    kernels("rdna", level).run("rows_each", 1, 64, [a, which, found])
    source = (lane & ~15) + (which & 15)
    np.testing.assert_array_equal(found, np.stack([a[source], a[source ^ 16]], 1))
