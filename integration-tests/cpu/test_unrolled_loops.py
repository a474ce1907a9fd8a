"""Loops that say how many turns are made at a time, on the CPU: they stay loops, and compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.unrolled_kernels import KERNELS, TURNS, arguments, code, expected, launch

from flydsl_cpu.backend import CpuBackend


def size(name: str, unroll: Any, level: int) -> int:
    return len(code(name, unroll, "cpu", CpuBackend().default_arch(), level).splitlines())


@pytest.mark.parametrize(("name", "level"), [("walked", 2), ("walked", 3), ("waited", 3)])
def test_a_loop_that_says_so_is_not_unrolled(name: str, level: int) -> None:
    rolled, by_two, left_to_llvm = (size(name, unroll, level) for unroll in (1, 2, None))
    assert rolled < by_two < left_to_llvm
    assert rolled * 2 < left_to_llvm


@pytest.mark.parametrize("name", KERNELS)
def test_the_numbers_are_the_same(name: str) -> None:
    unrolls: list[Any] = [None, 1, 2, 5, 12]
    for unroll in unrolls if name == "counted" else [*unrolls, True]:
        x, y = arguments()
        launch(x, y, TURNS, name, unroll)
        np.testing.assert_array_equal(y, expected(name, x), err_msg=f"unroll={unroll}")
