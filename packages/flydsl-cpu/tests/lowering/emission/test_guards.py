"""Conditions that hold for a whole block choose nothing in it, and what one lane does is done once a wave."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

import numpy as np
import pytest
from kernel_text import INDICES, load, store

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]
Text = Callable[[str], str]

BLOCK = 64


def chosen(bound: str) -> str:
    """q[i] = p[i] where i < `bound`, else 0, for the i < n."""
    return (
        INDICES
        + f"""
      %size = arith.constant {BLOCK} : i32
      %zero = arith.constant 0.0 : f32
      %half = arith.constant {BLOCK // 2} : i32
      %first = arith.muli %b, %size : i32
      %i = arith.addi %first, %t : i32
      %is_there = arith.cmpi slt, %i, %n : i32
      scf.if %is_there {{
        %is_inside = arith.cmpi slt, {bound} : i32
        {load("x", "%p", "%i")}
        %y = arith.select %is_inside, %x, %zero : f32
        {store("%y", "%q", "%i", "out")}
      }}
    """
    )


@pytest.mark.parametrize(("n", "m"), [(1000, 1000), (1000, 700), (129, 64), (5, 3), (64, 0)])
def test_conditions_of_choices_are_checked_for_the_block(
    compile_kernel: Compile, kernel_module: Module, thread_loops: Text, rng: np.random.Generator, n: int, m: int
) -> None:
    module = kernel_module("%p: !llvm.ptr, %q: !llvm.ptr, %n: i32, %m: i32", chosen("%i, %m"), block=(BLOCK, 1, 1))
    assert thread_loops(module).count("value = 1 : i1") + thread_loops(module).count("value = true") == 1
    x, y = rng.standard_normal(n, dtype=np.float32), np.full(n + BLOCK, 7, np.float32)
    kernel = compile_kernel(module)
    kernel(x, y, ctypes.c_int32(n), ctypes.c_int32(m), grid=(-(-n // BLOCK), 1, 1), block=(BLOCK, 1, 1))
    np.testing.assert_array_equal(y[:n], np.where(np.arange(n) < m, x, 0))
    np.testing.assert_array_equal(y[n:], 7)


def test_choices_that_differ_in_every_block_do_not_stand_in_the_way(kernel_module: Module, thread_loops: Text) -> None:
    module = kernel_module("%p: !llvm.ptr, %q: !llvm.ptr, %n: i32", chosen("%t, %half"), block=(BLOCK, 1, 1))
    assert "value = true" not in thread_loops(module)
    assert "value = 1 : i1" not in thread_loops(module)


@pytest.mark.parametrize("lane", [0, 5, 31])
@pytest.mark.parametrize("index", ["gpu.lane_id", "arith.remui %tx, %wave : index"])
def test_what_one_lane_does_is_one_turn_of_a_loop(
    compile_kernel: Compile,
    kernel_module: Module,
    thread_loops: Text,
    rng: np.random.Generator,
    lane: int,
    index: str,
) -> None:
    body = (
        INDICES
        + f"""
      %wave = arith.constant 32 : index
      %size = arith.constant 32 : i32
      %own = {index}
      %wanted = arith.constant {lane} : index
      %is_lane = arith.cmpi eq, %own, %wanted : index
      %number = arith.divsi %t, %size : i32
      {load("x", "%p", "%t")}
      scf.if %is_lane {{
        {store("%x", "%q", "%number", "out")}
      }}
    """
    )
    module = kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(256, 1, 1))
    if lane == 5:  # the other bounds are constants of the kernel too
        assert "6" in re.findall(r"value = (\d+) : i32", thread_loops(module))
    x, y = rng.standard_normal(256, dtype=np.float32), np.zeros(8, np.float32)
    compile_kernel(module)(x, y, block=(256, 1, 1))
    np.testing.assert_array_equal(y, x[lane::32])


def test_what_other_lanes_do_too_is_kept(
    compile_kernel: Compile, kernel_module: Module, rng: np.random.Generator
) -> None:
    body = (
        INDICES
        + "%size = arith.constant 32 : i32\n%own = arith.remui %t, %size : i32\n"
        + "%is_first = arith.cmpi eq, %own, %c0 : i32\n"
        + load("x", "%p", "%t")
        + "scf.if %is_first {\n"
        + store("%x", "%q", "%own", "out")
        + "} else {\n"
        + store("%x", "%q", "%t", "other")
        + "}\n"
    )
    x, y = rng.standard_normal(64, dtype=np.float32), np.zeros(64, np.float32)
    compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(64, 1, 1)))(x, y, block=(64, 1, 1))
    np.testing.assert_array_equal(y[1:32], x[1:32])
    np.testing.assert_array_equal(y[33:], x[33:])
    assert y[0] in (x[0], x[32])


def test_narrow_thread_ids_begin_again(compile_kernel: Compile, kernel_module: Module) -> None:
    """Those of 8 bits are 0 in two of 512 threads."""
    body = (
        INDICES
        + "%narrow = arith.trunci %t : i32 to i8\n%zero = arith.constant 0 : i8\n"
        + "%is_first = arith.cmpi eq, %narrow, %zero : i8\n"
        + "%four = arith.constant 4 : i8\n%y = arith.floordivsi %narrow, %four : i8\n"
        + store("%y", "%p", "%t", "all", "i8")
        + "scf.if %is_first {\n"
        + store("%four", "%q", "%t", "one", "i8")
        + "}\n"
    )
    ids = np.arange(512).astype(np.int8)
    for text in (body, body.replace(store("%y", "%p", "%t", "all", "i8"), "")):
        p, q = np.zeros(512, np.int8), np.zeros(512, np.int8)
        compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", text, block=(512, 1, 1)))(p, q, block=(512, 1, 1))
        np.testing.assert_array_equal(q, np.where(ids == 0, 4, 0))
        np.testing.assert_array_equal(p, ids // 4 if text is body else 0)


@pytest.mark.parametrize("name", ["divsi", "remsi", "floordivsi", "divui", "remui"])
def test_divisions_of_negative_sums_of_thread_ids(compile_kernel: Compile, kernel_module: Module, name: str) -> None:
    """Those of i - 8 j for the threads i + 4 j."""
    body = (
        INDICES
        + "%four = arith.constant 4 : i32\n%eight = arith.constant 8 : i32\n"
        + "%i = arith.remui %t, %four : i32\n%j = arith.divui %t, %four : i32\n"
        + "%less = arith.muli %j, %eight : i32\n%x = arith.subi %i, %less : i32\n"
        + f"%y = arith.{name} %x, %four : i32\n"
        + store("%y", "%p", "%t", "out", "i32")
    )
    threads, p = np.arange(64), np.zeros(64, np.int32)
    compile_kernel(kernel_module("%p: !llvm.ptr", body, block=(64, 1, 1)))(p, block=(64, 1, 1))
    x = threads % 4 - 8 * (threads // 4)
    unsigned, truncated = x % 2**32, np.trunc(x / 4).astype(np.int64)
    expected = {
        "divsi": truncated, "remsi": x - 4 * truncated, "floordivsi": x // 4, "divui": unsigned // 4, "remui": x % 4
    }[name]  # fmt: skip
    np.testing.assert_array_equal(p, expected.astype(np.uint32).view(np.int32))
