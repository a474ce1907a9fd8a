"""Loops over threads are marked parallel only where LLVM may move what it moves within an iteration."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest
from kernel_text import INDICES, SHARED, load, random, store

Module = Callable[..., str]
Text = Callable[[str], str]
Compile = Callable[..., Callable[..., None]]

ARGUMENTS = "%p: !llvm.ptr, %q: !llvm.ptr, %n: i32"
THREADS = 64
ROWS = """
  %c2 = arith.constant 2 : i32
  %width = arith.constant 4 : i32
  %row = arith.muli %t, %width : i32
  %next = arith.addi %row, %c1 : i32
  %any = arith.xori %row, %n : i32
"""
"""A row of four elements for each thread, and an element of it that only the launch knows."""


def body(*lines: str) -> str:
    return INDICES + ROWS + "".join(lines)


def marked(text: str) -> int:
    return text.count("parallelAccesses")


def write(index: str, tag: str, base: str = "%p") -> str:
    return store("%n", base, index, tag, "i32")


CASES = {
    "a store behind all loads": (load("x", "%p", "%row") + store("%x", "%p", "%any", "a"), True),
    "a load behind a store that may be to its place": (write("%any", "a") + load("x", "%p", "%row"), False),
    "a load of another element than was stored": (write("%row", "a") + load("x", "%p", "%next"), True),
    "two stores, maybe to one place": (write("%row", "a") + write("%any", "b"), False),
    "two stores to one place": (write("%row", "a") + write("%row", "b"), False),
    "neighbours, which form no groups": (write("%t", "a") + load("x", "%p", "%t") + write("%t", "b", "%q"), True),
    "neighbours of two arguments": (write("%t", "a") + load("x", "%q", "%t") + write("%t", "b", "%q"), True),
}
"""What a thread does, and whether the loop over the threads is parallel."""


@pytest.mark.parametrize(("lines", "parallel"), CASES.values(), ids=CASES)
def test_a_loop_is_parallel_where_nothing_moves_past_what_it_depends_on(
    thread_loops: Text, kernel_module: Module, lines: str, parallel: bool
) -> None:
    text = thread_loops(kernel_module(ARGUMENTS, body(lines), block=(THREADS, 1, 1)))
    assert marked(text) == int(parallel)
    assert ("access_groups" in text) == parallel


def test_branches_of_one_condition_do_not_meet(thread_loops: Text, kernel_module: Module) -> None:
    either = "%c = arith.cmpi slt, %any, %n : i32\nscf.if %c {\n"
    lines = (either, store("%n", "%p", "%row", "a", "i32"), "} else {\n", store("%c1", "%p", "%any", "b", "i32"), "}\n")
    text = thread_loops(kernel_module(ARGUMENTS, body(*lines), block=(THREADS, 1, 1)))
    assert marked(text) == 1


def test_stores_in_a_loop_of_the_thread_meet_those_of_its_next_turn(thread_loops: Text, kernel_module: Module) -> None:
    loop = "scf.for %k = %c0 to %width step %c1 : i32 {\n%at = arith.remui %k, %c2 : i32\n"
    place = "%to = arith.addi %row, %at : i32\n"
    text = thread_loops(
        kernel_module(ARGUMENTS, body(loop, place, store("%k", "%p", "%to", "a", "i32"), "}\n"), block=(THREADS, 1, 1))
    )
    assert marked(text) == 0


def test_arrays_of_shared_memory_and_arguments_do_not_meet(thread_loops: Text, kernel_module: Module) -> None:
    shared = "%s = llvm.mlir.addressof @tile : !llvm.ptr\n"
    lines = (shared, store("%n", "%s", "%any", "a", "i32"), load("x", "%p", "%row"), store("%x", "%p", "%next", "b"))
    text = thread_loops(kernel_module(ARGUMENTS, body(*lines), block=(THREADS, 1, 1), symbols=SHARED))
    assert marked(text) == 1


def test_a_launch_of_apart_arguments_runs_the_parallel_version(thread_loops: Text, kernel_module: Module) -> None:
    lines = (store("%n", "%p", "%row", "a", "i32"), load("x", "%q", "%next"), store("%x", "%p", "%next", "b"))
    text = thread_loops(kernel_module(ARGUMENTS, body(*lines), block=(THREADS, 1, 1)))
    assert marked(text) == 1
    assert text.count("llvm.ptrtoint") == 4, "both ends of both arguments"


@pytest.mark.parametrize("shift", [0, 1, THREADS * 4], ids=["the same array", "overlapping rows", "apart"])
def test_arguments_that_overlap_are_read_and_written_in_order(
    compile_kernel: Compile, kernel_module: Module, shift: int
) -> None:
    first = load("x", "%p", "%row") + store("%x", "%q", "%next", "a")
    second = load("y", "%p", "%next") + store("%y", "%q", "%row", "b")
    kernel = compile_kernel(kernel_module(ARGUMENTS, body(first, second), block=(THREADS, 1, 1)))
    memory = random(THREADS * 8 + 1)
    expected = memory.copy()
    out = expected[shift:]
    for t in range(0, THREADS * 4, 4):
        out[t + 1] = expected[t]
        out[t] = expected[t + 1]
    kernel(memory, memory[shift:], ctypes.c_int32(0), block=(THREADS, 1, 1))
    np.testing.assert_array_equal(memory, expected)


def test_choices_of_values_stay_in_the_version_for_apart_arguments(
    compile_kernel: Compile, kernel_module: Module
) -> None:
    inside = "%zero = arith.constant 0.0 : f32\n%in = arith.cmpi slt, %t, %n : i32\n"
    chosen = (
        inside + load("x", "%q", "%next") + "%y = arith.select %in, %x, %zero : f32\n" + store("%y", "%p", "%next", "b")
    )
    kernel = compile_kernel(kernel_module(ARGUMENTS, body(write("%row", "a"), chosen), block=(THREADS, 1, 1)))
    p, q, n = np.zeros(THREADS * 4, np.float32), random(THREADS * 4), 5
    kernel(p, q, ctypes.c_int32(n), block=(THREADS, 1, 1))
    expected = np.where(np.arange(THREADS) < n, q[1::4], 0)
    np.testing.assert_array_equal(p[1::4], expected)
