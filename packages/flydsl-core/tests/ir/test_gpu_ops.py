"""Operations that frame kernels: MLIR's syntax in and out, and what they tell about a kernel."""

from __future__ import annotations

import pytest
from upstream_cases import HOST_AND_KERNEL
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp

from flydsl.base.errors import IRError
from flydsl.ir.gpu_ops import GPUFuncOp, GPUModuleOp, LaunchFuncOp
from flydsl.ir.parse import parse_module


def kernel_of(module: ModuleOp) -> GPUFuncOp:
    (first, *_) = [op for op in module.walk() if isinstance(op, GPUFuncOp)]
    return first


def test_module_with_kernel_and_launch_prints_what_it_parsed() -> None:
    printed = str(parse_module(HOST_AND_KERNEL))
    assert str(parse_module(printed)) == printed
    for line in (
        "gpu.module @kernels {",
        "gpu.func @scale(%p: !llvm.ptr<1>, %n: i32) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {",
        "%tid = gpu.thread_id x",
        "gpu.barrier",
        "gpu.return",
        "gpu.func @helper(%n: i32) -> (i32) {",
        "gpu.return %n : i32",
        "%t = gpu.launch_func async [%s] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) "
        "dynamic_shared_memory_size %bytes args(%p : !llvm.ptr<1>, %n : i32)",
        "gpu.launch_func @kernels::@scale clusters in (%c1, %c1, %c1) blocks in (%c1, %c1, %c1) "
        "threads in (%c128, %c1, %c1) args(%p : !llvm.ptr<1>, %n : i32)",
    ):
        assert any(found.strip() == line for found in printed.splitlines()), line


def test_fly_values_are_arguments_of_kernels_and_launches() -> None:
    text = """builtin.module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%0: !fly.memref<f32, global, (?,?):(?{i64},1)>, %1: !fly.layout<(4,8):(1,4)>) kernel {
      gpu.return
    }
  }
  func.func @host(%2: !fly.memref<f32, global, (?,?):(?{i64},1)>, %3: !fly.layout<(4,8):(1,4)>, %4: !gpu.async.token) {
    %5 = arith.constant 1 : index
    %6 = gpu.launch_func async [%4] @kernels::@k blocks in (%5, %5, %5) threads in (%5, %5, %5) \
args(%2 : !fly.memref<f32, global, (?,?):(?{i64},1)>, %3 : !fly.layout<(4,8):(1,4)>)
    func.return
  }
}"""
    printed = str(parse_module(text))
    assert str(parse_module(printed)) == printed
    assert "args(%0 : !fly.memref<f32, global, (?,?):(?{i64},1)>, %1 : !fly.layout<(4,8):(1,4)>)" in printed


def test_kernel_tells_its_name_types_and_block() -> None:
    kernel = kernel_of(parse_module(HOST_AND_KERNEL))
    assert kernel.sym_name.data == "scale"
    assert kernel.is_kernel
    assert kernel.known_block_size == (128, 1, 1)
    assert len(kernel.function_type.inputs) == 2
    assert kernel.body.first_block is not None


def test_classes_are_those_of_xdsl_where_it_has_them() -> None:
    names = {type(op) for op in parse_module(HOST_AND_KERNEL).walk()}
    assert any(issubclass(cls, gpu.ModuleOp) for cls in names)
    assert GPUModuleOp in names
    assert LaunchFuncOp in names
    assert any(issubclass(cls, gpu.ThreadIdOp) for cls in names)


def test_launch_tells_its_operands() -> None:
    (first, second) = [op for op in parse_module(HOST_AND_KERNEL).walk() if isinstance(op, LaunchFuncOp)]
    assert len(first.asyncDependencies) == 1
    assert first.dynamicSharedMemorySize is not None
    assert len(first.kernelOperands) == 2
    assert first.clusterSizeX is None
    assert second.clusterSizeX is not None
    assert second.dynamicSharedMemorySize is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpu.func @k(%0: i32) -> (i32) kernel { gpu.return %0 : i32 }", "a kernel returns nothing"),
        ('"gpu.func"() ({ gpu.return }) {sym_name = "k"} : () -> ()', "needs the property 'function_type'"),
        ('"gpu.func"() <{function_type = () -> ()}> ({ gpu.return }) : () -> ()', "needs the attribute 'sym_name'"),
        ('"gpu.func"() <{function_type = (i32) -> (), sym_name = "k"}> ({ gpu.return }) : () -> ()', "entry block"),
        ("gpu.launch_func @a::@b blocks in (%c, %c) threads in (%c, %c, %c)", "three sizes of blocks, found 2"),
        ("gpu.launch_func 5 blocks in (%c, %c, %c) threads in (%c, %c, %c)", "expected the symbol of a kernel"),
        ("%0 = gpu.thread_id w", "Expected `x`, `y`, or `z`"),
    ],
)
def test_wrong_operation_is_an_ir_error(text: str, message: str) -> None:
    with pytest.raises(IRError, match=message):
        parse_module(text)
