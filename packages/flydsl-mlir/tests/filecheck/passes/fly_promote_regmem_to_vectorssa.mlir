// Register allocations become vectors that structured control flow carries.
// RUN: fly-opt %s --fly-promote-regmem-to-vectorssa | filecheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @straight(
  // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: vector<4xf32>) -> vector<4xf32> {
  // CHECK-NEXT: gpu.return [[ARG0]] : vector<4xf32>
  // CHECK-NEXT: }
  gpu.func @straight(%v: vector<4xf32>) -> (vector<4xf32>) {
    %r = fly.make_ptr() {dictAttrs = {allocSize = 4 : i64}} : () -> !fly.ptr<f32, register>
    fly.ptr.store(%v, %r) : (vector<4xf32>, !fly.ptr<f32, register>) -> ()
    %w = fly.ptr.load(%r) : (!fly.ptr<f32, register>) -> vector<4xf32>
    gpu.return %w : vector<4xf32>
  }
  // One element of several.
  // CHECK-LABEL: gpu.func @element(
  // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: vector<4xf32>, [[ARG1:%[a-z0-9_]+]]: f32) -> f32 {
  // CHECK-NEXT: [[V0:%[a-z0-9_]+]] = vector.extract [[ARG0]][2] : f32 from vector<4xf32>
  // CHECK-NEXT: gpu.return [[V0]] : f32
  // CHECK-NEXT: }
  gpu.func @element(%v: vector<4xf32>, %x: f32) -> (f32) {
    %r = fly.make_ptr() {dictAttrs = {allocSize = 4 : i64}} : () -> !fly.ptr<f32, register>
    %two = fly.make_int_tuple() : () -> !fly.int_tuple<2>
    fly.ptr.store(%v, %r) : (vector<4xf32>, !fly.ptr<f32, register>) -> ()
    %p = fly.add_offset(%r, %two) : (!fly.ptr<f32, register>, !fly.int_tuple<2>) -> !fly.ptr<f32, register>
    %y = fly.ptr.load(%p) : (!fly.ptr<f32, register>) -> f32
    gpu.return %y : f32
  }
  // A loop carries what is written in it, and only that.
  // CHECK-LABEL: gpu.func @loop(
  // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: index, [[ARG1:%[a-z0-9_]+]]: f32) -> f32 {
  // CHECK-NEXT: [[C0:%[a-z0-9_]+]] = arith.constant 0 : index
  // CHECK-NEXT: [[C1:%[a-z0-9_]+]] = arith.constant 1 : index
  // CHECK-NEXT: [[V0:%[a-z0-9_]+]] = scf.for [[ARG2:%[a-z0-9_]+]] = [[C0]] to [[ARG0]] step [[C1]] iter_args([[ARG3:%[a-z0-9_]+]] = [[ARG1]]) -> (f32) {
  // CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.addf [[ARG3]], [[ARG1]] : f32
  // CHECK-NEXT: scf.yield [[V1]] : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.return [[V0]] : f32
  // CHECK-NEXT: }
  gpu.func @loop(%n: index, %x: f32) -> (f32) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %sum = fly.make_ptr() {dictAttrs = {allocSize = 1 : i64}} : () -> !fly.ptr<f32, register>
    %read = fly.make_ptr() {dictAttrs = {allocSize = 1 : i64}} : () -> !fly.ptr<f32, register>
    fly.ptr.store(%x, %sum) : (f32, !fly.ptr<f32, register>) -> ()
    fly.ptr.store(%x, %read) : (f32, !fly.ptr<f32, register>) -> ()
    scf.for %i = %zero to %n step %one {
      %a = fly.ptr.load(%sum) : (!fly.ptr<f32, register>) -> f32
      %b = fly.ptr.load(%read) : (!fly.ptr<f32, register>) -> f32
      %s = arith.addf %a, %b : f32
      fly.ptr.store(%s, %sum) : (f32, !fly.ptr<f32, register>) -> ()
    }
    %r = fly.ptr.load(%sum) : (!fly.ptr<f32, register>) -> f32
    gpu.return %r : f32
  }
  // A branch without a store passes the old value on.
  // CHECK-LABEL: gpu.func @branch(
  // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: i1, [[ARG1:%[a-z0-9_]+]]: f32, [[ARG2:%[a-z0-9_]+]]: f32) -> f32 {
  // CHECK-NEXT: [[V0:%[a-z0-9_]+]] = scf.if [[ARG0]] -> (f32) {
  // CHECK-NEXT: scf.yield [[ARG2]] : f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield [[ARG1]] : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.return [[V0]] : f32
  // CHECK-NEXT: }
  gpu.func @branch(%c: i1, %x: f32, %y: f32) -> (f32) {
    %r = fly.make_ptr() {dictAttrs = {allocSize = 1 : i64}} : () -> !fly.ptr<f32, register>
    fly.ptr.store(%x, %r) : (f32, !fly.ptr<f32, register>) -> ()
    scf.if %c {
      fly.ptr.store(%y, %r) : (f32, !fly.ptr<f32, register>) -> ()
    }
    %z = fly.ptr.load(%r) : (!fly.ptr<f32, register>) -> f32
    gpu.return %z : f32
  }
  // Nothing is known about a register at a dynamic offset: it stays memory.
  // CHECK-LABEL: gpu.func @dynamic(
  // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: i32, [[ARG1:%[a-z0-9_]+]]: f32) -> f32 {
  // CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.make_ptr() {dictAttrs = {allocSize = 4 : i64}} : () -> !fly.ptr<f32, register>
  // CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_int_tuple([[ARG0]]) : (i32) -> !fly.int_tuple<?>
  // CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.add_offset([[V0]], [[V1]]) : (!fly.ptr<f32, register>, !fly.int_tuple<?>) -> !fly.ptr<f32, register>
  // CHECK-NEXT: fly.ptr.store([[ARG1]], [[V2]]) : (f32, !fly.ptr<f32, register>) -> ()
  // CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.ptr.load([[V0]]) : (!fly.ptr<f32, register>) -> f32
  // CHECK-NEXT: gpu.return [[V3]] : f32
  // CHECK-NEXT: }
  gpu.func @dynamic(%i: i32, %x: f32) -> (f32) {
    %r = fly.make_ptr() {dictAttrs = {allocSize = 4 : i64}} : () -> !fly.ptr<f32, register>
    %c = fly.make_int_tuple(%i) : (i32) -> !fly.int_tuple<?>
    %p = fly.add_offset(%r, %c) : (!fly.ptr<f32, register>, !fly.int_tuple<?>) -> !fly.ptr<f32, register>
    fly.ptr.store(%x, %p) : (f32, !fly.ptr<f32, register>) -> ()
    %y = fly.ptr.load(%r) : (!fly.ptr<f32, register>) -> f32
    gpu.return %y : f32
  }
}
