// Addends that a swizzle's period divides leave it: the XOR becomes loop invariant.
// RUN: fly-opt %s --fly-int-swizzle-simplify | filecheck %s

gpu.module @kernels {
  // The period of the mask 0x38 under a shift by 3 is 64.
  // CHECK-LABEL: gpu.func @periodic(
  // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: i32, [[ARG1:%[a-z0-9_]+]]: i32) -> i32 {
  // CHECK-NEXT: [[C64_I32:%[a-z0-9_]+]] = arith.constant 64 : i32
  // CHECK-NEXT: [[C56_I32:%[a-z0-9_]+]] = arith.constant 56 : i32
  // CHECK-NEXT: [[C3_I32:%[a-z0-9_]+]] = arith.constant 3 : i32
  // CHECK-NEXT: [[V0:%[a-z0-9_]+]] = arith.muli [[ARG1]], [[C64_I32]] : i32
  // CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.addi [[ARG0]], [[V0]] : i32
  // CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.andi [[V1]], [[C56_I32]] : i32
  // CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.shrui [[V2]], [[C3_I32]] : i32
  // CHECK-NEXT: [[V4:%[a-z0-9_]+]] = arith.andi [[ARG0]], [[C56_I32]] : i32
  // CHECK-NEXT: [[V5:%[a-z0-9_]+]] = arith.shrui [[V4]], [[C3_I32]] : i32
  // CHECK-NEXT: [[V6:%[a-z0-9_]+]] = arith.xori [[ARG0]], [[V5]] : i32
  // CHECK-NEXT: [[V7:%[a-z0-9_]+]] = arith.addi [[V6]], [[V0]] : i32
  // CHECK-NEXT: gpu.return [[V7]] : i32
  // CHECK-NEXT: }
  gpu.func @periodic(%x: i32, %k: i32) -> (i32) {
    %c64 = arith.constant 64 : i32
    %mask = arith.constant 56 : i32
    %c3 = arith.constant 3 : i32
    %far = arith.muli %k, %c64 : i32
    %sum = arith.addi %x, %far : i32
    %bits = arith.andi %sum, %mask : i32
    %shifted = arith.shrui %bits, %c3 : i32
    %r = arith.xori %sum, %shifted : i32
    gpu.return %r : i32
  }
  // 32 is no multiple of the period.
  // CHECK-LABEL: gpu.func @not_periodic(
  // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: i32, [[ARG1:%[a-z0-9_]+]]: i32) -> i32 {
  // CHECK-NEXT: [[C32_I32:%[a-z0-9_]+]] = arith.constant 32 : i32
  // CHECK-NEXT: [[C56_I32:%[a-z0-9_]+]] = arith.constant 56 : i32
  // CHECK-NEXT: [[C3_I32:%[a-z0-9_]+]] = arith.constant 3 : i32
  // CHECK-NEXT: [[V0:%[a-z0-9_]+]] = arith.muli [[ARG1]], [[C32_I32]] : i32
  // CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.addi [[ARG0]], [[V0]] : i32
  // CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.andi [[V1]], [[C56_I32]] : i32
  // CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.shrui [[V2]], [[C3_I32]] : i32
  // CHECK-NEXT: [[V4:%[a-z0-9_]+]] = arith.xori [[V1]], [[V3]] : i32
  // CHECK-NEXT: gpu.return [[V4]] : i32
  // CHECK-NEXT: }
  gpu.func @not_periodic(%x: i32, %k: i32) -> (i32) {
    %c32 = arith.constant 32 : i32
    %mask = arith.constant 56 : i32
    %c3 = arith.constant 3 : i32
    %far = arith.muli %k, %c32 : i32
    %sum = arith.addi %x, %far : i32
    %bits = arith.andi %sum, %mask : i32
    %shifted = arith.shrui %bits, %c3 : i32
    %r = arith.xori %sum, %shifted : i32
    gpu.return %r : i32
  }
}
