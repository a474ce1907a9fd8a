"""Reductions over the lanes of a wave run as one loop over waves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from kernel_text import INDICES, load, random, store

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]

OFFSETS = (16, 8, 4, 2, 1)


def reduction(
    offsets: Sequence[int], value: str = "x0", *, combine: str = "arith.addf", between: str = "", swapped: bool = False
) -> str:
    """`%r` = `%x0` combined over lanes."""
    text = "%w = arith.constant 32 : i32\n"
    for i, offset in enumerate(offsets):
        own, result = value if i == 0 else f"x{i}", f"x{i + 1}"
        other = f"%v{i}, %{own}" if swapped else f"%{own}, %v{i}"
        text += f"""
          %o{i} = arith.constant {offset} : i32
          %v{i}, %ok{i} = gpu.shuffle xor %{own}, %o{i}, %w : f32
          {between.format(value=f"%v{i}") if i == 1 else ""}
          %{result} = {combine} {other} : f32
        """
    return text + f"%zero = arith.constant 0.0 : f32\n%r = arith.addf %x{len(offsets)}, %zero : f32\n"


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_sums_over_waves(compile_kernel: Compile, kernel_module: Module, known: bool, swapped: bool) -> None:
    body = INDICES + load("x0", "%p", "%t") + reduction(OFFSETS, swapped=swapped) + store("%r", "%q", "%t", "out")
    arguments = "%p: !llvm.ptr, %q: !llvm.ptr"
    kernel = compile_kernel(kernel_module(arguments, body, block=(96, 1, 1) if known else None))
    x, z = random(96), np.zeros(96, np.float32)
    kernel(x, z, block=(96, 1, 1))
    np.testing.assert_allclose(z, np.repeat(x.astype(np.float64).reshape(3, 32).sum(1), 32), rtol=1e-5, atol=1e-5)


def test_a_carried_sum_is_read_before_it_is_replaced(compile_kernel: Compile, kernel_module: Module) -> None:
    body = (
        INDICES
        + load("x", "%p", "%t")
        + """
      %c3 = arith.constant 3 : i32
      %s = "scf.for"(%c0, %c3, %c1, %x) ({
      ^bb0(%i: i32, %u: f32):
        %half = arith.constant 0.125 : f32
        %y = arith.mulf %u, %half : f32
        """
        + reduction((2, 1), "y")
        + """
        %at = arith.addi %t, %c0 : i32
        %old = llvm.getelementptr %q[%at] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        llvm.store %u, %old : f32, !llvm.ptr
        scf.yield %x2 : f32
      }) : (i32, i32, i32, f32) -> f32
    """
        + store("%s", "%p", "%t", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(32, 1, 1)))
    x, old = random(32), np.zeros(32, np.float32)
    steps = [x.astype(np.float64)]
    for _ in range(3):
        steps.append(np.repeat(steps[-1].reshape(8, 4).sum(1), 4) / 8)
    kernel(x, old, block=(32, 1, 1))
    np.testing.assert_allclose(x, steps[3], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(old, steps[2], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("between", "loops"), [("", 1), ("llvm.store {value}, %p : f32, !llvm.ptr", 2)])
def test_steps_with_nothing_between_them_share_a_loop(
    thread_loops: Callable[[str], str], kernel_module: Module, between: str, loops: int
) -> None:
    body = INDICES + load("x0", "%p", "%t") + reduction(OFFSETS[:2], between=between) + store("%r", "%p", "%t", "out")
    text = thread_loops(kernel_module("%p: !llvm.ptr", body, block=(64, 1, 1)))
    assert text.count("vector.shuffle") == 2
    assert text.count("unroll = <disable = true>") == loops


def test_one_wave_needs_no_loop(thread_loops: Callable[[str], str], kernel_module: Module) -> None:
    body = INDICES + load("x0", "%p", "%t") + reduction(OFFSETS[:2]) + store("%r", "%p", "%t", "out")
    text = thread_loops(kernel_module("%p: !llvm.ptr", body, block=(32, 1, 1)))
    assert text.count("vector.shuffle") == 2
    assert "unroll = <disable = true>" not in text
