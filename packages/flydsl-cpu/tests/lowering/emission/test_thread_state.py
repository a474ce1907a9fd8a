"""What a thread holds, in registers or memory of its own, lives across barriers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from kernel_text import INDICES, load, random, store

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]


def test_register_memory_survives_a_barrier_per_thread(compile_kernel: Compile, kernel_module: Module) -> None:
    body = (
        INDICES
        + """
      %c4 = arith.constant 4 : i32
      %m = llvm.alloca %c4 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr
      %slot = arith.remsi %t, %c4 : i32
    """
        + load("x", "%p", "%t")
        + store("%x", "%m", "%slot", "put")
        + "gpu.barrier\n"
        + load("y", "%m", "%slot")
        + store("%y", "%q", "%t", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body))
    x, z = random(50), np.zeros(50, np.float32)
    kernel(x, z, block=(50, 1, 1))
    np.testing.assert_array_equal(z, x)


def test_register_memory_of_one_segment_is_private_to_each_thread(
    compile_kernel: Compile, kernel_module: Module
) -> None:
    body = (
        INDICES
        + """
      %c4 = arith.constant 4 : i32
      %m = llvm.alloca %c4 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr
      %slot = arith.remsi %t, %c4 : i32
    """
        + load("x", "%p", "%t")
        + store("%x", "%m", "%slot", "put")
        + load("y", "%m", "%slot")
        + store("%y", "%q", "%t", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body))
    x, z = random(50), np.zeros(50, np.float32)
    kernel(x, z, block=(50, 1, 1))
    np.testing.assert_array_equal(z, x)


@pytest.mark.parametrize("element", ["i1", "index", "f16", "bf16", "vector<3xf32>", "vector<4xi1>"])
def test_values_of_any_type_live_across_a_barrier(compile_kernel: Compile, kernel_module: Module, element: str) -> None:
    make = {
        "i1": "%v = arith.cmpf ogt, %x, %h : f32",
        "index": "%vi = arith.fptosi %x100 : f32 to i64\n%v = arith.index_cast %vi : i64 to index",
        "f16": "%v = arith.truncf %x : f32 to f16",
        "bf16": "%v = arith.truncf %x : f32 to bf16",
        "vector<3xf32>": '%v = "vector.broadcast"(%x) : (f32) -> vector<3xf32>',
        "vector<4xi1>": '%xb = "vector.broadcast"(%x) : (f32) -> vector<4xf32>\n'
        '%hb = "vector.broadcast"(%h) : (f32) -> vector<4xf32>\n'
        '%v = "arith.cmpf"(%xb, %hb) <{predicate = 2 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>',
    }[element]
    take = {
        "i1": "%y = arith.uitofp %v : i1 to f32",
        "index": "%vj = arith.index_cast %v : index to i64\n%y = arith.sitofp %vj : i64 to f32",
        "f16": "%y = arith.extf %v : f16 to f32",
        "bf16": "%y = arith.extf %v : bf16 to f32",
        "vector<3xf32>": '%y = "vector.extract"(%v) <{static_position = array<i64: 2>}> : (vector<3xf32>) -> f32',
        "vector<4xi1>": '%yb = "vector.extract"(%v) <{static_position = array<i64: 3>}> : (vector<4xi1>) -> i1\n'
        "%y = arith.uitofp %yb : i1 to f32",
    }[element]
    body = (
        INDICES
        + load("x", "%p", "%t")
        + "%h = arith.constant 0.25 : f32\n%hundred = arith.constant 100.0 : f32\n"
        + "%x100 = arith.mulf %x, %hundred : f32\n"
        + make
        + "\ngpu.barrier\n"
        + take
        + "\n"
        + store("%y", "%q", "%t", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body))
    x, z = random(37), np.zeros(37, np.float32)
    kernel(x, z, block=(37, 1, 1))
    expected = {
        "i1": (x > 0.25).astype(np.float32),
        "index": np.trunc(x * np.float32(100)),
        "f16": x.astype(np.float16).astype(np.float32),
        "bf16": _to_bf16(x),
        "vector<3xf32>": x,
        "vector<4xi1>": (x > 0.25).astype(np.float32),
    }[element]
    np.testing.assert_array_equal(z, expected)


def _to_bf16(x: np.ndarray) -> np.ndarray:
    bits = x.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32)
