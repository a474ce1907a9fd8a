// Register operands of atoms become values.
// RUN: fly-opt %s --fly-convert-atom-call-to-ssa-form | filecheck %s

// Into registers: the copied value is a result, and is stored.
// CHECK-LABEL: func.func @load(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.copy_atom<!fly.universal_copy<128>, 32>, [[ARG1:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG2:%[a-z0-9_]+]]: !fly.ptr<f32, register>) {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.static : !fly.layout<4:1>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_view([[ARG1]], [[V0]]) : (!fly.ptr<f32, global>, !fly.layout<4:1>) -> !fly.memref<f32, global, 4:1>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.make_view([[ARG2]], [[V0]]) : (!fly.ptr<f32, register>, !fly.layout<4:1>) -> !fly.memref<f32, register, 4:1>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.copy_atom_call_ssa([[ARG0]], [[V1]]) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, 4:1>) -> vector<4xf32>
// CHECK-NEXT: fly.ptr.store([[V3]], [[ARG2]]) : (vector<4xf32>, !fly.ptr<f32, register>) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @load(%atom: !fly.copy_atom<!fly.universal_copy<128>, 32>, %p: !fly.ptr<f32, global>, %r: !fly.ptr<f32, register>) {
  %l = fly.static : !fly.layout<4:1>
  %src = fly.make_view(%p, %l) : (!fly.ptr<f32, global>, !fly.layout<4:1>) -> !fly.memref<f32, global, 4:1>
  %dst = fly.make_view(%r, %l) : (!fly.ptr<f32, register>, !fly.layout<4:1>) -> !fly.memref<f32, register, 4:1>
  fly.copy_atom_call(%atom, %src, %dst) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, 4:1>, !fly.memref<f32, register, 4:1>) -> ()
  return
}
// Predicated: the old value takes part.
// CHECK-LABEL: func.func @predicated(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.copy_atom<!fly.universal_copy<128>, 32>, [[ARG1:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG2:%[a-z0-9_]+]]: !fly.ptr<f32, register>, [[ARG3:%[a-z0-9_]+]]: !fly.ptr<i1, register>) {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.static : !fly.layout<4:1>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.static : !fly.layout<1:0>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.make_view([[ARG1]], [[V0]]) : (!fly.ptr<f32, global>, !fly.layout<4:1>) -> !fly.memref<f32, global, 4:1>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.make_view([[ARG2]], [[V0]]) : (!fly.ptr<f32, register>, !fly.layout<4:1>) -> !fly.memref<f32, register, 4:1>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = fly.make_view([[ARG3]], [[V1]]) : (!fly.ptr<i1, register>, !fly.layout<1:0>) -> !fly.memref<i1, register, 1:0>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = fly.ptr.load([[ARG3]]) : (!fly.ptr<i1, register>) -> i1
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = fly.ptr.load([[ARG2]]) : (!fly.ptr<f32, register>) -> vector<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = fly.copy_atom_call_ssa([[ARG0]], [[V2]], [[V6]], [[V5]]) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, 4:1>, vector<4xf32>, i1) -> vector<4xf32>
// CHECK-NEXT: fly.ptr.store([[V7]], [[ARG2]]) : (vector<4xf32>, !fly.ptr<f32, register>) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @predicated(%atom: !fly.copy_atom<!fly.universal_copy<128>, 32>, %p: !fly.ptr<f32, global>, %r: !fly.ptr<f32, register>, %q: !fly.ptr<i1, register>) {
  %l = fly.static : !fly.layout<4:1>
  %one = fly.static : !fly.layout<1:0>
  %src = fly.make_view(%p, %l) : (!fly.ptr<f32, global>, !fly.layout<4:1>) -> !fly.memref<f32, global, 4:1>
  %dst = fly.make_view(%r, %l) : (!fly.ptr<f32, register>, !fly.layout<4:1>) -> !fly.memref<f32, register, 4:1>
  %pred = fly.make_view(%q, %one) : (!fly.ptr<i1, register>, !fly.layout<1:0>) -> !fly.memref<i1, register, 1:0>
  fly.copy_atom_call(%atom, %src, %dst, %pred) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, 4:1>, !fly.memref<f32, register, 4:1>, !fly.memref<i1, register, 1:0>) -> ()
  return
}
// Out of registers, and between them.
// CHECK-LABEL: func.func @multiply(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, [[ARG1:%[a-z0-9_]+]]: !fly.ptr<f32, register>) {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.static : !fly.layout<1:0>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_view([[ARG1]], [[V0]]) : (!fly.ptr<f32, register>, !fly.layout<1:0>) -> !fly.memref<f32, register, 1:0>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.ptr.load([[ARG1]]) : (!fly.ptr<f32, register>) -> f32
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.ptr.load([[ARG1]]) : (!fly.ptr<f32, register>) -> f32
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = fly.ptr.load([[ARG1]]) : (!fly.ptr<f32, register>) -> f32
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = fly.mma_atom_call_ssa([[ARG0]], [[V2]], [[V3]], [[V4]]) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, f32, f32, f32) -> f32
// CHECK-NEXT: fly.ptr.store([[V5]], [[ARG1]]) : (f32, !fly.ptr<f32, register>) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @multiply(%atom: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %r: !fly.ptr<f32, register>) {
  %l = fly.static : !fly.layout<1:0>
  %t = fly.make_view(%r, %l) : (!fly.ptr<f32, register>, !fly.layout<1:0>) -> !fly.memref<f32, register, 1:0>
  fly.mma_atom_call(%atom, %t, %t, %t, %t) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>) -> ()
  return
}
// A strided register tensor stays a tensor.
// CHECK-LABEL: func.func @strided(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.copy_atom<!fly.universal_copy<64>, 32>, [[ARG1:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG2:%[a-z0-9_]+]]: !fly.ptr<f32, register>) {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.static : !fly.layout<2:1>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.static : !fly.layout<2:4>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.make_view([[ARG1]], [[V0]]) : (!fly.ptr<f32, global>, !fly.layout<2:1>) -> !fly.memref<f32, global, 2:1>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.make_view([[ARG2]], [[V1]]) : (!fly.ptr<f32, register>, !fly.layout<2:4>) -> !fly.memref<f32, register, 2:4>
// CHECK-NEXT: fly.copy_atom_call([[ARG0]], [[V2]], [[V3]]) : (!fly.copy_atom<!fly.universal_copy<64>, 32>, !fly.memref<f32, global, 2:1>, !fly.memref<f32, register, 2:4>) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @strided(%atom: !fly.copy_atom<!fly.universal_copy<64>, 32>, %p: !fly.ptr<f32, global>, %r: !fly.ptr<f32, register>) {
  %l = fly.static : !fly.layout<2:1>
  %wide = fly.static : !fly.layout<2:4>
  %src = fly.make_view(%p, %l) : (!fly.ptr<f32, global>, !fly.layout<2:1>) -> !fly.memref<f32, global, 2:1>
  %dst = fly.make_view(%r, %wide) : (!fly.ptr<f32, register>, !fly.layout<2:4>) -> !fly.memref<f32, register, 2:4>
  fly.copy_atom_call(%atom, %src, %dst) : (!fly.copy_atom<!fly.universal_copy<64>, 32>, !fly.memref<f32, global, 2:1>, !fly.memref<f32, register, 2:4>) -> ()
  return
}
