"""Shuffles with known lanes permute vectors of a wave; `test_shuffles.py` compares their results."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from kernel_text import INDICES, load, store

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]


def shuffles(kernel_module: Module, block: int, *, offset: str = "arith.constant 3 : i32", times: int = 1) -> str:
    body = INDICES + load("x0", "%p", "%t") + f"%o = {offset}\n%w = arith.constant 32 : i32\n"
    for i in range(times):
        body += f"%x{i + 1}, %ok{i} = gpu.shuffle xor %x{i}, %o, %w : f32\n"
    body += store(f"%x{times}", "%p", "%t", "out")
    return kernel_module("%p: !llvm.ptr", body, block=(block, 1, 1))


@pytest.mark.parametrize(
    ("block", "offset", "expected"),
    [
        (64, "arith.constant 3 : i32", True),
        (48, "arith.constant 3 : i32", False),
        (64, "arith.addi %t, %t : i32", False),
    ],
)
def test_known_lanes_of_whole_waves_are_permuted(
    thread_loops: Callable[[str], str], kernel_module: Module, block: int, offset: str, expected: bool
) -> None:
    assert ("vector.shuffle" in thread_loops(shuffles(kernel_module, block, offset=offset))) == expected


def test_shuffles_one_after_the_other_share_an_array(compile_kernel: Compile, kernel_module: Module) -> None:
    kernel = compile_kernel(shuffles(kernel_module, 96, times=3))
    x = np.arange(96, dtype=np.float32)
    kernel(x, block=(96, 1, 1))
    np.testing.assert_array_equal(x, np.arange(96) ^ 3)
