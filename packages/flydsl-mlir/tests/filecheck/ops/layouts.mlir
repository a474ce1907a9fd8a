// The layout algebra on int tuples, layouts and tensors.
// RUN: fly-opt %s | filecheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | filecheck %s

// CHECK-LABEL: func.func @make_layout(
// CHECK: %{{.*}} = fly.make_layout(%arg0, %arg1) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<(1,?)>) -> !fly.layout<(4,8):(1,?)>
func.func @make_layout(%arg0: !fly.int_tuple<(4,8)>, %arg1: !fly.int_tuple<(1,?)>) {
  %r = fly.make_layout(%arg0, %arg1) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<(1,?)>) -> !fly.layout<(4,8):(1,?)>
  return
}

// CHECK-LABEL: func.func @make_layout_like(
// CHECK: %{{.*}} = fly.make_layout_like(%arg0) : (!fly.layout<(4,8):(8,1)>) -> !fly.layout<(4,8):(8,1)>
func.func @make_layout_like(%arg0: !fly.layout<(4,8):(8,1)>) {
  %r = fly.make_layout_like(%arg0) : (!fly.layout<(4,8):(8,1)>) -> !fly.layout<(4,8):(8,1)>
  return
}

// CHECK-LABEL: func.func @make_ordered_layout(
// CHECK: %{{.*}} = fly.make_ordered_layout(%arg0, %arg1) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<(1,0)>) -> !fly.layout<(4,8):(8,1)>
func.func @make_ordered_layout(%arg0: !fly.int_tuple<(4,8)>, %arg1: !fly.int_tuple<(1,0)>) {
  %r = fly.make_ordered_layout(%arg0, %arg1) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<(1,0)>) -> !fly.layout<(4,8):(8,1)>
  return
}

// CHECK-LABEL: func.func @make_identity_layout(
// CHECK: %{{.*}} = fly.make_identity_layout(%arg0) : (!fly.int_tuple<(?,?)>) -> !fly.layout<(?,?):(1E0,1E1)>
func.func @make_identity_layout(%arg0: !fly.int_tuple<(?,?)>) {
  %r = fly.make_identity_layout(%arg0) : (!fly.int_tuple<(?,?)>) -> !fly.layout<(?,?):(1E0,1E1)>
  return
}

// CHECK-LABEL: func.func @make_composed_layout(
// CHECK: %{{.*}} = fly.make_composed_layout(%arg0, %arg1, %arg2) : (!fly.swizzle<S<3,4,3>>, !fly.int_tuple<0>, !fly.layout<(8,8):(1,8)>) -> !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>
func.func @make_composed_layout(%arg0: !fly.swizzle<S<3,4,3>>, %arg1: !fly.int_tuple<0>, %arg2: !fly.layout<(8,8):(1,8)>) {
  %r = fly.make_composed_layout(%arg0, %arg1, %arg2) : (!fly.swizzle<S<3,4,3>>, !fly.int_tuple<0>, !fly.layout<(8,8):(1,8)>) -> !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>
  return
}

// CHECK-LABEL: func.func @make_fragment_layout_like(
// CHECK: %{{.*}} = fly.make_fragment_layout_like(%arg0) : (!fly.layout<((4,1),2):((1,0),64)>) -> !fly.layout<((4,1),2):((1,0),4)>
func.func @make_fragment_layout_like(%arg0: !fly.layout<((4,1),2):((1,0),64)>) {
  %r = fly.make_fragment_layout_like(%arg0) : (!fly.layout<((4,1),2):((1,0),64)>) -> !fly.layout<((4,1),2):((1,0),4)>
  return
}

// CHECK-LABEL: func.func @composed_get_inner(
// CHECK: %{{.*}} = fly.composed_get_inner(%arg0) : (!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) -> !fly.swizzle<S<3,4,3>>
func.func @composed_get_inner(%arg0: !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) {
  %r = fly.composed_get_inner(%arg0) : (!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) -> !fly.swizzle<S<3,4,3>>
  return
}

// CHECK-LABEL: func.func @composed_get_offset(
// CHECK: %{{.*}} = fly.composed_get_offset(%arg0) : (!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) -> !fly.int_tuple<0>
func.func @composed_get_offset(%arg0: !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) {
  %r = fly.composed_get_offset(%arg0) : (!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) -> !fly.int_tuple<0>
  return
}

