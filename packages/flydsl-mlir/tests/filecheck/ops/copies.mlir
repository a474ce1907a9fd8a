// Copy atoms and tiled copies.
// RUN: fly-opt %s | filecheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | filecheck %s

// CHECK-LABEL: func.func @make_copy_atom(
// CHECK: %{{.*}} = fly.make_copy_atom {valBits = 32 : i32} : !fly.copy_atom<!fly.universal_copy<128>, 32>
func.func @make_copy_atom() {
  %r = fly.make_copy_atom {valBits = 32 : i32} : !fly.copy_atom<!fly.universal_copy<128>, 32>
  return
}

// CHECK-LABEL: func.func @make_tiled_copy(
// CHECK: %{{.*}} = fly.make_tiled_copy(%arg0, %arg1, %arg2) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>) -> !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>
func.func @make_tiled_copy(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.layout<((16,8),4):((32,1),8)>, %arg2: !fly.tile<[8|64]>) {
  %r = fly.make_tiled_copy(%arg0, %arg1, %arg2) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>) -> !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>
  return
}

// CHECK-LABEL: func.func @get_copy_atom(
// CHECK: %{{.*}} = fly.get_copy_atom(%arg0) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>) -> !fly.copy_atom<!fly.universal_copy<128>, 32>
func.func @get_copy_atom(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>) {
  %r = fly.get_copy_atom(%arg0) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>) -> !fly.copy_atom<!fly.universal_copy<128>, 32>
  return
}

// CHECK-LABEL: func.func @tiled_copy_partition_src(
// CHECK: %{{.*}} = fly.tiled_copy.partition_src(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.int_tuple<?>) -> !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>
func.func @tiled_copy_partition_src(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, %arg1: !fly.memref<f32, global, (8,64):(?{i64},1)>, %arg2: !fly.int_tuple<?>) {
  %r = fly.tiled_copy.partition_src(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.int_tuple<?>) -> !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>
  return
}

// CHECK-LABEL: func.func @tiled_copy_partition_src_2(
// CHECK: %{{.*}} = fly.tiled_copy.partition_src(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>, !fly.int_tuple<?>) -> !fly.coord_tensor<(?,?{div=4}), ((4,1),1,1):((1E1,0),0,0)>
func.func @tiled_copy_partition_src_2(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, %arg1: !fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>, %arg2: !fly.int_tuple<?>) {
  %r = fly.tiled_copy.partition_src(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>, !fly.int_tuple<?>) -> !fly.coord_tensor<(?,?{div=4}), ((4,1),1,1):((1E1,0),0,0)>
  return
}

// CHECK-LABEL: func.func @tiled_copy_partition_dst(
// CHECK: %{{.*}} = fly.tiled_copy.partition_dst(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.int_tuple<?>) -> !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>
func.func @tiled_copy_partition_dst(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, %arg1: !fly.memref<f32, global, (8,64):(?{i64},1)>, %arg2: !fly.int_tuple<?>) {
  %r = fly.tiled_copy.partition_dst(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.int_tuple<?>) -> !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>
  return
}

// CHECK-LABEL: func.func @tiled_copy_retile(
// CHECK: %{{.*}} = fly.tiled_copy.retile(%arg0, %arg1) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>
func.func @tiled_copy_retile(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, %arg1: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  %r = fly.tiled_copy.retile(%arg0, %arg1) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>
  return
}

// CHECK-LABEL: func.func @copy_atom_call(
// CHECK: fly.copy_atom_call(%arg0, %arg1, %arg2) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> ()
func.func @copy_atom_call(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, %arg2: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  fly.copy_atom_call(%arg0, %arg1, %arg2) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> ()
  return
}

// CHECK-LABEL: func.func @copy_atom_call_2(
// CHECK: fly.copy_atom_call(%arg0, %arg1, %arg2, %arg3) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>, !fly.memref<i1, register, 1:0>) -> ()
func.func @copy_atom_call_2(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, %arg2: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>, %arg3: !fly.memref<i1, register, 1:0>) {
  fly.copy_atom_call(%arg0, %arg1, %arg2, %arg3) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>, !fly.memref<i1, register, 1:0>) -> ()
  return
}

// CHECK-LABEL: func.func @copy_atom_call_ssa(
// CHECK: %{{.*}} = fly.copy_atom_call_ssa(%arg0, %arg1) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) -> vector<4xf32>
func.func @copy_atom_call_ssa(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) {
  %r = fly.copy_atom_call_ssa(%arg0, %arg1) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) -> vector<4xf32>
  return
}

// CHECK-LABEL: func.func @copy_atom_call_ssa_2(
// CHECK: fly.copy_atom_call_ssa(%arg0, %arg1, %arg2, %arg3) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (!fly.copy_atom<!fly.universal_copy<128>, 32>, vector<4xf32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, i1) -> ()
func.func @copy_atom_call_ssa_2(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: vector<4xf32>, %arg2: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, %arg3: i1) {
  fly.copy_atom_call_ssa(%arg0, %arg1, %arg2, %arg3) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (!fly.copy_atom<!fly.universal_copy<128>, 32>, vector<4xf32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, i1) -> ()
  return
}

// CHECK-LABEL: func.func @copy(
// CHECK: fly.copy(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> ()
func.func @copy(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, %arg2: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  fly.copy(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> ()
  return
}
