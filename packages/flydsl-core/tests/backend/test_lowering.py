"""Signatures of kernels and host functions after the lowering."""

from __future__ import annotations

import pytest
from toy_target import ConvertFlyTo, convert

from flydsl.base.errors import IRError
from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module


def test_pointers_get_their_address_space_in_signatures() -> None:
    text = convert("%a: !fly.ptr<f32, generic>, %b: !fly.ptr<f16, global>, %c: !fly.ptr<i8, shared>, %n: i32", "")
    assert "function_type = (!llvm.ptr, !llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()" in text


def test_unknown_address_space_is_an_error() -> None:
    with pytest.raises(IRError, match=r"target 'toy' has no address space for !fly.ptr<f32, global>"):
        convert("%a: !fly.ptr<f32, global>", "", spaces={})


LAUNCH = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%a: !fly.memref<f32, global, 4:1>, %n: i32) kernel {
      gpu.return
    }
  }
  func.func @host(%a: !fly.memref<f32, global, 4:1>, %n: i32) {
    %one = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%one, %one, %one) threads in (%one, %one, %one)
      args(%a : !fly.memref<f32, global, 4:1>, %n : i32)
    return
  }
}
"""


def test_a_launch_hands_on_what_the_kernel_takes() -> None:
    context = create_context()
    module = parse_module(LAUNCH, context)
    ConvertFlyTo().apply(context, module)
    assert emit_generic(module).count("function_type = (!llvm.ptr<1>, i32) -> ()") == 2
    assert "(index, index, index, index, index, index, !llvm.ptr<1>, i32) -> ()" in emit_generic(module)


def test_shared_memory_has_no_place_outside_of_a_gpu_module() -> None:
    text = """
gpu.module @kernels {}
func.func @host() {
  %p = fly.make_ptr() {dictAttrs = {allocSize = 4 : i64}} : () -> !fly.ptr<f32, shared>
  return
}
"""
    context = create_context()
    with pytest.raises(IRError, match=r"shared memory is allocated in functions of a gpu\.module"):
        ConvertFlyTo().apply(context, parse_module(text, context))
