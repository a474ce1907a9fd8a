"""Loops that say how many turns are made at a time: as many loads in the machine code, and the same numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from support.unrolled_kernels import KERNELS, TURNS, arguments, code, expected, launch

from flydsl_hipsim.bench import HipsimBench

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
LOADS = {
    ("walked", None): 12,
    ("walked", 1): 1,
    ("walked", 2): 2,
    ("walked", 5): 6,
    ("waited", None): 12,
    ("waited", 1): 1,
    ("waited", 5): 6,
    ("counted", 1): 1,
    ("counted", 5): 6,
    ("nested", 1): 3,
    ("ended", 1): 3,
}


@pytest.mark.parametrize(("name", "unroll"), LOADS)
@pytest.mark.parametrize("arch", CHIPS)
def test_as_many_turns_are_in_the_code_as_it_says(arch: str, name: str, unroll: int | None) -> None:
    assert len(re.findall(r"(?:global|buffer)_load_", code(name, unroll, "rocm", arch))) == LOADS[name, unroll]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("arch", CHIPS)
def test_a_simulated_chip_computes_the_same(arch: str, name: str, hipsim: HipsimBench) -> None:
    hipsim.use(arch)
    unrolls: list[Any] = [None, 1, 2, 5, 12]
    for unroll in unrolls if name == "counted" else [*unrolls, True]:
        x, y = arguments()
        launch(x, y, TURNS, name, unroll)
        np.testing.assert_array_equal(y, expected(name, x), err_msg=f"unroll={unroll}")
