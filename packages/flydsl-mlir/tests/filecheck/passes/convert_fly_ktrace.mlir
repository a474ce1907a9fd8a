// Annotations become records in the kernel's trace buffer.
// RUN: fly-opt %s --convert-fly-ktrace | filecheck %s

// CHECK: fly_ktrace.labels = ["begin", "copy"]
// CHECK-LABEL: gpu.func @mark(
// CHECK-NEXT: [[BUFFER:%[a-z0-9_]+]] = fly.to_llvm_ptr(%arg0) : (!fly.ptr<i64, global>) -> !llvm.ptr
// CHECK: [[CAPACITY:%[a-z0-9_]+]] = llvm.load
// CHECK: [[SLOT:%[a-z0-9_]+]] = llvm.atomicrmw add [[BUFFER]], %{{.*}} monotonic : !llvm.ptr, i64
// CHECK-NEXT: [[ROOM:%[a-z0-9_]+]] = arith.cmpi ult, [[SLOT]], [[CAPACITY]] : i64
// CHECK-NEXT: scf.if [[ROOM]] {
// CHECK: llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
// CHECK-COUNT-4: llvm.store
// CHECK-NOT: fly_ktrace.mark
gpu.module @kernels {
  gpu.func @mark(%buffer: !fly.ptr<i64, global>, %x: i32) kernel attributes {fly_ktrace.buffer = 0 : i64} {
    fly_ktrace.mark(%x) {label = "begin"} : (i32) -> ()
    gpu.return
  }
// A token is the number of the start record, or -1, also where a region carries it.
// CHECK-LABEL: gpu.func @tokens(
// CHECK: [[TOKEN:%[a-z0-9_]+]] = scf.if %arg1 -> (i64) {
// CHECK: [[START:%[a-z0-9_]+]] = llvm.atomicrmw add
// CHECK: scf.yield [[START]] : i64
// CHECK: [[NONE:%[a-z0-9_-]+]] = arith.constant -1 : i64
// CHECK-NEXT: scf.yield [[NONE]] : i64
// CHECK: [[ACTIVE:%[a-z0-9_]+]] = arith.cmpi ne, [[TOKEN]], %{{.*}} : i64
// CHECK-NEXT: scf.if [[ACTIVE]] {
  gpu.func @tokens(%buffer: !fly.ptr<i64, global>, %on: i1) kernel attributes {fly_ktrace.buffer = 0 : i64} {
    %token = scf.if %on -> (!fly_ktrace.token) {
      %started = fly_ktrace.range_start() {label = "copy"} : () -> !fly_ktrace.token
      scf.yield %started : !fly_ktrace.token
    } else {
      %none = fly_ktrace.inactive_token() : () -> !fly_ktrace.token
      scf.yield %none : !fly_ktrace.token
    }
    fly_ktrace.range_stop(%token) : (!fly_ktrace.token) -> ()
    gpu.return
  }
// Without a buffer there is nothing to record to.
// CHECK-LABEL: gpu.func @off() kernel {
// CHECK-NEXT: %{{.*}} = arith.constant -1 : i64
// CHECK-NEXT: gpu.return
  gpu.func @off() kernel {
    %t = fly_ktrace.range_start() {label = "unused"} : () -> !fly_ktrace.token
    fly_ktrace.range_push() {label = "unused"} : () -> ()
    fly_ktrace.range_pop() : () -> ()
    fly_ktrace.range_stop(%t) : (!fly_ktrace.token) -> ()
    gpu.return
  }
}
