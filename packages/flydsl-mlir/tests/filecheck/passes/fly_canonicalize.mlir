// Normal form: constructors are make_int_tuple, make_layout and make_view.
// RUN: fly-opt %s --fly-canonicalize | filecheck %s

// Shapes, strides and coordinates are int tuples.
// CHECK-LABEL: func.func @tuples(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: i32, [[ARG1:%[a-z0-9_]+]]: i64) -> !fly.int_tuple<(?,1)> {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.make_int_tuple([[ARG0]]) : (i32) -> !fly.int_tuple<(?,8)>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_int_tuple([[ARG1]]) : (i64) -> !fly.int_tuple<(?{i64},1)>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.make_int_tuple([[ARG0]]) : (i32) -> !fly.int_tuple<(?,1)>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.make_layout([[V0]], [[V1]]) : (!fly.int_tuple<(?,8)>, !fly.int_tuple<(?{i64},1)>) -> !fly.layout<(?,8):(?{i64},1)>
// CHECK-NEXT: fly.print([[V3]]) : (!fly.layout<(?,8):(?{i64},1)>) -> ()
// CHECK-NEXT: return [[V2]] : !fly.int_tuple<(?,1)>
// CHECK-NEXT: }
func.func @tuples(%i: i32, %j: i64) -> !fly.int_tuple<(?,1)> {
  %shape = fly.make_shape(%i) : (i32) -> !fly.int_tuple<(?,8)>
  %stride = fly.make_stride(%j) : (i64) -> !fly.int_tuple<(?{i64},1)>
  %coord = fly.make_coord(%i) : (i32) -> !fly.int_tuple<(?,1)>
  %layout = fly.make_layout(%shape, %stride) : (!fly.int_tuple<(?,8)>, !fly.int_tuple<(?{i64},1)>) -> !fly.layout<(?,8):(?{i64},1)>
  fly.print(%layout) : (!fly.layout<(?,8):(?{i64},1)>) -> ()
  return %coord : !fly.int_tuple<(?,1)>
}
// What computes a static value is replaced by its value.
// CHECK-LABEL: func.func @static_results(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: i32) {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<((2,2),(2,4))>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<((1,4),(2,8))>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.make_layout([[V0]], [[V1]]) : (!fly.int_tuple<((2,2),(2,4))>, !fly.int_tuple<((1,4),(2,8))>) -> !fly.layout<((2,2),(2,4)):((1,4),(2,8))>
// CHECK-NEXT: fly.print([[V2]]) : (!fly.layout<((2,2),(2,4)):((1,4),(2,8))>) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @static_results(%i: i32) {
  %layout = fly.static : !fly.layout<(4,8):(1,4)>
  %tile = fly.static : !fly.tile<[2|2]>
  %divided = fly.zipped_divide(%layout, %tile) : (!fly.layout<(4,8):(1,4)>, !fly.tile<[2|2]>) -> !fly.layout<((2,2),(2,4)):((1,4),(2,8))>
  fly.print(%divided) : (!fly.layout<((2,2),(2,4)):((1,4),(2,8))>) -> ()
  return
}
