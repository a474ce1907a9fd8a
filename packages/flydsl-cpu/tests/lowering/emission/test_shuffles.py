"""Threads of a wave read each other's values."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from kernel_text import INDICES, load, random, store

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]


def _source(mode: str, lane: int, offset: int, width: int) -> int | None:
    first = lane - lane % width
    other = {"xor": lane ^ offset, "up": lane - offset, "down": lane + offset, "idx": first + offset % width}[mode]
    return other if first <= other < first + width else None


@pytest.mark.parametrize(
    ("mode", "offset", "width", "block", "known"),
    [
        *product(("xor", "up", "down", "idx"), (1, 5), (32, 8), (64, 40, 7), (False, True)),
    ],
)
def test_shuffle_reads_the_other_lane(
    compile_kernel: Compile, kernel_module: Module, mode: str, offset: int, width: int, block: int, known: bool
) -> None:
    body = (
        INDICES
        + load("x", "%p", "%t")
        + f"""
      %o = arith.constant {offset} : i32
      %w = arith.constant {width} : i32
      %v, %ok = gpu.shuffle {mode} %x, %o, %w : f32
      %okf = arith.uitofp %ok : i1 to f32
    """
        + store("%v", "%q", "%t", "out")
        + store("%okf", "%r", "%t", "valid")
    )
    arguments = "%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr"
    kernel = compile_kernel(kernel_module(arguments, body, block=(block, 1, 1) if known else None))
    x, z, valid = random(block), np.zeros(block, np.float32), np.zeros(block, np.float32)
    kernel(x, z, valid, block=(block, 1, 1))
    for thread in range(block):
        source = _source(mode, thread, offset, width)
        ok = source is not None and source < block
        assert valid[thread] == ok
        assert z[thread] == (x[source] if ok else x[thread])


def test_butterfly_of_shuffles_in_a_loop_sums_a_wave(compile_kernel: Compile, kernel_module: Module) -> None:
    body = (
        INDICES
        + load("x", "%p", "%t")
        + """
      %c16 = arith.constant 16 : i32
      %c32 = arith.constant 32 : i32
      %r:2 = "scf.while"(%c16, %x) ({
      ^bb0(%o: i32, %u: f32):
        %more = arith.cmpi sgt, %o, %c0 : i32
        scf.condition(%more) %o, %u : i32, f32
      }, {
      ^bb1(%o2: i32, %u2: f32):
        %v, %ok = gpu.shuffle xor %u2, %o2, %c32 : f32
        %s = arith.addf %u2, %v : f32
        %half = arith.shrsi %o2, %c1 : i32
        scf.yield %half, %s : i32, f32
      }) : (i32, f32) -> (i32, f32)
    """
        + store("%r#1", "%q", "%t", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body))
    x, z = random(96), np.zeros(96, np.float32)
    kernel(x, z, block=(96, 1, 1))
    expected = np.repeat(x.astype(np.float64).reshape(3, 32).sum(1), 32)
    np.testing.assert_allclose(z, expected, rtol=1e-4, atol=1e-5)
