"""Kernels with barriers, compiled to native code and run against NumPy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest
from kernel_text import INDICES, SHARED, load, random, store

from flydsl.base.errors import IRError
from flydsl.toolchain.select import default_toolchain
from flydsl_cpu.backend import CpuBackend

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]
Text = Callable[[str], str]


@pytest.mark.parametrize(("n", "block"), [(1000, 256), (7, 7), (33, 33), (1, 1), (100, 64)])
@pytest.mark.parametrize("known", [True, False])
def test_predicated_add_covers_odd_sizes(
    compile_kernel: Compile, kernel_module: Module, n: int, block: int, known: bool
) -> None:
    body = (
        INDICES
        + """
      %bdx = gpu.block_dim x
      %bd = arith.index_cast %bdx : index to i32
      %s = arith.muli %b, %bd : i32
      %i = arith.addi %s, %t : i32
      %inside = arith.cmpi slt, %i, %n : i32
      scf.if %inside {
    """
        + load("x", "%p", "%i")
        + load("y", "%q", "%i")
        + "%z = arith.addf %x, %y : f32\n"
        + store("%z", "%r", "%i", "out")
        + "}"
    )
    arguments = "%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr, %n: i32"
    kernel = compile_kernel(kernel_module(arguments, body, block=(block, 1, 1) if known else None))
    x, y, z = random(n), random(n) + 1, np.full(n + 5, 7, np.float32)
    kernel(x, y, z, ctypes.c_int32(n), grid=(-(-n // block), 1, 1), block=(block, 1, 1))
    np.testing.assert_array_equal(z[:n], x + y)
    np.testing.assert_array_equal(z[n:], 7)


@pytest.mark.parametrize("block", [1, 7, 33, 256])
@pytest.mark.parametrize("known", [True, False])
def test_barrier_at_top_level_reverses_through_shared_memory(
    compile_kernel: Compile, kernel_module: Module, block: int, known: bool
) -> None:
    body = (
        INDICES
        + "%s = llvm.mlir.addressof @tile : !llvm.ptr\n"
        + f"%last = arith.constant {block - 1} : i32\n"
        + load("x", "%p", "%t")
        + store("%x", "%s", "%t", "put")
        + "gpu.barrier\n"
        + "%m = arith.subi %last, %t : i32\n"
        + load("y", "%s", "%m")
        + "%z = arith.addf %y, %x : f32\n"  # %x lives across the barrier
        + store("%z", "%q", "%t", "out")
    )
    kernel = compile_kernel(
        kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(block, 1, 1) if known else None, symbols=SHARED)
    )
    x, z = random(block), np.zeros(block, np.float32)
    kernel(x, z, block=(block, 1, 1))
    np.testing.assert_array_equal(z, x[::-1] + x)


@pytest.mark.parametrize("block", [1, 2, 64, 256])
def test_barrier_in_while_loop_reduces_a_block(compile_kernel: Compile, kernel_module: Module, block: int) -> None:
    body = (
        INDICES
        + "%s = llvm.mlir.addressof @tile : !llvm.ptr\n"
        + f"%half = arith.constant {block // 2} : i32\n"
        + load("x", "%p", "%t")
        + store("%x", "%s", "%t", "put")
        + "gpu.barrier\n"
        + """
      %end = scf.while (%w = %half) : (i32) -> i32 {
        %more = arith.cmpi sgt, %w, %c0 : i32
        scf.condition(%more) %w : i32
      } do {
      ^bb0(%step: i32):
        %active = arith.cmpi slt, %t, %step : i32
        scf.if %active {
          %o = arith.addi %t, %step : i32
    """
        + load("u", "%s", "%t")
        + load("v", "%s", "%o")
        + "%sum = arith.addf %u, %v : f32\n"
        + store("%sum", "%s", "%t", "red")
        + """
        }
        gpu.barrier
        %next = arith.shrsi %step, %c1 : i32
        scf.yield %next : i32
      }
    """
        + load("r", "%s", "%c0")
        + store("%r", "%q", "%t", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, symbols=SHARED))
    x, z = random(block), np.zeros(block, np.float32)
    kernel(x, z, block=(block, 1, 1))
    np.testing.assert_allclose(z, np.full(block, x.astype(np.float64).sum()), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("block", [7, 33])
def test_loop_with_barrier_swaps_carried_values(compile_kernel: Compile, kernel_module: Module, block: int) -> None:
    """Each iteration rotates the tile by one and swaps two values carried per thread."""
    body = (
        INDICES
        + "%s = llvm.mlir.addressof @tile : !llvm.ptr\n"
        + f"%size = arith.constant {block} : i32\n"
        + load("x", "%p", "%t")
        + "%zero = arith.constant 0.0 : f32\n"
        + """
      %r:3 = "scf.for"(%c0, %n, %c1, %x, %zero, %c0) ({
      ^bb0(%i: i32, %u: f32, %v: f32, %count: i32):
    """
        + store("%u", "%s", "%t", "put")
        + """
        gpu.barrier
        %n1 = arith.addi %t, %c1 : i32
        %n2 = arith.remsi %n1, %size : i32
    """
        + load("w", "%s", "%n2")
        + """
        gpu.barrier
        %sum = arith.addf %w, %v : f32
        %c2 = arith.addi %count, %i : i32
        scf.yield %sum, %u, %c2 : f32, f32, i32
      }) : (i32, i32, i32, f32, f32, i32) -> (f32, f32, i32)
      %cf = arith.sitofp %r#2 : i32 to f32
      %uv = arith.subf %r#0, %r#1 : f32
      %all = arith.addf %uv, %cf : f32
    """
        + store("%all", "%q", "%t", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr, %n: i32", body, symbols=SHARED))
    x, z = random(block), np.zeros(block, np.float32)
    for n in (0, 1, 5):
        kernel(x, z, ctypes.c_int32(n), block=(block, 1, 1))
        u, v = x.astype(np.float64), np.zeros(block)
        for _ in range(n):
            u, v = np.roll(u, -1) + v, u
        np.testing.assert_allclose(z, u - v + sum(range(n)), rtol=1e-5, atol=1e-5)


def test_nested_loops_with_barriers_and_results(compile_kernel: Compile, kernel_module: Module) -> None:
    block = 8
    body = (
        INDICES
        + "%s = llvm.mlir.addressof @tile : !llvm.ptr\n"
        + "%seven = arith.constant 7 : i32\n"
        + load("x", "%p", "%t")
        + """
      %r = "scf.for"(%c0, %n, %c1, %x) ({
      ^bb0(%i: i32, %u: f32):
        %hi = arith.addi %i, %c1 : i32
        %r2 = "scf.for"(%c0, %hi, %c1, %u) ({
        ^bb1(%j: i32, %v: f32):
    """
        + store("%v", "%s", "%t", "put")
        + """
          gpu.barrier
          %o = arith.xori %t, %c1 : i32
    """
        + load("w", "%s", "%o")
        + """
          gpu.barrier
          %jf = arith.sitofp %j : i32 to f32
          %y = arith.addf %w, %jf : f32
          scf.yield %y : f32
        }) : (i32, i32, i32, f32) -> f32
        %m = arith.subi %seven, %t : i32
    """
        + store("%r2", "%s", "%t", "put2")
        + "gpu.barrier\n"
        + load("k", "%s", "%m")
        + """
        gpu.barrier
        scf.yield %k : f32
      }) : (i32, i32, i32, f32) -> f32
    """
        + store("%r", "%q", "%t", "out")
    )
    kernel = compile_kernel(
        kernel_module("%p: !llvm.ptr, %q: !llvm.ptr, %n: i32", body, block=(block, 1, 1), symbols=SHARED)
    )
    x, z = random(block), np.zeros(block, np.float32)
    kernel(x, z, ctypes.c_int32(4), block=(block, 1, 1))
    u = x.astype(np.float64)
    for i in range(4):
        for j in range(i + 1):
            u = u[np.arange(block) ^ 1] + j
        u = u[::-1]
    np.testing.assert_allclose(z, u, rtol=1e-5)


@pytest.mark.parametrize("flag", [0, 1])
def test_uniform_if_with_barrier_gives_results(compile_kernel: Compile, kernel_module: Module, flag: int) -> None:
    block = 16
    body = (
        INDICES
        + "%s = llvm.mlir.addressof @tile : !llvm.ptr\n"
        + "%last = arith.constant 15 : i32\n"
        + load("x", "%p", "%t")
        + """
      %yes = arith.cmpi ne, %flag, %c0 : i32
      %r:2 = "scf.if"(%yes) ({
    """
        + store("%x", "%s", "%t", "put")
        + "gpu.barrier\n%m = arith.subi %last, %t : i32\n"
        + load("y", "%s", "%m")
        + """
        %d = arith.addi %flag, %c1 : i32
        scf.yield %y, %d : f32, i32
      }, {
        scf.yield %x, %c0 : f32, i32
      }) : (i1) -> (f32, i32)
      %df = arith.sitofp %r#1 : i32 to f32
      %z = arith.addf %r#0, %df : f32
    """
        + store("%z", "%q", "%t", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr, %flag: i32", body, symbols=SHARED))
    x, z = random(block), np.zeros(block, np.float32)
    kernel(x, z, ctypes.c_int32(flag), block=(block, 1, 1))
    np.testing.assert_array_equal(z, x[::-1] + 2 if flag else x)


def test_condition_read_from_memory_is_taken_as_uniform(compile_kernel: Compile, kernel_module: Module) -> None:
    body = (
        INDICES
        + "%s = llvm.mlir.addressof @tile : !llvm.ptr\n"
        + load("f", "%p", "%c0")
        + """
      %zero = arith.constant 0.0 : f32
      %yes = arith.cmpf ogt, %f, %zero : f32
      scf.if %yes {
    """
        + store("%f", "%s", "%t", "put")
        + "gpu.barrier\n"
        + load("y", "%s", "%c0")
        + store("%y", "%q", "%t", "out")
        + "}"
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, symbols=SHARED))
    for first in (-1.0, 2.0):
        z = np.zeros(9, np.float32)
        kernel(np.array([first], np.float32), z, block=(9, 1, 1))
        np.testing.assert_array_equal(z, max(first, 0.0))


@pytest.mark.parametrize(
    "control",
    [
        "%yes = arith.cmpi slt, %t, %n : i32\nscf.if %yes {\ngpu.barrier\n}",
        '"scf.for"(%c0, %t, %c1) ({\n^bb0(%i: i32):\ngpu.barrier\nscf.yield\n}) : (i32, i32, i32) -> ()',
    ],
)
def test_barrier_that_not_all_threads_reach_is_an_error(
    kernel_module: Module, thread_loops: Text, control: str
) -> None:
    with pytest.raises(IRError, match="thread id"):
        thread_loops(kernel_module("%n: i32", INDICES + control))


def test_dynamic_shared_memory_starts_after_the_static_part(compile_kernel: Compile, kernel_module: Module) -> None:
    symbols = (
        SHARED
        + """
      "llvm.mlir.global"() <{global_type = !llvm.array<0 x i8>, sym_name = "dyn", linkage = #llvm.linkage<"external">,
        addr_space = 0 : i32, alignment = 1024 : i64}> ({}) {flydsl.shared} : () -> ()
    """
    )
    body = (
        INDICES
        + "%s = llvm.mlir.addressof @tile : !llvm.ptr\n%d = llvm.mlir.addressof @dyn : !llvm.ptr\n"
        + load("x", "%p", "%t")
        + store("%x", "%s", "%t", "put")
        + "%m = arith.negf %x : f32\n"
        + store("%m", "%d", "%t", "put2")
        + "gpu.barrier\n"
        + load("u", "%s", "%t")
        + load("v", "%d", "%t")
        + "%y = arith.subf %u, %v : f32\n"
        + store("%y", "%q", "%t", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, symbols=symbols))
    x, z = random(64), np.zeros(64, np.float32)
    kernel(x, z, block=(64, 1, 1), dynamic_shared=256)
    np.testing.assert_array_equal(z, 2 * x)


def test_packed_struct_parameters_are_read_unaligned(compile_kernel: Compile, kernel_module: Module) -> None:
    struct = "!llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>"
    body = (
        INDICES
        + f"""
      %n = "llvm.extractvalue"(%s) <{{position = array<i64: 0, 0>}}> : ({struct}) -> i32
      %m = "llvm.extractvalue"(%s) <{{position = array<i64: 1, 0>}}> : ({struct}) -> i64
      %m32 = arith.trunci %m : i64 to i32
      %v = arith.addi %n, %m32 : i32
    """
        + store("%v", "%q", "%t", "out", "i32")
    )
    kernel = compile_kernel(kernel_module(f"%q: !llvm.ptr, %s: {struct}", body))

    class Packed(ctypes.Structure):
        _pack_ = 1
        _fields_ = (("n", ctypes.c_int32), ("m", ctypes.c_int64))

    z = np.zeros(3, np.int32)
    kernel(z, Packed(5, 70), block=(3, 1, 1))
    np.testing.assert_array_equal(z, 75)


def test_printf_prints_from_every_thread(
    compile_kernel: Compile, kernel_module: Module, capfd: pytest.CaptureFixture[str]
) -> None:
    body = (
        INDICES
        + """
      %h = arith.constant 0.5 : f32
      %f = arith.constant 1 : i1
      "gpu.printf"(%t, %h, %f) {format = "thread %d of %f: %d%%\\0A"} : (i32, f32, i1) -> ()
    """
    )
    kernel = compile_kernel(kernel_module("", body))
    kernel(block=(2, 1, 1))
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr().out == "thread 0 of 0.500000: 1%\nthread 1 of 0.500000: 1%\n"


def test_uniform_values_are_computed_once_and_the_thread_loop_is_parallel(
    kernel_module: Module, thread_loops: Text
) -> None:
    body = (
        INDICES + "%u = arith.muli %n, %n : i32\n%v = arith.addi %u, %t : i32\n" + store("%v", "%q", "%t", "o", "i32")
    )
    text = thread_loops(kernel_module("%q: !llvm.ptr, %n: i32", body, block=(64, 1, 1)))
    lines = text.splitlines()
    loop = next(
        i for i, line in enumerate(lines) if line.strip().startswith("^") and "i32)" in line and "ptr" not in line
    )
    assert any("arith.muli" in line and "none" in line for line in lines[:loop])
    assert sum("loop_annotation" in line for line in lines) == 1
    assert any("llvm.store" in line and "access_groups" in line for line in lines[loop:])


def test_vectors_on_the_stack_are_aligned(thread_loops: Text, kernel_module: Module) -> None:
    body = INDICES + load("x", "%p", "%t") + store("%x", "%p", "%t", "out")
    lowered = thread_loops(kernel_module("%p: !llvm.ptr", body, block=(64, 1, 1)))
    backend = CpuBackend()
    ir = backend.emit_llvm_ir(lowered, arch=backend.default_arch(), toolchain=default_toolchain())
    assert "stackrealign" in ir
