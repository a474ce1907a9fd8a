"""Loops with many sums a thread run by vectors of threads, stay in registers, and compute the same."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from flydsl_cpu.backend import CpuBackend

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]
Text = Callable[[str], str]

ARGUMENTS = "%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %n: i32"


def product(sums: int = 8, columns: int = 32, element: str = "f32", column: str = "%tx", inner: str = "") -> str:
    """Thread (row, column) adds a[row, i, k] * b[k, column] over k for `sums` values of i, to what is in c."""
    types = ", ".join([element] * sums)
    before = "".join(
        f"""
      %ci{i} = arith.constant {i} : i32
      %at{i} = arith.addi %first, %ci{i} : i32
      %ct{i} = arith.muli %at{i}, %columns : i32
      %co{i} = arith.addi %ct{i}, %x : i32
      %pc{i} = llvm.getelementptr %c[%co{i}] : (!llvm.ptr, i32) -> !llvm.ptr, {element}
      %init{i} = llvm.load %pc{i} : !llvm.ptr -> {element}
    """
        for i in range(sums)
    )
    body = "".join(
        f"""
        %ar{i} = arith.muli %at{i}, %n : i32
        %ak{i} = arith.addi %ar{i}, %k : i32
        %pa{i} = llvm.getelementptr %a[%ak{i}] : (!llvm.ptr, i32) -> !llvm.ptr, {element}
        %va{i} = llvm.load %pa{i} : !llvm.ptr -> {element}
        %next{i} = math.fma %va{i}, %vb, %s{i} : {element}
    """
        for i in range(sums)
    )
    arguments = ", ".join(f"%s{i}: {element}" for i in range(sums))
    stores = "".join(f"llvm.store %sum#{i}, %pc{i} : {element}, !llvm.ptr\n" for i in range(sums))
    return f"""
      %t = gpu.thread_id x
      %id = arith.index_cast %t : index to i32
      %columns = arith.constant {columns} : i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %each = arith.constant {sums} : i32
      %tx = arith.remui %id, %columns : i32
      %ty = arith.divui %id, %columns : i32
      %x = arith.addi {column}, %zero : i32
      %first = arith.muli %ty, %each : i32
      {before}
      gpu.barrier
      %sum:{sums} = "scf.for"(%zero, %n, %one, {", ".join(f"%init{i}" for i in range(sums))}) ({{
      ^bb0(%k: i32, {arguments}):
        %br = arith.muli %k, %columns : i32
        %bk = arith.addi %br, %x : i32
        %pb = llvm.getelementptr %b[%bk] : (!llvm.ptr, i32) -> !llvm.ptr, {element}
        %vb = llvm.load %pb : !llvm.ptr -> {element}
        {inner}
        {body}
        "scf.yield"({", ".join(f"%next{i}" for i in range(sums))}) : ({types}) -> ()
      }}) : (i32, i32, i32, {types}) -> ({types})
      {stores}
    """


def runs_by_vectors(text: str, element: str = "f32", width: int = 16) -> bool:
    """Whether the loop carries vectors."""
    return re.search(rf'"scf.for".*\n\s*\^\w+\(.*: vector<{width}x{element}>', text) is not None


@pytest.mark.parametrize("k", [0, 1, 7, 40])
@pytest.mark.parametrize(("sums", "columns", "element", "dtype"), [
    (8, 16, "f32", np.float32),
    (8, 32, "f32", np.float32),
    (28, 16, "f32", np.float32),
    (13, 48, "f32", np.float32),
    (5, 16, "f64", np.float64),
    (9, 16, "f16", np.float16),
])  # fmt: skip
def test_vectors_of_threads_compute_products(
    sums: int,
    columns: int,
    element: str,
    dtype: type[np.floating],
    k: int,
    thread_loops: Text,
    compile_kernel: Compile,
    kernel_module: Module,
) -> None:
    threads = 4 * columns
    module = kernel_module(ARGUMENTS, product(sums, columns, element), block=(threads, 1, 1))
    assert runs_by_vectors(thread_loops(module), element)
    rng = np.random.default_rng(k)
    a, b, c = (rng.integers(-4, 5, s).astype(dtype) for s in ((4 * sums, k), (k, columns), (4 * sums, columns)))
    expected = c.astype(np.float64) + a.astype(np.float64) @ b.astype(np.float64)
    compile_kernel(module)(a, b, c, ctypes.c_int32(k), block=(threads, 1, 1))
    np.testing.assert_array_equal(c, expected)


def test_a_loop_of_vectors_keeps_its_annotation(thread_loops: Text, kernel_module: Module) -> None:
    rolled = "{loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}"
    head, _, tail = product().rpartition("})")
    text = thread_loops(kernel_module(ARGUMENTS, f"{head}}}) {rolled}{tail}", block=(128, 1, 1)))
    assert runs_by_vectors(text)
    assert text.count(rolled) == 1


GROWING = """
  %r:2 = "scf.for"(%zero, %one, %one, %x, %vb) ({
  ^bb0(%j: i32, %p: i32, %q: f32):
    %pf = arith.sitofp %p : i32 to f32
    %qp = arith.addf %q, %pf : f32
    "scf.yield"(%p, %qp) : (i32, f32) -> ()
  }) : (i32, i32, i32, i32, f32) -> (i32, f32)
  llvm.store %r#1, %pb : f32, !llvm.ptr
