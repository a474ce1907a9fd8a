// Kernels divide by no zero; what the host runs stays, and so does a divisor that is known.
// RUN: fly-opt %s --guard-divisions | filecheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @unknown(
  // CHECK: arith.cmpi eq
  // CHECK: arith.select
  // CHECK: arith.divui
  // CHECK: arith.select
  gpu.func @unknown(%a: i32, %b: i32, %p: !llvm.ptr) kernel {
    %q = arith.divui %a, %b : i32
    llvm.store %q, %p : i32, !llvm.ptr
    gpu.return
  }
  // CHECK-LABEL: gpu.func @known(
  // CHECK-NOT: arith.select
  gpu.func @known(%a: i32, %p: !llvm.ptr) kernel {
    %c = arith.constant 7 : i32
    %q = arith.divui %a, %c : i32
    llvm.store %q, %p : i32, !llvm.ptr
    gpu.return
  }
}
// CHECK-LABEL: func.func @host(
// CHECK-NOT: arith.select
// CHECK: return
func.func @host(%a: i32, %b: i32) -> i32 {
  %q = arith.divui %a, %b : i32
  return %q : i32
}
