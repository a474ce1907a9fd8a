"""Loops without synchronisation run once for the block where that makes accesses contiguous, and compute the same."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]
Text = Callable[[str], str]

THREADS = 64
ARGUMENTS = "%p: !llvm.ptr, %q: !llvm.ptr, %n: i32"
SUM = """
  %tx = gpu.thread_id x
  %t = arith.index_cast %tx : index to i32
  %step = arith.constant 64 : i32
  %zero = arith.constant 0 : i32
  %nothing = arith.constant 0.0 : f32
  START
  %sum = "scf.for"(%start, %n, %step, %nothing) ({
  ^bb0(%i: i32, %s: f32):
    INDEX
    %inside = arith.cmpi slt, %at, %n : i32
    %next = "scf.if"(%inside) ({
      %px = llvm.getelementptr %p[%at] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %x = llvm.load %px : !llvm.ptr -> f32
      %sx = arith.addf %s, %x : f32
      scf.yield %sx : f32
    }, {
      scf.yield %s : f32
    }) : (i1) -> f32
    scf.yield %next : f32
  }) : (i32, i32, i32, f32) -> f32
  %pq = llvm.getelementptr %q[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  llvm.store %sum, %pq : f32, !llvm.ptr
"""
STARTS = {
    "together": ("%start = arith.addi %zero, %zero : i32", "%at = arith.addi %i, %t : i32"),
    "at thread id": ("%start = arith.addi %t, %zero : i32", "%at = arith.addi %i, %zero : i32"),
    "backwards": ("%start = arith.subi %zero, %t : i32", "%at = arith.addi %i, %zero : i32"),
    "far apart": (
        "%start = arith.addi %zero, %zero : i32",
        "%ti = arith.muli %t, %step : i32\n%at = arith.addi %i, %ti : i32",
    ),
}


def sums(start: str) -> str:
    first, index = STARTS[start]
    return SUM.replace("START", first).replace("INDEX", index)


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200, 1000])
@pytest.mark.parametrize("start", ["together", "at thread id"])
def test_every_thread_sums_its_elements(start: str, n: int, compile_kernel: Compile, kernel_module: Module) -> None:
    kernel = compile_kernel(kernel_module(ARGUMENTS, sums(start), block=(THREADS, 1, 1)))
    x = np.random.default_rng(n).standard_normal(n + 1, dtype=np.float32)
    y = np.full(THREADS, np.nan, np.float32)
    kernel(x, y, ctypes.c_int32(n), block=(THREADS, 1, 1))
    np.testing.assert_allclose(
        y, [x[t:n:THREADS].astype(np.float64).sum() for t in range(THREADS)], rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(("start", "is_hoisted"), [
    ("together", True),
    ("at thread id", True),
    ("backwards", False),
    ("far apart", False),
])  # fmt: skip
def test_only_contiguous_loops_that_start_in_order_run_for_the_block(
    start: str, is_hoisted: bool, thread_loops: Text, kernel_module: Module
) -> None:
    text = thread_loops(kernel_module(ARGUMENTS, sums(start), block=(THREADS, 1, 1)))
    assert ('"scf.for"' not in text) == is_hoisted


ROLLED = "#llvm.loop_annotation<unroll = <disable = true>>"
UNTIL = """
  %tx = gpu.thread_id x
  %t = arith.index_cast %tx : index to i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %turns = "scf.while"(%zero) ({
  ^bb0(%i: i32):
    %more = arith.cmpi slt, %i, %n : i32
    "scf.condition"(%more, %i) : (i1, i32) -> ()
  }, {
  ^bb0(%i: i32):
    %px = llvm.getelementptr %p[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %x = llvm.load %px : !llvm.ptr -> f32
    gpu.barrier
    %pq = llvm.getelementptr %q[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %x, %pq : f32, !llvm.ptr
    %next = arith.addi %i, %one : i32
    "scf.yield"(%next) : (i32) -> ()
  }) : (i32) -> i32
"""


@pytest.mark.parametrize("loop", [*STARTS, "until"])
def test_a_loop_that_is_not_to_be_unrolled_says_so_wherever_it_runs(
    loop: str, thread_loops: Text, kernel_module: Module
) -> None:
    """At the branch back where it runs for the block; else MLIR puts it there."""
    head, _, tail = (UNTIL if loop == "until" else sums(loop)).rpartition("})")
    for annotation, expected in (("", 0), (f"{{loop_annotation = {ROLLED}}}", 1)):
        text = thread_loops(kernel_module(ARGUMENTS, f"{head}}}) {annotation}{tail}", block=(THREADS, 1, 1)))
        found = [line for line in text.splitlines() if ROLLED in line]
        assert len(found) == expected
        is_hoisted = loop in ("together", "at thread id", "until")
        assert all(('"cf.br"' in line) == is_hoisted for line in found)


@pytest.mark.parametrize("n", [2**31 - 1, -(2**31)])
def test_ranges_that_start_at_thread_ids_do_not_wrap_around(
    n: int, compile_kernel: Compile, kernel_module: Module
) -> None:
    """Two iterations at each end of the integers, counted by each thread."""
    body = """
      %tx = gpu.thread_id x
      %t = arith.index_cast %tx : index to i32
      %step = arith.constant 64 : i32
      %one = arith.constant 1 : i32
      %start = arith.addi %first, %t : i32
      %pq = llvm.getelementptr %q[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      "scf.for"(%start, %end, %step) ({
      ^bb0(%i: i32):
        %c = llvm.load %pq : !llvm.ptr -> i32
        %d = arith.addi %c, %one : i32
        llvm.store %d, %pq : i32, !llvm.ptr
        "scf.yield"() : () -> ()
      }) : (i32, i32, i32) -> ()
    """
    first, end = (n - 163, n - 63) if n > 0 else (n, n + 100)
    kernel = compile_kernel(kernel_module("%q: !llvm.ptr, %first: i32, %end: i32", body, block=(THREADS, 1, 1)))
    counts = np.zeros(THREADS, np.int32)
    kernel(counts, ctypes.c_int32(first), ctypes.c_int32(end), block=(THREADS, 1, 1))
    np.testing.assert_array_equal(counts, [len(range(first + t, end, THREADS)) for t in range(THREADS)])


def test_checks_inside_of_checks_are_decided_for_the_whole_block(
    thread_loops: Text, compile_kernel: Compile, kernel_module: Module
) -> None:
    """A vector that is inside is loaded at once, and the last one element by element: full blocks have no branch."""
    body = """
      %tx = gpu.thread_id x
      %t = arith.index_cast %tx : index to i32
      %two = arith.constant 2 : i32
      %first = arith.muli %t, %two : i32
      %inside = arith.cmpi slt, %first, %n : i32
      "scf.if"(%inside) ({
        %last = arith.addi %first, %two : i32
        %whole = arith.cmpi sle, %last, %n : i32
        %px = llvm.getelementptr %p[%first] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %py = llvm.getelementptr %q[%first] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        "scf.if"(%whole) ({
          %v = llvm.load %px {alignment = 4 : i64} : !llvm.ptr -> vector<2xf32>
          %w = arith.addf %v, %v : vector<2xf32>
          llvm.store %w, %py {alignment = 4 : i64} : vector<2xf32>, !llvm.ptr
          "scf.yield"() : () -> ()
        }, {
          %x = llvm.load %px : !llvm.ptr -> f32
          %y = arith.addf %x, %x : f32
          llvm.store %y, %py : f32, !llvm.ptr
          "scf.yield"() : () -> ()
        }) : (i1) -> ()
        "scf.yield"() : () -> ()
      }, {
        "scf.yield"() : () -> ()
      }) : (i1) -> ()
    """
    module = kernel_module(ARGUMENTS, body, block=(THREADS, 1, 1))
    assert thread_loops(module).count('"scf.if"') == 2  # both in the version for blocks at the border
    kernel = compile_kernel(module)
    for n in (0, 1, 2, 77, 127, 128):
        x = np.random.default_rng(n).standard_normal(129, dtype=np.float32)
        y = np.zeros_like(x)
        kernel(x, y, ctypes.c_int32(n), block=(THREADS, 1, 1))
        np.testing.assert_array_equal(y, np.where(np.arange(129) < n, 2 * x, 0))
