// Equal pure operations are shared, nothing is folded.
// RUN: fly-opt %s --cse | filecheck %s

// CHECK-LABEL: func.func @shared(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG1:%[a-z0-9_]+]]: i32) -> (f32, f32) {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.make_int_tuple([[ARG1]]) : (i32) -> !fly.int_tuple<?>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.add_offset([[ARG0]], [[V0]]) : (!fly.ptr<f32, global>, !fly.int_tuple<?>) -> !fly.ptr<f32, global>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.ptr.load([[V1]]) : (!fly.ptr<f32, global>) -> f32
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.ptr.load([[V1]]) : (!fly.ptr<f32, global>) -> f32
// CHECK-NEXT: return [[V2]], [[V3]] : f32, f32
// CHECK-NEXT: }
func.func @shared(%p: !fly.ptr<f32, global>, %i: i32) -> (f32, f32) {
  %a = fly.make_int_tuple(%i) : (i32) -> !fly.int_tuple<?>
  %b = fly.make_int_tuple(%i) : (i32) -> !fly.int_tuple<?>
  %q = fly.add_offset(%p, %a) : (!fly.ptr<f32, global>, !fly.int_tuple<?>) -> !fly.ptr<f32, global>
  %r = fly.add_offset(%p, %b) : (!fly.ptr<f32, global>, !fly.int_tuple<?>) -> !fly.ptr<f32, global>
  %x = fly.ptr.load(%q) : (!fly.ptr<f32, global>) -> f32
  %y = fly.ptr.load(%r) : (!fly.ptr<f32, global>) -> f32
  return %x, %y : f32, f32
}
