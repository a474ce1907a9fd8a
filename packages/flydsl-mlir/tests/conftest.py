"""Modules that the tests compile: a vector add for GPUs, and a host function."""

from __future__ import annotations

import pytest

import flydsl_mlir
from flydsl_mlir import identity

VECTOR_ADD = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @vadd(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %n: i32) kernel
        attributes {known_block_size = array<i32: 256, 1, 1>} {
      %bid = gpu.block_id x
      %tid = gpu.thread_id x
      %c256 = arith.constant 256 : index
      %o = arith.muli %bid, %c256 : index
      %i = arith.addi %o, %tid : index
      %i32 = arith.index_cast %i : index to i32
      %in = arith.cmpi slt, %i32, %n : i32
      scf.if %in {
        %pa = llvm.getelementptr %a[%i32] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %pb = llvm.getelementptr %b[%i32] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %pc = llvm.getelementptr %c[%i32] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %x = llvm.load %pa : !llvm.ptr<1> -> f32
        %y = llvm.load %pb : !llvm.ptr<1> -> f32
        %z = arith.addf %x, %y : f32
        llvm.store %z, %pc : f32, !llvm.ptr<1>
      }
      gpu.return
    }
  }
}
"""

LOCAL_MEMORY = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.mlir.global internal @big() {addr_space = 3 : i32} : !llvm.array<BYTES x i8>
    gpu.func @touch(%n: i32) kernel {
      %p = llvm.mlir.addressof @big : !llvm.ptr<3>
      llvm.store volatile %n, %p : i32, !llvm.ptr<3>
      gpu.return
    }
  }
}
"""

SAXPY = """
module {
  func.func @saxpy(%n: index, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%i] : memref<?xf32>
      %w = memref.load %y[%i] : memref<?xf32>
      %p = arith.mulf %v, %a : f32
      %q = arith.addf %p, %w : f32
      memref.store %q, %y[%i] : memref<?xf32>
    }
    return
  }
}
"""

HOST_PIPELINE = (
    "builtin.module(convert-scf-to-cf,convert-cf-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,"
    "convert-func-to-llvm,reconcile-unrealized-casts)"
)

AMDGPU = "amdgcn-amd-amdhsa"


@pytest.fixture(scope="session")
def vector_add() -> str:
    return VECTOR_ADD


@pytest.fixture(scope="session")
def local_memory() -> str:
    """A kernel whose local memory is BYTES long: to be replaced by a number."""
    return LOCAL_MEMORY


@pytest.fixture(scope="session")
def rocdl_pipeline() -> str:
    """From gpu to `gpu.binary` for CHIP in FORMAT: both to be replaced."""
    return (
        "builtin.module(gpu.module(convert-scf-to-cf,cse,convert-gpu-to-rocdl{chipset=CHIP}),"
        "rocdl-attach-target{chip=CHIP O=2},convert-scf-to-cf,convert-cf-to-llvm,"
        "gpu-to-llvm{use-bare-pointers-for-host=true use-bare-pointers-for-kernels=true},convert-vector-to-llvm,"
        "convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts,gpu-module-to-binary{format=FORMAT})"
    )


@pytest.fixture(scope="session")
def saxpy() -> str:
    """A host function in the LLVM dialect."""
    return flydsl_mlir.run_pipeline(SAXPY, HOST_PIPELINE)


@pytest.fixture(scope="session")
def bitcode(rocdl_pipeline: str) -> bytes:
    """The vector add as optimised LLVM bitcode for gfx942."""
    pipeline = rocdl_pipeline.replace("CHIP", "gfx942").replace("FORMAT", "offloading")
    return flydsl_mlir.gpu_objects(VECTOR_ADD, pipeline)[0][3]


@pytest.fixture(scope="session")
def amdgpu_object(bitcode: bytes) -> bytes:
    return flydsl_mlir.codegen(bitcode, triple=AMDGPU, chip="gfx942")


@pytest.fixture(scope="session")
def code_object(amdgpu_object: bytes) -> bytes:
    return flydsl_mlir.link([amdgpu_object])


@pytest.fixture
def self_contained(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python part sees a build with LLVM inside."""
    monkeypatch.setattr(identity._build(), "LLVM_LIBRARY_DIR", "")