"""
"""A loop inside that carries the number of the thread."""
WIDE_PRODUCT = """
  %bits = arith.fptosi %vb : f32 to i32
  %low, %high = "arith.mului_extended"(%bits, %bits) : (i32, i32) -> (i32, i32)
  %hf = arith.sitofp %high : i32 to f32
  llvm.store %hf, %pb : f32, !llvm.ptr
"""


@pytest.mark.parametrize(("sums", "columns", "column", "inner"), [
    (7, 16, "%tx", ""),  # each sum would wait for itself
    (29, 16, "%tx", ""),  # more than there are registers
    (8, 12, "%tx", ""),  # no vector of neighbours
    (8, 16, "%mirrored", ""),  # neighbours in falling order
    (8, 16, "%tx", "llvm.store %vb, %a : f32, !llvm.ptr"),  # to one address
    (8, 16, "%tx", "llvm.store %x, %pb : i32, !llvm.ptr"),  # a number of its own for each thread, of another kind
    (8, 16, "%tx", "%lane = arith.sitofp %x : i32 to f32\nllvm.store %lane, %pb : f32, !llvm.ptr"),
    (8, 16, "%tx", GROWING),
    (8, 16, "%tx", WIDE_PRODUCT),  # an operation with two results
])  # fmt: skip
def test_other_loops_stay_as_they_are(
    sums: int, columns: int, column: str, inner: str, thread_loops: Text, kernel_module: Module
) -> None:
    body = product(sums, columns, column=column, inner=inner)
    body = body.replace("%x = ", "%last = arith.constant 15 : i32\n%mirrored = arith.subi %last, %tx : i32\n%x = ")
    assert not runs_by_vectors(thread_loops(kernel_module(ARGUMENTS, body, block=(4 * columns, 1, 1))))


def test_other_operations_of_the_loop_are_vectors_too(
    thread_loops: Text, compile_kernel: Compile, kernel_module: Module
) -> None:
    """A choice, a function of the runtime library and a store of what each thread has."""
    inner = """
      %nothing = arith.constant 0.0 : f32
      %is = arith.cmpf ogt, %vb, %nothing : f32
      %chosen = arith.select %is, %vb, %nothing : f32
      %e = math.erf %chosen : f32
      llvm.store %e, %pb : f32, !llvm.ptr
    """
    module = kernel_module(ARGUMENTS, product(inner=inner), block=(32, 1, 1))
    assert runs_by_vectors(thread_loops(module))
    rng = np.random.default_rng(3)
    a, b, c = (rng.standard_normal(shape, dtype=np.float32) for shape in ((8, 5), (5, 32), (8, 32)))
    given = b.copy()
    expected = c.astype(np.float64) + a.astype(np.float64) @ b.astype(np.float64)
    compile_kernel(module)(a, b, c, ctypes.c_int32(5), block=(32, 1, 1))
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)
    erf = np.vectorize(math.erf)
    np.testing.assert_allclose(b, erf(np.maximum(given, 0)), rtol=1e-5, atol=1e-7)


def guarded_product(columns: int) -> str:
    """`product` in threads below %m only."""
    head, first, rest = product(columns=columns).partition("%first = arith.muli %ty, %each : i32\n")
    return f"""{head}{first}
      %in = arith.cmpi slt, %id, %m : i32
      "scf.if"(%in) ({{
        {rest.replace("gpu.barrier", "")}
        "scf.yield"() : () -> ()
      }}, {{ }}) : (i1) -> ()
    """


@pytest.mark.parametrize("missing", [0, 1])
@pytest.mark.parametrize("columns", [16, 32, 48])
def test_a_branch_that_all_threads_take_is_no_obstacle(
    columns: int, missing: int, thread_loops: Text, compile_kernel: Compile, kernel_module: Module
) -> None:
    """Of each vector all threads run, in blocks that are several vectors wide too."""
    threads = 4 * columns
    module = kernel_module(ARGUMENTS + ", %m: i32", guarded_product(columns), block=(threads, 1, 1))
    assert runs_by_vectors(thread_loops(module))
    rng = np.random.default_rng(columns)
    a, b, c = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((32, 5), (5, columns), (32, columns)))
    expected = c.astype(np.float64) + a.astype(np.float64) @ b.astype(np.float64)
    expected[24:, columns - missing :] = c[24:, columns - missing :]
    numbers = ctypes.c_int32(5), ctypes.c_int32(threads - missing)
    compile_kernel(module)(a, b, c, *numbers, block=(threads, 1, 1))
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize(("arch", "width"), [("x86-64-v4", 16), ("x86-64-v3", 8), ("x86-64-v2", 4), ("aarch64", 4)])
def test_a_vector_is_as_wide_as_a_register(arch: str, width: int) -> None:
    fragments = CpuBackend().pipeline_fragments(arch=arch)
    expected = "cpu-thread-loops" if width == 16 else f"cpu-thread-loops{{width={width}}}"
    assert expected in fragments
