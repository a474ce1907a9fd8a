"""Blocks of two and three dimensions number their threads as devices do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from kernel_text import SHARED, load, random, store

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]


@pytest.mark.parametrize("block", [(5, 3, 2), (1, 7, 1), (4, 1, 3), (32, 2, 1)])
@pytest.mark.parametrize("known", [True, False])
def test_three_dimensional_blocks_number_every_thread(
    compile_kernel: Compile, kernel_module: Module, block: tuple[int, int, int], known: bool
) -> None:
    body = """
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %tz = gpu.thread_id z
      %dx = gpu.block_dim x
      %dy = gpu.block_dim y
      %a = arith.muli %tz, %dy : index
      %b = arith.addi %a, %ty : index
      %c = arith.muli %b, %dx : index
      %d = arith.addi %c, %tx : index
      %i = arith.index_cast %d : index to i32
      %lane = gpu.lane_id
      %wave = gpu.subgroup_id
      %waves = gpu.num_subgroups
      %l = arith.index_cast %lane : index to i32
      %w = arith.index_cast %wave : index to i32
      %n = arith.index_cast %waves : index to i32
      %k = arith.constant 100 : i32
      %w2 = arith.muli %w, %k : i32
      %w3 = arith.addi %w2, %l : i32
      %k2 = arith.constant 10000 : i32
      %n2 = arith.muli %n, %k2 : i32
      %v = arith.addi %w3, %n2 : i32
    """ + store("%v", "%q", "%i", "out", "i32")
    kernel = compile_kernel(kernel_module("%q: !llvm.ptr", body, block=block if known else None))
    count = int(np.prod(block))
    z = np.zeros(count, np.int32)
    kernel(z, block=block)
    i = np.arange(count)
    np.testing.assert_array_equal(z, i % 32 + i // 32 * 100 + -(-count // 32) * 10000)


def test_two_dimensional_transposition_through_shared_memory(compile_kernel: Compile, kernel_module: Module) -> None:
    body = (
        """
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %x = arith.index_cast %tx : index to i32
      %y = arith.index_cast %ty : index to i32
      %w = arith.constant 12 : i32
      %h = arith.constant 5 : i32
      %row = arith.muli %y, %w : i32
      %i = arith.addi %row, %x : i32
      %s = llvm.mlir.addressof @tile : !llvm.ptr
    """
        + load("v", "%p", "%i")
        + """
      %col = arith.muli %x, %h : i32
      %j = arith.addi %col, %y : i32
    """
        + store("%v", "%s", "%j", "put")
        + "gpu.barrier\n"
        + load("u", "%s", "%i")
        + store("%u", "%q", "%i", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(12, 5, 1), symbols=SHARED))
    x, z = random(5, 12), np.zeros((12, 5), np.float32)
    kernel(x, z, block=(12, 5, 1))
    np.testing.assert_array_equal(z, x.T)