// CHECK-LABEL: func.func @composed_get_outer(
// CHECK: %{{.*}} = fly.composed_get_outer(%arg0) : (!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) -> !fly.layout<(8,8):(1,8)>
func.func @composed_get_outer(%arg0: !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) {
  %r = fly.composed_get_outer(%arg0) : (!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) -> !fly.layout<(8,8):(1,8)>
  return
}

// CHECK-LABEL: func.func @get_shape(
// CHECK: %{{.*}} = fly.get_shape(%arg0) : (!fly.layout<(4,8):(1,?)>) -> !fly.int_tuple<(4,8)>
func.func @get_shape(%arg0: !fly.layout<(4,8):(1,?)>) {
  %r = fly.get_shape(%arg0) : (!fly.layout<(4,8):(1,?)>) -> !fly.int_tuple<(4,8)>
  return
}

// CHECK-LABEL: func.func @get_shape_2(
// CHECK: %{{.*}} = fly.get_shape(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.int_tuple<(?,?)>
func.func @get_shape_2(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>) {
  %r = fly.get_shape(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.int_tuple<(?,?)>
  return
}

// CHECK-LABEL: func.func @get_stride(
// CHECK: %{{.*}} = fly.get_stride(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.int_tuple<(?{i64},1)>
func.func @get_stride(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>) {
  %r = fly.get_stride(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.int_tuple<(?{i64},1)>
  return
}

// CHECK-LABEL: func.func @get_layout(
// CHECK: %{{.*}} = fly.get_layout(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.layout<(?,?):(?{i64},1)>
func.func @get_layout(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>) {
  %r = fly.get_layout(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.layout<(?,?):(?{i64},1)>
  return
}

// CHECK-LABEL: func.func @get_iter(
// CHECK: %{{.*}} = fly.get_iter(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.ptr<f32, global>
func.func @get_iter(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>) {
  %r = fly.get_iter(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.ptr<f32, global>
  return
}

// CHECK-LABEL: func.func @get_iter_2(
// CHECK: %{{.*}} = fly.get_iter(%arg0) : (!fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>) -> !fly.int_tuple<(?{div=8},?{div=64})>
func.func @get_iter_2(%arg0: !fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>) {
  %r = fly.get_iter(%arg0) : (!fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>) -> !fly.int_tuple<(?{div=8},?{div=64})>
  return
}

// CHECK-LABEL: func.func @get(
// CHECK: %{{.*}} = fly.get(%arg0) {mode = array<i32: 1, 1>} : (!fly.int_tuple<(4,(2,8))>) -> !fly.int_tuple<8>
func.func @get(%arg0: !fly.int_tuple<(4,(2,8))>) {
  %r = fly.get(%arg0) {mode = array<i32: 1, 1>} : (!fly.int_tuple<(4,(2,8))>) -> !fly.int_tuple<8>
  return
}

// CHECK-LABEL: func.func @get_2(
// CHECK: %{{.*}} = fly.get(%arg0) {mode = array<i32: 1>} : (!fly.memref<f32, global, (8,64):(?{i64},1)>) -> !fly.memref<f32, global, 64:1>
func.func @get_2(%arg0: !fly.memref<f32, global, (8,64):(?{i64},1)>) {
  %r = fly.get(%arg0) {mode = array<i32: 1>} : (!fly.memref<f32, global, (8,64):(?{i64},1)>) -> !fly.memref<f32, global, 64:1>
  return
}

// CHECK-LABEL: func.func @take(
// CHECK: %{{.*}} = fly.take(%arg0) {begin = 1 : i32, end = 3 : i32} : (!fly.layout<(4,2,8):(1,4,8)>) -> !fly.layout<(2,8):(4,8)>
func.func @take(%arg0: !fly.layout<(4,2,8):(1,4,8)>) {
  %r = fly.take(%arg0) {begin = 1 : i32, end = 3 : i32} : (!fly.layout<(4,2,8):(1,4,8)>) -> !fly.layout<(2,8):(4,8)>
  return
}

// CHECK-LABEL: func.func @select(
// CHECK: %{{.*}} = fly.select(%arg0) {indices = array<i32: 2, 0>} : (!fly.layout<(4,2,8):(1,4,8)>) -> !fly.layout<(8,4):(8,1)>
func.func @select(%arg0: !fly.layout<(4,2,8):(1,4,8)>) {
  %r = fly.select(%arg0) {indices = array<i32: 2, 0>} : (!fly.layout<(4,2,8):(1,4,8)>) -> !fly.layout<(8,4):(8,1)>
  return
}

// CHECK-LABEL: func.func @group(
// CHECK: %{{.*}} = fly.group(%arg0) {begin = 1 : i32, end = 3 : i32} : (!fly.layout<(4,2,8):(1,4,8)>) -> !fly.layout<(4,(2,8)):(1,(4,8))>
func.func @group(%arg0: !fly.layout<(4,2,8):(1,4,8)>) {
  %r = fly.group(%arg0) {begin = 1 : i32, end = 3 : i32} : (!fly.layout<(4,2,8):(1,4,8)>) -> !fly.layout<(4,(2,8)):(1,(4,8))>
  return
}

// CHECK-LABEL: func.func @append(
// CHECK: %{{.*}} = fly.append(%arg0, %arg1) : (!fly.layout<(4,2):(1,4)>, !fly.layout<1:0>) -> !fly.layout<(4,2,1):(1,4,0)>
func.func @append(%arg0: !fly.layout<(4,2):(1,4)>, %arg1: !fly.layout<1:0>) {
  %r = fly.append(%arg0, %arg1) : (!fly.layout<(4,2):(1,4)>, !fly.layout<1:0>) -> !fly.layout<(4,2,1):(1,4,0)>
  return
}

// CHECK-LABEL: func.func @append_2(
// CHECK: %{{.*}} = fly.append<4>(%arg0, %arg1) : (!fly.layout<(4,2):(1,4)>, !fly.layout<1:0>) -> !fly.layout<(4,2,1,1):(1,4,0,0)>
func.func @append_2(%arg0: !fly.layout<(4,2):(1,4)>, %arg1: !fly.layout<1:0>) {
  %r = fly.append<4>(%arg0, %arg1) : (!fly.layout<(4,2):(1,4)>, !fly.layout<1:0>) -> !fly.layout<(4,2,1,1):(1,4,0,0)>
  return
}

// CHECK-LABEL: func.func @prepend(
// CHECK: %{{.*}} = fly.prepend<3>(%arg0, %arg1) : (!fly.layout<(4,2):(1,4)>, !fly.layout<1:0>) -> !fly.layout<(1,4,2):(0,1,4)>
func.func @prepend(%arg0: !fly.layout<(4,2):(1,4)>, %arg1: !fly.layout<1:0>) {
  %r = fly.prepend<3>(%arg0, %arg1) : (!fly.layout<(4,2):(1,4)>, !fly.layout<1:0>) -> !fly.layout<(1,4,2):(0,1,4)>
  return
}

// CHECK-LABEL: func.func @slice(
// CHECK: %{{.*}} = fly.slice(%arg0, %arg1) : (!fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>, !fly.int_tuple<(*,*,?,?)>) -> !fly.memref<f32, global, (8,64):(?{i64},1)>
func.func @slice(%arg0: !fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>, %arg1: !fly.int_tuple<(*,*,?,?)>) {
  %r = fly.slice(%arg0, %arg1) : (!fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>, !fly.int_tuple<(*,*,?,?)>) -> !fly.memref<f32, global, (8,64):(?{i64},1)>
  return
}

// CHECK-LABEL: func.func @slice_2(
// CHECK: %{{.*}} = fly.slice(%arg0, %arg1) : (!fly.layout<(4,8):(1,4)>, !fly.int_tuple<(*,3)>) -> !fly.layout<4:1>
func.func @slice_2(%arg0: !fly.layout<(4,8):(1,4)>, %arg1: !fly.int_tuple<(*,3)>) {
  %r = fly.slice(%arg0, %arg1) : (!fly.layout<(4,8):(1,4)>, !fly.int_tuple<(*,3)>) -> !fly.layout<4:1>
  return
}

// CHECK-LABEL: func.func @dice(
// CHECK: %{{.*}} = fly.dice(%arg0, %arg1) : (!fly.layout<(4,8):(1,4)>, !fly.int_tuple<(*,3)>) -> !fly.layout<8:4>
func.func @dice(%arg0: !fly.layout<(4,8):(1,4)>, %arg1: !fly.int_tuple<(*,3)>) {
  %r = fly.dice(%arg0, %arg1) : (!fly.layout<(4,8):(1,4)>, !fly.int_tuple<(*,3)>) -> !fly.layout<8:4>
  return
}

// CHECK-LABEL: func.func @size(
// CHECK: %{{.*}} = fly.size(%arg0) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<32>
func.func @size(%arg0: !fly.layout<(4,8):(1,4)>) {
  %r = fly.size(%arg0) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<32>
  return
}

// CHECK-LABEL: func.func @coprofile(
// CHECK: %{{.*}} = fly.coprofile(%arg0) : (!fly.layout<(4,8):(1E0,1E1)>) -> !fly.int_tuple<(0,0)>
func.func @coprofile(%arg0: !fly.layout<(4,8):(1E0,1E1)>) {
  %r = fly.coprofile(%arg0) : (!fly.layout<(4,8):(1E0,1E1)>) -> !fly.int_tuple<(0,0)>
  return
}

// CHECK-LABEL: func.func @coshape(
// CHECK: %{{.*}} = fly.coshape(%arg0) : (!fly.layout<(4,8):(1E0,1E1)>) -> !fly.int_tuple<(4,8)>
func.func @coshape(%arg0: !fly.layout<(4,8):(1E0,1E1)>) {
  %r = fly.coshape(%arg0) : (!fly.layout<(4,8):(1E0,1E1)>) -> !fly.int_tuple<(4,8)>
  return
}

// CHECK-LABEL: func.func @cosize(
// CHECK: %{{.*}} = fly.cosize(%arg0) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<32>
func.func @cosize(%arg0: !fly.layout<(4,8):(1,4)>) {
  %r = fly.cosize(%arg0) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<32>
  return
}

// CHECK-LABEL: func.func @crd2idx(
// CHECK: %{{.*}} = fly.crd2idx(%arg0, %arg1) : (!fly.int_tuple<(1,?)>, !fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<?>
func.func @crd2idx(%arg0: !fly.int_tuple<(1,?)>, %arg1: !fly.layout<(4,8):(1,4)>) {
  %r = fly.crd2idx(%arg0, %arg1) : (!fly.int_tuple<(1,?)>, !fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<?>
  return
}

// CHECK-LABEL: func.func @idx2crd(
// CHECK: %{{.*}} = fly.idx2crd(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<(2,1)>
func.func @idx2crd(%arg0: !fly.int_tuple<6>, %arg1: !fly.layout<(4,8):(1,4)>) {
  %r = fly.idx2crd(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<(2,1)>
  return
}

// CHECK-LABEL: func.func @get_flat_coord(
// CHECK: %{{.*}} = fly.get_flat_coord(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.layout<((2,2),8):((1,2),4)>) -> !fly.int_tuple<(2,1)>
func.func @get_flat_coord(%arg0: !fly.int_tuple<6>, %arg1: !fly.layout<((2,2),8):((1,2),4)>) {
  %r = fly.get_flat_coord(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.layout<((2,2),8):((1,2),4)>) -> !fly.int_tuple<(2,1)>
  return
}

// CHECK-LABEL: func.func @get_1d_coord(
// CHECK: %{{.*}} = fly.get_1d_coord(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.layout<(4,8):(8,1)>) -> !fly.int_tuple<24>
func.func @get_1d_coord(%arg0: !fly.int_tuple<6>, %arg1: !fly.layout<(4,8):(8,1)>) {
  %r = fly.get_1d_coord(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.layout<(4,8):(8,1)>) -> !fly.int_tuple<24>
  return
}

// CHECK-LABEL: func.func @coalesce(
// CHECK: %{{.*}} = fly.coalesce(%arg0) : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<32:1>
func.func @coalesce(%arg0: !fly.layout<(4,8):(1,4)>) {
  %r = fly.coalesce(%arg0) : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<32:1>
  return
}

// CHECK-LABEL: func.func @coalesce_2(
// CHECK: %{{.*}} = fly.coalesce(%arg0, %arg1) : (!fly.layout<((2,2),8):((1,2),4)>, !fly.int_tuple<(1,1)>) -> !fly.layout<(4,8):(1,4)>
func.func @coalesce_2(%arg0: !fly.layout<((2,2),8):((1,2),4)>, %arg1: !fly.int_tuple<(1,1)>) {
  %r = fly.coalesce(%arg0, %arg1) : (!fly.layout<((2,2),8):((1,2),4)>, !fly.int_tuple<(1,1)>) -> !fly.layout<(4,8):(1,4)>
  return
}

// CHECK-LABEL: func.func @composition(
// CHECK: %{{.*}} = fly.composition(%arg0, %arg1) : (!fly.layout<(4,8):(8,1)>, !fly.layout<4:8>) -> !fly.layout<4:2>
func.func @composition(%arg0: !fly.layout<(4,8):(8,1)>, %arg1: !fly.layout<4:8>) {
  %r = fly.composition(%arg0, %arg1) : (!fly.layout<(4,8):(8,1)>, !fly.layout<4:8>) -> !fly.layout<4:2>
  return
}

// CHECK-LABEL: func.func @composition_2(
// CHECK: %{{.*}} = fly.composition(%arg0, %arg1) : (!fly.layout<(4,8):(1,4)>, !fly.tile<[2|*]>) -> !fly.layout<(2,8):(1,4)>
func.func @composition_2(%arg0: !fly.layout<(4,8):(1,4)>, %arg1: !fly.tile<[2|*]>) {
  %r = fly.composition(%arg0, %arg1) : (!fly.layout<(4,8):(1,4)>, !fly.tile<[2|*]>) -> !fly.layout<(2,8):(1,4)>
  return
}

// CHECK-LABEL: func.func @complement(
// CHECK: %{{.*}} = fly.complement(%arg0) : (!fly.layout<4:2>) -> !fly.layout<2:1>
func.func @complement(%arg0: !fly.layout<4:2>) {
  %r = fly.complement(%arg0) : (!fly.layout<4:2>) -> !fly.layout<2:1>
  return
}

// CHECK-LABEL: func.func @complement_2(
// CHECK: %{{.*}} = fly.complement(%arg0, %arg1) : (!fly.layout<4:2>, !fly.int_tuple<24>) -> !fly.layout<(2,3):(1,8)>
func.func @complement_2(%arg0: !fly.layout<4:2>, %arg1: !fly.int_tuple<24>) {
  %r = fly.complement(%arg0, %arg1) : (!fly.layout<4:2>, !fly.int_tuple<24>) -> !fly.layout<(2,3):(1,8)>
  return
}

// CHECK-LABEL: func.func @right_inverse(
// CHECK: %{{.*}} = fly.right_inverse(%arg0) : (!fly.layout<(4,8):(8,1)>) -> !fly.layout<(8,4):(4,1)>
func.func @right_inverse(%arg0: !fly.layout<(4,8):(8,1)>) {
  %r = fly.right_inverse(%arg0) : (!fly.layout<(4,8):(8,1)>) -> !fly.layout<(8,4):(4,1)>
  return
}

// CHECK-LABEL: func.func @left_inverse(
// CHECK: %{{.*}} = fly.left_inverse(%arg0) : (!fly.layout<(4,8):(8,1)>) -> !fly.layout<(8,4):(4,1)>
func.func @left_inverse(%arg0: !fly.layout<(4,8):(8,1)>) {
  %r = fly.left_inverse(%arg0) : (!fly.layout<(4,8):(8,1)>) -> !fly.layout<(8,4):(4,1)>
  return
}

// CHECK-LABEL: func.func @logical_divide(
// CHECK: %{{.*}} = fly.logical_divide(%arg0, %arg1) : (!fly.layout<16:1>, !fly.layout<4:1>) -> !fly.layout<(4,4):(1,4)>
func.func @logical_divide(%arg0: !fly.layout<16:1>, %arg1: !fly.layout<4:1>) {
  %r = fly.logical_divide(%arg0, %arg1) : (!fly.layout<16:1>, !fly.layout<4:1>) -> !fly.layout<(4,4):(1,4)>
  return
}

// CHECK-LABEL: func.func @zipped_divide(
// CHECK: %{{.*}} = fly.zipped_divide(%arg0, %arg1) : (!fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.tile<[4|8]>) -> !fly.memref<f32, global, ((4,8),(2,8)):((?{i64},1),(?{i64 div=4},8))>
func.func @zipped_divide(%arg0: !fly.memref<f32, global, (8,64):(?{i64},1)>, %arg1: !fly.tile<[4|8]>) {
  %r = fly.zipped_divide(%arg0, %arg1) : (!fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.tile<[4|8]>) -> !fly.memref<f32, global, ((4,8),(2,8)):((?{i64},1),(?{i64 div=4},8))>
  return
}

// CHECK-LABEL: func.func @tiled_divide(
// CHECK: %{{.*}} = fly.tiled_divide(%arg0, %arg1) : (!fly.layout<(8,64):(64,1)>, !fly.tile<[4|8]>) -> !fly.layout<((4,8),2,8):((64,1),256,8)>
func.func @tiled_divide(%arg0: !fly.layout<(8,64):(64,1)>, %arg1: !fly.tile<[4|8]>) {
  %r = fly.tiled_divide(%arg0, %arg1) : (!fly.layout<(8,64):(64,1)>, !fly.tile<[4|8]>) -> !fly.layout<((4,8),2,8):((64,1),256,8)>
  return
}

// CHECK-LABEL: func.func @flat_divide(
// CHECK: %{{.*}} = fly.flat_divide(%arg0, %arg1) : (!fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.tile<[8|64]>) -> !fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>
func.func @flat_divide(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>, %arg1: !fly.tile<[8|64]>) {
  %r = fly.flat_divide(%arg0, %arg1) : (!fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.tile<[8|64]>) -> !fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>
  return
}

// CHECK-LABEL: func.func @logical_product(
// CHECK: %{{.*}} = fly.logical_product(%arg0, %arg1) : (!fly.layout<4:1>, !fly.layout<3:1>) -> !fly.layout<(4,3):(1,4)>
func.func @logical_product(%arg0: !fly.layout<4:1>, %arg1: !fly.layout<3:1>) {
  %r = fly.logical_product(%arg0, %arg1) : (!fly.layout<4:1>, !fly.layout<3:1>) -> !fly.layout<(4,3):(1,4)>
  return
}

// CHECK-LABEL: func.func @zipped_product(
// CHECK: %{{.*}} = fly.zipped_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((2,2),(3,5)):((1,2),(4,12))>
func.func @zipped_product(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.layout<(3,5):(1,3)>) {
  %r = fly.zipped_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((2,2),(3,5)):((1,2),(4,12))>
  return
}

// CHECK-LABEL: func.func @tiled_product(
// CHECK: %{{.*}} = fly.tiled_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((2,2),3,5):((1,2),4,12)>
func.func @tiled_product(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.layout<(3,5):(1,3)>) {
  %r = fly.tiled_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((2,2),3,5):((1,2),4,12)>
  return
}

// CHECK-LABEL: func.func @flat_product(
// CHECK: %{{.*}} = fly.flat_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.layout<(2,2,3,5):(1,2,4,12)>
func.func @flat_product(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.layout<(3,5):(1,3)>) {
  %r = fly.flat_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.layout<(2,2,3,5):(1,2,4,12)>
  return
}

// CHECK-LABEL: func.func @blocked_product(
// CHECK: %{{.*}} = fly.blocked_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((2,3),(2,5)):((1,4),(2,12))>
func.func @blocked_product(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.layout<(3,5):(1,3)>) {
  %r = fly.blocked_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((2,3),(2,5)):((1,4),(2,12))>
  return
}

// CHECK-LABEL: func.func @raked_product(
// CHECK: %{{.*}} = fly.raked_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((3,2),(5,2)):((4,1),(12,2))>
func.func @raked_product(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.layout<(3,5):(1,3)>) {
  %r = fly.raked_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((3,2),(5,2)):((4,1),(12,2))>
  return
}

// CHECK-LABEL: func.func @recast_layout(
// CHECK: %{{.*}} = fly.recast_layout(%arg0) {new_type_bits = 32 : i32, old_type_bits = 16 : i32} : (!fly.layout<(8,4):(1,8)>) -> !fly.layout<(4,4):(1,4)>
func.func @recast_layout(%arg0: !fly.layout<(8,4):(1,8)>) {
  %r = fly.recast_layout(%arg0) {old_type_bits = 16 : i32, new_type_bits = 32 : i32} : (!fly.layout<(8,4):(1,8)>) -> !fly.layout<(4,4):(1,4)>
  return
}

// CHECK-LABEL: func.func @tile_to_shape(
// CHECK: %{{.*}} = fly.tile_to_shape(%arg0, %arg1, %arg2) : (!fly.layout<(2,2):(1,2)>, !fly.int_tuple<(4,4)>, !fly.int_tuple<(0,1)>) -> !fly.layout<((2,2),(2,2)):((1,4),(2,8))>
func.func @tile_to_shape(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.int_tuple<(4,4)>, %arg2: !fly.int_tuple<(0,1)>) {
  %r = fly.tile_to_shape(%arg0, %arg1, %arg2) : (!fly.layout<(2,2):(1,2)>, !fly.int_tuple<(4,4)>, !fly.int_tuple<(0,1)>) -> !fly.layout<((2,2),(2,2)):((1,4),(2,8))>
  return
}
