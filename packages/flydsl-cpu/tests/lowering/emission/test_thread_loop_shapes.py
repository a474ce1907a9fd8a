"""Thread loops are split, versioned and made scalar where that helps the vectoriser, and compute the same."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]
Text = Callable[[str], str]

TILE = """
  %tx = gpu.thread_id x
  %bx = gpu.block_id x
  %by = gpu.block_id y
  %t = arith.index_cast %tx : index to i32
  %b = arith.index_cast %bx : index to i32
  %c = arith.index_cast %by : index to i32
  %c4 = arith.constant 4 : i32
  %cols = arith.constant COLS : i32
  %rows = arith.constant ROWS : i32
  %lane = arith.remsi %t, %cols : i32
  %row0 = arith.divsi %t, %cols : i32
  %x0 = arith.muli %lane, %c4 : i32
  %width = arith.muli %cols, %c4 : i32
  %xb = arith.muli %b, %width : i32
  %x = arith.addi %xb, %x0 : i32
  %yb = arith.muli %c, %rows : i32
  %y = arith.addi %yb, %row0 : i32
  %inx = arith.cmpi slt, %x, %m : i32
  %iny = arith.cmpi slt, %y, %n : i32
  %in = arith.andi %inx, %iny : i1
  %line = arith.muli %y, %pitch : i32
  %at = arith.addi %line, %x : i32
  %pa = llvm.getelementptr %p[%at] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  %pb = llvm.getelementptr %q[%at] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  %none = "ub.poison"() : () -> vector<4xf32>
  %v = "scf.if"(%in) ({
    %u = llvm.load %pa {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    scf.yield %u : vector<4xf32>
  }, {
    scf.yield %none : vector<4xf32>
  }) : (i1) -> vector<4xf32>
  %two = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %s = "vector.broadcast"(%k) : (f32) -> vector<4xf32>
  %w = arith.mulf %v, %two : vector<4xf32>
  %z = arith.addf %w, %s : vector<4xf32>
  "scf.if"(%in) ({
    llvm.store %z, %pb {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    "scf.yield"() : () -> ()
  }, {
    "scf.yield"() : () -> ()
  }) : (i1) -> ()
"""
ARGUMENTS = "%p: !llvm.ptr, %q: !llvm.ptr, %n: i32, %m: i32, %pitch: i32, %k: f32"


def tile(rows: int, cols: int) -> str:
    return TILE.replace("COLS", str(cols)).replace("ROWS", str(rows))


@pytest.mark.parametrize(("n", "m"), [(16, 128), (13, 100), (16, 60), (1, 4), (9, 68)])
@pytest.mark.parametrize(
    ("rows", "cols", "known"), [(8, 16, True), (8, 16, False), (3, 7, True), (1, 32, True), (32, 1, True)]
)
def test_predicated_tile_covers_exactly_the_matrix(
    n: int, m: int, rows: int, cols: int, known: bool, compile_kernel: Compile, kernel_module: Module
) -> None:
    threads = rows * cols
    kernel = compile_kernel(kernel_module(ARGUMENTS, tile(rows, cols), block=(threads, 1, 1) if known else None))
    x = np.random.default_rng(n * m).standard_normal((n, m)).astype(np.float32)
    z = np.full((n + 1, m), -7, np.float32)
    grid = (-(-m // (4 * cols)), -(-n // rows), 1)
    scalars = (ctypes.c_int32(n), ctypes.c_int32(m), ctypes.c_int32(m), ctypes.c_float(0.5))
    kernel(x, z, *scalars, grid=grid, block=(threads, 1, 1))
    np.testing.assert_array_equal(z[:n], x * np.tile(np.arange(1, 5, dtype=np.float32), m // 4) + np.float32(0.5))
    np.testing.assert_array_equal(z[n:], -7)


def test_full_blocks_run_a_version_without_branches(thread_loops: Text, kernel_module: Module) -> None:
    text = thread_loops(kernel_module(ARGUMENTS, tile(8, 16), block=(128, 1, 1)))
    assert text.count('"scf.if"') == 2  # those of the other version
    assert text.count("llvm.loop_annotation") == 4  # two loops in each version
    assert text.count("-> f32") > 4
    loops = text[text.index('"llvm.cond_br"') :]
    assert '"arith.divsi"' not in loops
    assert '"arith.remsi"' not in loops


@pytest.mark.parametrize("quotient", ["divui", "floordivsi"])
def test_thread_ids_are_split_at_every_divisor(
    compile_kernel: Compile, kernel_module: Module, thread_loops: Text, quotient: str
) -> None:
    body = """
      %tx = gpu.thread_id x
      %t = arith.index_cast %tx : index to i32
      %c4 = arith.constant 4 : i32
      %c6 = arith.constant 6 : i32
      %c8 = arith.constant 8 : i32
      %c100 = arith.constant 100 : i32
      %a = arith.remsi %t, %c4 : i32
      %h = arith.divsi %t, %c4 : i32
      %b = arith.remui %h, %c6 : i32
      %d = arith.divui %h, %c6 : i32
      %e = arith.remsi %t, %c8 : i32
      %x = arith.muli %d, %c100 : i32
      %y = arith.addi %x, %b : i32
      %z = arith.muli %y, %c100 : i32
      %w = arith.addi %z, %a : i32
      %v = arith.muli %w, %c100 : i32
      %u = arith.addi %v, %e : i32
      %o = llvm.getelementptr %q[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      llvm.store %u, %o : i32, !llvm.ptr
    """.replace("divui", quotient)
    module = kernel_module("%q: !llvm.ptr", body, block=(96, 1, 1))
    z = np.zeros(96, np.int32)
    compile_kernel(module)(z, block=(96, 1, 1))
    t = np.arange(96)
    np.testing.assert_array_equal(z, ((t // 24 * 100 + t // 4 % 6) * 100 + t % 4) * 100 + t % 8)
    assert f'"arith.{quotient}"' not in thread_loops(module)


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33])
def test_guard_does_not_trust_sums_that_wrap_around(count: int, compile_kernel: Compile, kernel_module: Module) -> None:
    """Just below 2**31 the last thread's sum is negative and passes; the threads before it must still be checked."""
    body = """
      %tx = gpu.thread_id x
      %t = arith.index_cast %tx : index to i32
      %i = arith.addi %base, %t : i32
      %in = arith.cmpi slt, %i, %n : i32
      scf.if %in {
        %o = llvm.getelementptr %q[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32
        llvm.store %i, %o : i32, !llvm.ptr
      }
    """
    kernel = compile_kernel(kernel_module("%q: !llvm.ptr, %base: i32, %n: i32", body, block=(32, 1, 1)))
    base, limit = 2**31 - 20, 2**31 - 20 + min(count, 10)
    z = np.zeros(32, np.int32)
    kernel(z, ctypes.c_int32(base), ctypes.c_int32(limit), block=(32, 1, 1))
    i = (base + np.arange(32)).astype(np.int64)
    wrapped = np.where(i >= 2**31, i - 2**32, i)
    np.testing.assert_array_equal(z, np.where(wrapped < limit, wrapped, 0))


def test_a_single_thread_checks_what_it_loads(compile_kernel: Compile, kernel_module: Module) -> None:
    body = """
      %c0 = arith.constant 0 : i32
      %x = llvm.load %q : !llvm.ptr -> i32
      %in = arith.cmpi slt, %c0, %x : i32
      scf.if %in {
        llvm.store %c0, %q : i32, !llvm.ptr
      }
    """
    kernel = compile_kernel(kernel_module("%q: !llvm.ptr", body, block=(1, 1, 1)))
    for value, expected in ((7, 0), (-7, -7)):
        z = np.full(1, value, np.int32)
        kernel(z, block=(1, 1, 1))
        assert z[0] == expected


@pytest.mark.parametrize("n", [64, 50])
def test_values_of_split_loops_are_known_after_a_barrier(
    n: int, compile_kernel: Compile, kernel_module: Module
) -> None:
    """Quotients, results of branches, lanes and sums of vectors of one segment are all used in the next."""
    body = """
      %tx = gpu.thread_id x
      %t = arith.index_cast %tx : index to i32
      %c4 = arith.constant 4 : i32
      %q4 = arith.divsi %t, %c4 : i32
      %r4 = arith.remsi %t, %c4 : i32
      %i = arith.muli %t, %c4 : i32
      %in = arith.cmpi slt, %t, %n : i32
      %pa = llvm.getelementptr %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %zero = arith.constant dense<0.0> : vector<4xf32>
      %v = "scf.if"(%in) ({
        %u = llvm.load %pa {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
        scf.yield %u : vector<4xf32>
      }, {
        scf.yield %zero : vector<4xf32>
      }) : (i1) -> vector<4xf32>
      %sum = "vector.reduction"(%v) <{kind = #vector.kind<add>}> : (vector<4xf32>) -> f32
      %last = "vector.extract"(%v) <{static_position = array<i64: 3>}> : (vector<4xf32>) -> f32
      gpu.barrier
      %a = arith.sitofp %q4 : i32 to f32
      %b = arith.sitofp %r4 : i32 to f32
      %s0 = "vector.broadcast"(%sum) : (f32) -> vector<4xf32>
      %s1 = arith.addf %v, %s0 : vector<4xf32>
      %x0 = arith.addf %a, %last : f32
      %x1 = arith.mulf %x0, %b : f32
      %s2 = "vector.broadcast"(%x1) : (f32) -> vector<4xf32>
      %s3 = arith.addf %s1, %s2 : vector<4xf32>
      %o = llvm.getelementptr %q[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      llvm.store %s3, %o {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    """
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr, %n: i32", body, block=(64, 1, 1)))
    x = np.random.default_rng(n).standard_normal((64, 4)).astype(np.float32)
    z = np.zeros_like(x)
    kernel(x, z, ctypes.c_int32(n), block=(64, 1, 1))
    t = np.arange(64)
    v = np.where(t[:, None] < n, x, 0).astype(np.float64)
    expected = v + v.sum(1, keepdims=True) + ((t // 4 + v[:, 3]) * (t % 4))[:, None]
    np.testing.assert_allclose(z, expected, rtol=1e-5, atol=1e-5)


REDUCTIONS = {
    "add": (np.add, "f32"),
    "mul": (np.multiply, "f32"),
    "maxnumf": (np.maximum, "f32"),
    "minimumf": (np.minimum, "f32"),
    "maxsi": (np.maximum, "i32"),
    "minui": (np.minimum, "i32"),
    "xor": (np.bitwise_xor, "i32"),
}


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reductions_of_split_vectors(kind: str, compile_kernel: Compile, kernel_module: Module) -> None:
    combine, element = REDUCTIONS[kind]
    body = f"""
      %tx = gpu.thread_id x
      %t = arith.index_cast %tx : index to i32
      %c8 = arith.constant 8 : i32
      %i = arith.muli %t, %c8 : i32
      %pa = llvm.getelementptr %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, {element}
      %v = llvm.load %pa {{alignment = 4 : i64}} : !llvm.ptr -> vector<8x{element}>
      %s = "vector.reduction"(%v) <{{kind = #vector.kind<{kind}>}}> : (vector<8x{element}>) -> {element}
      %o = llvm.getelementptr %q[%t] : (!llvm.ptr, i32) -> !llvm.ptr, {element}
      llvm.store %s, %o : {element}, !llvm.ptr
    """
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(40, 1, 1)))
    rng = np.random.default_rng(3)
    x = rng.standard_normal((40, 8)).astype(np.float32) if element == "f32" else rng.integers(1, 99, (40, 8), np.int32)
    z = np.zeros(40, x.dtype)
    kernel(x, z, block=(40, 1, 1))
    expected = combine.reduce(x.astype(np.float64 if element == "f32" else np.int64), axis=1)
    np.testing.assert_allclose(z, expected, rtol=1e-5, atol=1e-6)
