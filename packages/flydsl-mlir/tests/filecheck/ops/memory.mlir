// Views, pointers, loads and stores.
// RUN: fly-opt %s | filecheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | filecheck %s

// CHECK-LABEL: func.func @make_view(
// CHECK: %{{.*}} = fly.make_view(%arg0, %arg1) : (!fly.ptr<f32, global>, !fly.layout<(?,?):(?{i64},1)>) -> !fly.memref<f32, global, (?,?):(?{i64},1)>
func.func @make_view(%arg0: !fly.ptr<f32, global>, %arg1: !fly.layout<(?,?):(?{i64},1)>) {
  %r = fly.make_view(%arg0, %arg1) : (!fly.ptr<f32, global>, !fly.layout<(?,?):(?{i64},1)>) -> !fly.memref<f32, global, (?,?):(?{i64},1)>
  return
}

// CHECK-LABEL: func.func @make_view_2(
// CHECK: %{{.*}} = fly.make_view(%arg0, %arg1) : (!fly.int_tuple<(0,0)>, !fly.layout<(?,?):(1E0,1E1)>) -> !fly.coord_tensor<(0,0), (?,?):(1E0,1E1)>
func.func @make_view_2(%arg0: !fly.int_tuple<(0,0)>, %arg1: !fly.layout<(?,?):(1E0,1E1)>) {
  %r = fly.make_view(%arg0, %arg1) : (!fly.int_tuple<(0,0)>, !fly.layout<(?,?):(1E0,1E1)>) -> !fly.coord_tensor<(0,0), (?,?):(1E0,1E1)>
  return
}

// CHECK-LABEL: func.func @make_fragment_like(
// CHECK: %{{.*}} = fly.make_fragment_like(%arg0) : (!fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) -> !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>
func.func @make_fragment_like(%arg0: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) {
  %r = fly.make_fragment_like(%arg0) : (!fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) -> !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>
  return
}

// CHECK-LABEL: func.func @make_fragment_like_2(
// CHECK: %{{.*}} = fly.make_fragment_like(%arg0) {dtype = f16} : (!fly.layout<(4,2):(2,1)>) -> !fly.memref<f16, register, (4,2):(1,4)>
func.func @make_fragment_like_2(%arg0: !fly.layout<(4,2):(2,1)>) {
  %r = fly.make_fragment_like(%arg0) {dtype = f16} : (!fly.layout<(4,2):(2,1)>) -> !fly.memref<f16, register, (4,2):(1,4)>
  return
}

// CHECK-LABEL: func.func @decomposition(
// CHECK: %{{.*}} = fly.decomposition(%arg0) : (!fly.memref<f16, shared, S<3,3,3> o 64 o (8,64):(64,1), align<128>>) -> !fly.memref<f16, shared, (8,64):(64,1), align<128>, S<3,4,3>>
func.func @decomposition(%arg0: !fly.memref<f16, shared, S<3,3,3> o 64 o (8,64):(64,1), align<128>>) {
  %r = fly.decomposition(%arg0) : (!fly.memref<f16, shared, S<3,3,3> o 64 o (8,64):(64,1), align<128>>) -> !fly.memref<f16, shared, (8,64):(64,1), align<128>, S<3,4,3>>
  return
}

// CHECK-LABEL: func.func @make_ptr(
// CHECK: %{{.*}} = fly.make_ptr() {dictAttrs = {allocSize = 4 : i64}} : () -> !fly.ptr<f32, register>
func.func @make_ptr() {
  %r = fly.make_ptr() {dictAttrs = {allocSize = 4 : i64}} : () -> !fly.ptr<f32, register>
  return
}

// CHECK-LABEL: func.func @get_dyn_shared(
// CHECK: %{{.*}} = fly.get_dyn_shared() : !fly.ptr<i8, shared, align<1024>>
func.func @get_dyn_shared() {
  %r = fly.get_dyn_shared() : !fly.ptr<i8, shared, align<1024>>
  return
}

// CHECK-LABEL: func.func @inttoptr(
// CHECK: %{{.*}} = fly.inttoptr(%arg0) : (i64) -> !fly.ptr<f32, global, align<16>>
func.func @inttoptr(%arg0: i64) {
  %r = fly.inttoptr(%arg0) : (i64) -> !fly.ptr<f32, global, align<16>>
  return
}

// CHECK-LABEL: func.func @ptrtoint(
// CHECK: %{{.*}} = fly.ptrtoint(%arg0) : (!fly.ptr<f32, global>) -> i64
func.func @ptrtoint(%arg0: !fly.ptr<f32, global>) {
  %r = fly.ptrtoint(%arg0) : (!fly.ptr<f32, global>) -> i64
  return
}

