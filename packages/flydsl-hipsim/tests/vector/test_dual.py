"""Dual instructions: two of RDNA's vector instructions in one, in waves of 32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

CHIPS = ("gfx1100", "gfx1201")


@pytest.mark.parametrize("level", [0, 2])
def test_both_halves_read_before_one_writes(kernels: Any, level: int) -> None:
    random = np.random.default_rng(41)
    x, y = (random.standard_normal(32).astype(np.float32) for _ in range(2))
    found = np.zeros((32, 2), np.float32)
    kernels("rdna", level).run("dual", 1, 32, [x, y, found])
    np.testing.assert_array_equal(found, np.stack([x + y, x * y], 1))
