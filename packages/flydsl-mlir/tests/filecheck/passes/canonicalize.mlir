// Folding, sharing and erasing while Fly operations remain; MLIR's own pass runs when none do.
// RUN: fly-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: func.func @fold(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG1:%[a-z0-9_]+]]: i32) -> i32 {
// CHECK-NEXT: [[C6_I32:%[a-z0-9_]+]] = arith.constant 6 : i32
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = arith.addi [[ARG1]], [[C6_I32]] : i32
// CHECK-NEXT: fly.print([[ARG0]]) : (!fly.ptr<f32, global>) -> ()
// CHECK-NEXT: return [[V0]] : i32
// CHECK-NEXT: }
func.func @fold(%p: !fly.ptr<f32, global>, %i: i32) -> i32 {
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %six = arith.muli %two, %three : i32
  %same = arith.addi %i, %zero : i32
  %unused = fly.make_int_tuple(%i) : (i32) -> !fly.int_tuple<?>
  %r = arith.addi %same, %six : i32
  fly.print(%p) : (!fly.ptr<f32, global>) -> ()
  return %r : i32
}
// A decided branch is inlined.
// CHECK-LABEL: func.func @decided(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG1:%[a-z0-9_]+]]: f32) {
// CHECK-NEXT: fly.ptr.store([[ARG1]], [[ARG0]]) : (f32, !fly.ptr<f32, global>) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @decided(%p: !fly.ptr<f32, global>, %x: f32) {
  %true = arith.constant true
  scf.if %true {
    fly.ptr.store(%x, %p) : (f32, !fly.ptr<f32, global>) -> ()
  }
  return
}
