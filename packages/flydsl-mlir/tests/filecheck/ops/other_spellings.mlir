// Text as other versions of the dialect spell it: read, and printed in one way.
// RUN: fly-opt %s | filecheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | filecheck %s

// CHECK-LABEL: func.func @attribute_in_the_dictionary(
// CHECK: fly.mma.make_fragment(a, %arg0, %arg1, stages = 2) : (
func.func @attribute_in_the_dictionary(%m: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, %t: !fly.memref<f32, shared, (1,4,8):(0,128,1)>) {
  %r = fly.mma.make_fragment(a, %m, %t) {stages = 2 : i32} : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.memref<f32, shared, (1,4,8):(0,128,1)>) -> !fly.memref<f32, register, (1,4,8,2):(0,8,1,32)>
  return
}

// CHECK-LABEL: func.func @function_type_of_a_source(
// CHECK: fly.get_dyn_shared() : !fly.ptr<i8, shared, align<1024>>
func.func @function_type_of_a_source() {
  %r = fly.get_dyn_shared() : () -> !fly.ptr<i8, shared, align<1024>>
  return
}

// CHECK-LABEL: func.func @destination_among_the_operands(
// CHECK: fly.mma_atom_call_ssa(%arg0, %arg2, %arg3, %arg4) dst = %arg1 : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, f32, f32, f32, !fly.memref<f32, register, 1:0>) -> ()
// CHECK: fly.mma_atom_call_ssa(%arg0, %arg2, %arg3, %arg4) dst = %arg1 : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, f32, f32, f32, !fly.memref<f32, register, 1:0>) -> ()
func.func @destination_among_the_operands(%m: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %d: !fly.memref<f32, register, 1:0>, %a: f32, %b: f32, %c: f32) {
  fly.mma_atom_call_ssa(%m, %d, %a, %b, %c) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, 1:0>, f32, f32, f32) -> ()
  fly.mma_atom_call_ssa(%m, %d, %a, %b, %c) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, 1:0>, f32, f32, f32) -> ()
  return
}

// CHECK-LABEL: func.func @short_parameters(
// CHECK-SAME: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(1,4,1):(0,1,0)>>
// CHECK-SAME: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(1,4,1):(0,1,0)>, !fly.tile<[*|8|*]>>
// CHECK-SAME: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<32>, 32>, !fly.layout<(64,1):(1,64)>, !fly.tile<[8|8]>>
func.func @short_parameters(%a: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, <(1,4,1):(0,1,0)>, <[*|*|*]>>, %b: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, <(1,4,1):(0,1,0)>, <[*|8|*]>>, %c: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<32>, 32>, <(64,1):(1,64)>, <[8|8]>>) {
  return
}

// CHECK-LABEL: func.func @composed_to_the_left(
// CHECK-SAME: !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8) o 5 o 8:1>, {{.*}}!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8) o 5 o 8:1>, {{.*}}!fly.composed_layout<S<3,4,3> o 0 o [(8,8):(1,8) o 5 o 8:1]>
func.func @composed_to_the_left(%a: !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8) o 5 o 8:1>, %b: !fly.composed_layout<[S<3,4,3> o 0 o (8,8):(1,8)] o 5 o 8:1>, %c: !fly.composed_layout<S<3,4,3> o 0 o [(8,8):(1,8) o 5 o 8:1]>) {
  return
}

// CHECK-LABEL: func.func @leaves_of_other_widths(
// CHECK: fly.make_int_tuple(%arg0, %arg1) : (i64, i32) -> !fly.int_tuple<(?,?{i64})>
func.func @leaves_of_other_widths(%i: i64, %j: i32) {
  %r = fly.make_int_tuple(%i, %j) : (i64, i32) -> !fly.int_tuple<(?,?{i64})>
  return
}

// CHECK-LABEL: func.func @no_modes(
// CHECK-SAME: !fly.coord_swizzle<CS<0,0,[],0,[]>>, {{.*}}!fly.coord_swizzle<CS<2,0,[1, 0],3,[0]>>
func.func @no_modes(%a: !fly.coord_swizzle<CS<0,0,[],0,[]>>, %b: !fly.coord_swizzle<CS<2,0,[1,0],3,[0]>>) {
  return
}
