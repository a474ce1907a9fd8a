// MMA atoms and tiled MMAs.
// RUN: fly-opt %s | filecheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | filecheck %s

// CHECK-LABEL: func.func @make_mma_atom(
// CHECK: %{{.*}} = fly.make_mma_atom : !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>
func.func @make_mma_atom() {
  %r = fly.make_mma_atom : !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>
  return
}

// CHECK-LABEL: func.func @make_tiled_mma(
// CHECK: %{{.*}} = fly.make_tiled_mma(%arg0, %arg1) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>) -> !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>
func.func @make_tiled_mma(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: !fly.layout<(16,16,1):(16,1,0)>) {
  %r = fly.make_tiled_mma(%arg0, %arg1) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>) -> !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>
  return
}

// CHECK-LABEL: func.func @make_tiled_mma_2(
// CHECK: %{{.*}} = fly.make_tiled_mma(%arg0, %arg1, %arg2) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>, !fly.tile<[32|*|*]>) -> !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>, !fly.tile<[32|*|*]>>
func.func @make_tiled_mma_2(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: !fly.layout<(16,16,1):(16,1,0)>, %arg2: !fly.tile<[32|*|*]>) {
  %r = fly.make_tiled_mma(%arg0, %arg1, %arg2) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>, !fly.tile<[32|*|*]>) -> !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>, !fly.tile<[32|*|*]>>
  return
}

// CHECK-LABEL: func.func @get_mma_atom(
// CHECK: %{{.*}} = fly.get_mma_atom(%arg0) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>) -> !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>
func.func @get_mma_atom(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>) {
  %r = fly.get_mma_atom(%arg0) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>) -> !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>
  return
}

// CHECK-LABEL: func.func @tiled_mma_partition(
// CHECK: %{{.*}} = fly.tiled_mma.partition(a, %arg0, %arg1, %arg2) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.memref<f32, shared, (64,8):(8,1)>, !fly.int_tuple<?>) -> !fly.memref<f32, shared, (1,4,8):(0,128,1)>
func.func @tiled_mma_partition(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, %arg1: !fly.memref<f32, shared, (64,8):(8,1)>, %arg2: !fly.int_tuple<?>) {
  %r = fly.tiled_mma.partition(a, %arg0, %arg1, %arg2) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.memref<f32, shared, (64,8):(8,1)>, !fly.int_tuple<?>) -> !fly.memref<f32, shared, (1,4,8):(0,128,1)>
  return
}

// CHECK-LABEL: func.func @tiled_mma_partition_shape(
// CHECK: %{{.*}} = fly.tiled_mma.partition_shape(c, %arg0, %arg1) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.int_tuple<(64,32)>) -> !fly.int_tuple<(1,4,2)>
func.func @tiled_mma_partition_shape(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, %arg1: !fly.int_tuple<(64,32)>) {
  %r = fly.tiled_mma.partition_shape(c, %arg0, %arg1) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.int_tuple<(64,32)>) -> !fly.int_tuple<(1,4,2)>
  return
}

// CHECK-LABEL: func.func @mma_make_fragment(
// CHECK: %{{.*}} = fly.mma.make_fragment(a, %arg0, %arg1) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.memref<f32, shared, (1,4,8):(0,128,1)>) -> !fly.memref<f32, register, (1,4,8):(0,8,1)>
func.func @mma_make_fragment(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, %arg1: !fly.memref<f32, shared, (1,4,8):(0,128,1)>) {
  %r = fly.mma.make_fragment(a, %arg0, %arg1) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.memref<f32, shared, (1,4,8):(0,128,1)>) -> !fly.memref<f32, register, (1,4,8):(0,8,1)>
  return
}

// CHECK-LABEL: func.func @mma_make_fragment_2(
// CHECK: %{{.*}} = fly.mma.make_fragment(a, %arg0, %arg1, stages = 2) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.memref<f32, shared, (1,4,8):(0,128,1)>) -> !fly.memref<f32, register, (1,4,8,2):(0,8,1,32)>
func.func @mma_make_fragment_2(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, %arg1: !fly.memref<f32, shared, (1,4,8):(0,128,1)>) {
  %r = fly.mma.make_fragment(a, %arg0, %arg1, stages = 2) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.memref<f32, shared, (1,4,8):(0,128,1)>) -> !fly.memref<f32, register, (1,4,8,2):(0,8,1,32)>
  return
}

// CHECK-LABEL: func.func @mma_atom_call(
// CHECK: fly.mma_atom_call(%arg0, %arg1, %arg2, %arg3, %arg4) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>) -> ()
func.func @mma_atom_call(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg2: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg3: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg4: !fly.memref<f32, register, (1,2,2):(0,1,2)>) {
  fly.mma_atom_call(%arg0, %arg1, %arg2, %arg3, %arg4) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>) -> ()
  return
}

// CHECK-LABEL: func.func @mma_atom_call_ssa(
// CHECK: %{{.*}} = fly.mma_atom_call_ssa(%arg0, %arg1, %arg2, %arg3) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, f32, f32, f32) -> f32
func.func @mma_atom_call_ssa(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: f32, %arg2: f32, %arg3: f32) {
  %r = fly.mma_atom_call_ssa(%arg0, %arg1, %arg2, %arg3) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, f32, f32, f32) -> f32
  return
}

// CHECK-LABEL: func.func @gemm(
// CHECK: fly.gemm(%arg0, %arg1, %arg2, %arg3, %arg4) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>) -> ()
func.func @gemm(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg2: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg3: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg4: !fly.memref<f32, register, (1,2,2):(0,1,2)>) {
  fly.gemm(%arg0, %arg1, %arg2, %arg3, %arg4) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>) -> ()
  return
}

// CHECK-LABEL: func.func @gemm_2(
// CHECK: fly.gemm(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) {traversalOrder = #fly<gemm_traversal_order kmn_serpentine>} : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.layout<(2,2,2):(1,2,4)>) -> ()
func.func @gemm_2(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg2: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg3: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg4: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg5: !fly.layout<(2,2,2):(1,2,4)>) {
  fly.gemm(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) {traversalOrder = #fly<gemm_traversal_order kmn_serpentine>} : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.layout<(2,2,2):(1,2,4)>) -> ()
  return
}
