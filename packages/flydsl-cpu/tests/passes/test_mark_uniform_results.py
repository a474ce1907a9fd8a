"""Results of reductions over a block are values of the block."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from kernel_text import INDICES, load, random, store

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]


def kernel_text(kernel_module: Module, block: Sequence[int], offsets: Sequence[int], period: int) -> str:
    """Each thread reads number `thread % period`, sums over lanes and stores the root."""
    body = INDICES + f"%n = arith.constant {period} : i32\n%i = arith.remui %t, %n : i32\n" + load("x0", "%p", "%i")
    body += "%w = arith.constant 32 : i32\n"
    for i, offset in enumerate(offsets):
        body += f"""
          %o{i} = arith.constant {offset} : i32
          %v{i}, %ok{i} = gpu.shuffle xor %x{i}, %o{i}, %w : f32
          %x{i + 1} = arith.addf %x{i}, %v{i} : f32
        """
    body += f"%r = math.sqrt %x{len(offsets)} : f32\n" + store("%r", "%q", "%t", "out")
    return kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=block)


CASES = [
    ((64, 1, 1), (4, 2, 1), 8, True),
    ((32, 1, 1), (16, 8, 4, 2, 1), 32, True),
    ((64, 1, 1), (16, 8, 4, 2, 1), 64, False),  # two waves
    ((64, 1, 1), (4, 1), 8, False),
    ((96, 1, 1), (4, 2, 1), 8, False),
    ((32, 2, 1), (4, 2, 1), 8, False),
]


@pytest.mark.parametrize(("block", "offsets", "period", "agreed"), CASES)
def test_what_covers_all_bits_is_computed_once(
    thread_loops: Callable[[str], str],
    kernel_module: Module,
    block: Sequence[int],
    offsets: Sequence[int],
    period: int,
    agreed: bool,
) -> None:
    text = thread_loops(kernel_text(kernel_module, block, offsets, period))
    root, store_ = text.index("math.sqrt"), text.rindex("llvm.store")
    assert ("^" in text[root:store_]) == agreed  # the root is in another block than the loop that stores it


@pytest.mark.parametrize(("block", "offsets", "period", "agreed"), CASES)
def test_sums_of_all_threads(
    compile_kernel: Compile,
    kernel_module: Module,
    block: Sequence[int],
    offsets: Sequence[int],
    period: int,
    agreed: bool,
) -> None:
    kernel = compile_kernel(kernel_text(kernel_module, block, offsets, period))
    x, z = np.abs(random(period)), np.zeros(block[0], np.float32)
    kernel(x, z, block=block)
    sums = x.astype(np.float64)[np.arange(block[0]) % period]
    for offset in offsets:
        sums = sums + sums[np.arange(block[0]) ^ offset]
    np.testing.assert_allclose(z, np.sqrt(sums), rtol=1e-5)


def test_chains_may_be_longer_than_python_recurses(compile_kernel: Compile, kernel_module: Module) -> None:
    count = 1500
    body = INDICES + load("x0", "%p", "%t") + "%w = arith.constant 32 : i32\n%o = arith.constant 16 : i32\n"
    body += "".join(f"%x{i + 1} = arith.addf %x{i}, %x0 : f32\n" for i in range(count))
    body += f"%y = arith.addf %x{count}, %x0 : f32\n%v, %ok = gpu.shuffle xor %x{count}, %o, %w : f32\n"
    body += f"%s = arith.addf %x{count}, %v : f32\n%r = arith.addf %s, %y : f32\n"
    body += store("%r", "%q", "%t", "out")
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(32, 1, 1)))
    x, result = np.arange(32, dtype=np.float32), np.full(32, -1, np.float32)
    kernel(x, result, block=(32, 1, 1))
    np.testing.assert_array_equal(result, (count + 1) * (x + np.roll(x, 16)) + (count + 2) * x)