// CHECK-LABEL: func.func @to_llvm_ptr(
// CHECK: %{{.*}} = fly.to_llvm_ptr(%arg0) {llvm_address_space = 1 : i32} : (!fly.ptr<f32, global>) -> !llvm.ptr<1>
func.func @to_llvm_ptr(%arg0: !fly.ptr<f32, global>) {
  %r = fly.to_llvm_ptr(%arg0) {llvm_address_space = 1 : i32} : (!fly.ptr<f32, global>) -> !llvm.ptr<1>
  return
}

// CHECK-LABEL: func.func @add_offset(
// CHECK: %{{.*}} = fly.add_offset(%arg0, %arg1) : (!fly.ptr<f32, global>, !fly.int_tuple<?{i64}>) -> !fly.ptr<f32, global>
func.func @add_offset(%arg0: !fly.ptr<f32, global>, %arg1: !fly.int_tuple<?{i64}>) {
  %r = fly.add_offset(%arg0, %arg1) : (!fly.ptr<f32, global>, !fly.int_tuple<?{i64}>) -> !fly.ptr<f32, global>
  return
}

// CHECK-LABEL: func.func @add_offset_2(
// CHECK: %{{.*}} = fly.add_offset(%arg0, %arg1) : (!fly.ptr<f16, shared, align<16>>, !fly.int_tuple<?{div=4}>) -> !fly.ptr<f16, shared, align<8>>
func.func @add_offset_2(%arg0: !fly.ptr<f16, shared, align<16>>, %arg1: !fly.int_tuple<?{div=4}>) {
  %r = fly.add_offset(%arg0, %arg1) : (!fly.ptr<f16, shared, align<16>>, !fly.int_tuple<?{div=4}>) -> !fly.ptr<f16, shared, align<8>>
  return
}

// CHECK-LABEL: func.func @add_offset_3(
// CHECK: %{{.*}} = fly.add_offset(%arg0, %arg1) : (!fly.int_tuple<(0,?)>, !fly.int_tuple<(4,8)>) -> !fly.int_tuple<(4,?)>
func.func @add_offset_3(%arg0: !fly.int_tuple<(0,?)>, %arg1: !fly.int_tuple<(4,8)>) {
  %r = fly.add_offset(%arg0, %arg1) : (!fly.int_tuple<(0,?)>, !fly.int_tuple<(4,8)>) -> !fly.int_tuple<(4,?)>
  return
}

// CHECK-LABEL: func.func @apply_swizzle(
// CHECK: %{{.*}} = fly.apply_swizzle(%arg0, %arg1) : (!fly.ptr<f16, shared>, !fly.swizzle<S<3,4,3>>) -> !fly.ptr<f16, shared, S<3,4,3>>
func.func @apply_swizzle(%arg0: !fly.ptr<f16, shared>, %arg1: !fly.swizzle<S<3,4,3>>) {
  %r = fly.apply_swizzle(%arg0, %arg1) : (!fly.ptr<f16, shared>, !fly.swizzle<S<3,4,3>>) -> !fly.ptr<f16, shared, S<3,4,3>>
  return
}

// CHECK-LABEL: func.func @recast_iter(
// CHECK: %{{.*}} = fly.recast_iter(%arg0) : (!fly.ptr<i8, shared, align<1024>>) -> !fly.ptr<f16, shared, align<1024>>
func.func @recast_iter(%arg0: !fly.ptr<i8, shared, align<1024>>) {
  %r = fly.recast_iter(%arg0) : (!fly.ptr<i8, shared, align<1024>>) -> !fly.ptr<f16, shared, align<1024>>
  return
}

// CHECK-LABEL: func.func @ptr_load(
// CHECK: %{{.*}} = fly.ptr.load(%arg0) : (!fly.ptr<f32, register>) -> vector<4xf32>
func.func @ptr_load(%arg0: !fly.ptr<f32, register>) {
  %r = fly.ptr.load(%arg0) : (!fly.ptr<f32, register>) -> vector<4xf32>
  return
}

// CHECK-LABEL: func.func @ptr_store(
// CHECK: fly.ptr.store(%arg0, %arg1) : (vector<4xf32>, !fly.ptr<f32, register>) -> ()
func.func @ptr_store(%arg0: vector<4xf32>, %arg1: !fly.ptr<f32, register>) {
  fly.ptr.store(%arg0, %arg1) : (vector<4xf32>, !fly.ptr<f32, register>) -> ()
  return
}

// CHECK-LABEL: func.func @memref_alloca(
// CHECK: %{{.*}} = fly.memref.alloca(%arg0) : (!fly.layout<(4,2):(1,4)>) -> !fly.memref<f16, register, (4,2):(1,4)>
func.func @memref_alloca(%arg0: !fly.layout<(4,2):(1,4)>) {
  %r = fly.memref.alloca(%arg0) : (!fly.layout<(4,2):(1,4)>) -> !fly.memref<f16, register, (4,2):(1,4)>
  return
}

// CHECK-LABEL: func.func @memref_load(
// CHECK: %{{.*}} = fly.memref.load(%arg0, %arg1) : (!fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,3)>) -> f32
func.func @memref_load(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>, %arg1: !fly.int_tuple<(?,3)>) {
  %r = fly.memref.load(%arg0, %arg1) : (!fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,3)>) -> f32
  return
}

// CHECK-LABEL: func.func @memref_load_2(
// CHECK: %{{.*}} = fly.memref.load(%arg0, %arg1) : (!fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>, !fly.int_tuple<(1,2)>) -> !fly.int_tuple<(?,?{div=2})>
func.func @memref_load_2(%arg0: !fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>, %arg1: !fly.int_tuple<(1,2)>) {
  %r = fly.memref.load(%arg0, %arg1) : (!fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>, !fly.int_tuple<(1,2)>) -> !fly.int_tuple<(?,?{div=2})>
  return
}

// CHECK-LABEL: func.func @memref_store(
// CHECK: fly.memref.store(%arg0, %arg1, %arg2) : (f32, !fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,3)>) -> ()
func.func @memref_store(%arg0: f32, %arg1: !fly.memref<f32, global, (?,?):(?{i64},1)>, %arg2: !fly.int_tuple<(?,3)>) {
  fly.memref.store(%arg0, %arg1, %arg2) : (f32, !fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,3)>) -> ()
  return
}

// CHECK-LABEL: func.func @memref_load_vec(
// CHECK: %{{.*}} = fly.memref.load_vec(%arg0) : (!fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> vector<4xf32>
func.func @memref_load_vec(%arg0: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  %r = fly.memref.load_vec(%arg0) : (!fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> vector<4xf32>
  return
}

// CHECK-LABEL: func.func @memref_store_vec(
// CHECK: fly.memref.store_vec(%arg0, %arg1) : (vector<4xf32>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> ()
func.func @memref_store_vec(%arg0: vector<4xf32>, %arg1: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  fly.memref.store_vec(%arg0, %arg1) : (vector<4xf32>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> ()
  return
}

// CHECK-LABEL: func.func @extract_aligned_pointer_as_index(
// CHECK: %{{.*}} = fly.extract_aligned_pointer_as_index(%arg0) : (!fly.memref<f32, global, (8,64):(?{i64},1)>) -> index
func.func @extract_aligned_pointer_as_index(%arg0: !fly.memref<f32, global, (8,64):(?{i64},1)>) {
  %r = fly.extract_aligned_pointer_as_index(%arg0) : (!fly.memref<f32, global, (8,64):(?{i64},1)>) -> index
  return
}

// CHECK-LABEL: func.func @print(
// CHECK: fly.print(%arg0, %arg1) {format = "{} at {}"} : (i32, !fly.int_tuple<(?,3)>) -> ()
func.func @print(%arg0: i32, %arg1: !fly.int_tuple<(?,3)>) {
  fly.print(%arg0, %arg1) {format = "{} at {}"} : (i32, !fly.int_tuple<(?,3)>) -> ()
  return
}

// CHECK-LABEL: func.func @breakpoint(
// CHECK: fly.breakpoint(%arg0) {variables = {n = "v[0]"}} : (i32) -> ()
func.func @breakpoint(%arg0: i32) {
  fly.breakpoint(%arg0) {variables = {n = "v[0]"}} : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @assume(
// CHECK: %{{.*}} = fly.assume(%arg0, %arg1) : (!fly.int_tuple<?>, !fly.int_tuple<?>) -> !fly.int_tuple<?{div=4}>
func.func @assume(%arg0: !fly.int_tuple<?>, %arg1: !fly.int_tuple<?>) {
  %r = fly.assume(%arg0, %arg1) : (!fly.int_tuple<?>, !fly.int_tuple<?>) -> !fly.int_tuple<?{div=4}>
  return
}
