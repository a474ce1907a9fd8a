// Views, pointers, loads and stores. What is refused.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

func.func @make_view_result(%arg0: !fly.ptr<f32, global>, %arg1: !fly.layout<(?,?):(?{i64},1)>) {
  // expected-error@+1 {{fly.make_view gives !fly.memref<f32, global, (?,?):(?{i64},1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.make_view(%arg0, %arg1) : (!fly.ptr<f32, global>, !fly.layout<(?,?):(?{i64},1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_view_operand_2(%arg0: index, %arg1: !fly.layout<(?,?):(?{i64},1)>) {
  // expected-error@+1 {{fly.make_view(index, !fly.layout<(?,?):(?{i64},1)>): operand 0 must be fly.ptr or fly.int_tuple, found index}}
  %r = fly.make_view(%arg0, %arg1) : (index, !fly.layout<(?,?):(?{i64},1)>) -> !fly.memref<f32, global, (?,?):(?{i64},1)>
  return
}

// -----

func.func @make_fragment_like_result(%arg0: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{fly.make_fragment_like gives !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.make_fragment_like(%arg0) : (!fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_fragment_like_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.make_fragment_like(index): operand 0 must be fly.memref or fly.coord_tensor or fly.layout or fly.composed_layout, found index}}
  %r = fly.make_fragment_like(%arg0) : (index) -> !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>
  return
}

// -----

func.func @decomposition_result(%arg0: !fly.memref<f16, shared, S<3,3,3> o 64 o (8,64):(64,1), align<128>>) {
  // expected-error@+1 {{fly.decomposition gives !fly.memref<f16, shared, (8,64):(64,1), align<128>, S<3,4,3>>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.decomposition(%arg0) : (!fly.memref<f16, shared, S<3,3,3> o 64 o (8,64):(64,1), align<128>>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @decomposition_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.decomposition(index): operand 0 must be fly.memref or fly.coord_tensor, found index}}
  %r = fly.decomposition(%arg0) : (index) -> !fly.memref<f16, shared, (8,64):(64,1), align<128>, S<3,4,3>>
  return
}

// -----

func.func @make_ptr_result() {
  // expected-error@+1 {{the result of fly.make_ptr must be a ptr, found !fly.int_tuple<77>}}
  %r = fly.make_ptr() {dictAttrs = {allocSize = 4 : i64}} : () -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_dyn_shared_result() {
  // expected-error@+1 {{fly.get_dyn_shared gives !fly.ptr<i8, shared, align<1024>>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get_dyn_shared() : !fly.int_tuple<77>
  return
}

// -----

func.func @inttoptr_result(%arg0: i64) {
  // expected-error@+1 {{the result of fly.inttoptr must be a ptr, found !fly.int_tuple<77>}}
  %r = fly.inttoptr(%arg0) : (i64) -> !fly.int_tuple<77>
  return
}

// -----

func.func @ptrtoint_result(%arg0: !fly.ptr<f32, global>) {
  // expected-error@+1 {{the result of fly.ptrtoint must be an integer, found !fly.int_tuple<77>}}
  %r = fly.ptrtoint(%arg0) : (!fly.ptr<f32, global>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @ptrtoint_operand_2(%arg0: index) {
  // expected-error@+1 {{operand 0 of fly.ptrtoint must be a ptr, found index}}
  %r = fly.ptrtoint(%arg0) : (index) -> i64
  return
}

// -----

func.func @to_llvm_ptr_result(%arg0: !fly.ptr<f32, global>) {
  // expected-error@+1 {{fly.to_llvm_ptr gives !llvm.ptr<1>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.to_llvm_ptr(%arg0) {llvm_address_space = 1 : i32} : (!fly.ptr<f32, global>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @to_llvm_ptr_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.to_llvm_ptr(index): operand 0 must be fly.ptr, found index}}
  %r = fly.to_llvm_ptr(%arg0) {llvm_address_space = 1 : i32} : (index) -> !llvm.ptr<1>
  return
}

// -----

func.func @add_offset_result(%arg0: !fly.ptr<f32, global>, %arg1: !fly.int_tuple<?{i64}>) {
  // expected-error@+1 {{fly.add_offset gives !fly.ptr<f32, global>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.add_offset(%arg0, %arg1) : (!fly.ptr<f32, global>, !fly.int_tuple<?{i64}>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @add_offset_operand_2(%arg0: index, %arg1: !fly.int_tuple<?{i64}>) {
  // expected-error@+1 {{fly.add_offset(index, !fly.int_tuple<?{i64}>): operand 0 must be fly.ptr or fly.int_tuple, found index}}
  %r = fly.add_offset(%arg0, %arg1) : (index, !fly.int_tuple<?{i64}>) -> !fly.ptr<f32, global>
  return
}

// -----

func.func @apply_swizzle_result(%arg0: !fly.ptr<f16, shared>, %arg1: !fly.swizzle<S<3,4,3>>) {
  // expected-error@+1 {{fly.apply_swizzle gives !fly.ptr<f16, shared, S<3,4,3>>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.apply_swizzle(%arg0, %arg1) : (!fly.ptr<f16, shared>, !fly.swizzle<S<3,4,3>>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @apply_swizzle_operand_2(%arg0: index, %arg1: !fly.swizzle<S<3,4,3>>) {
  // expected-error@+1 {{fly.apply_swizzle(index, !fly.swizzle<S<3,4,3>>): operand 0 must be fly.ptr, found index}}
  %r = fly.apply_swizzle(%arg0, %arg1) : (index, !fly.swizzle<S<3,4,3>>) -> !fly.ptr<f16, shared, S<3,4,3>>
  return
}

// -----

func.func @recast_iter_result(%arg0: !fly.ptr<i8, shared, align<1024>>) {
  // expected-error@+1 {{the result of fly.recast_iter must be a ptr, found !fly.int_tuple<77>}}
  %r = fly.recast_iter(%arg0) : (!fly.ptr<i8, shared, align<1024>>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @recast_iter_operand_2(%arg0: index) {
  // expected-error@+1 {{operand 0 of fly.recast_iter must be a ptr, found index}}
  %r = fly.recast_iter(%arg0) : (index) -> !fly.ptr<f16, shared, align<1024>>
  return
}

// -----

func.func @ptr_load_result(%arg0: !fly.ptr<f32, register>) {
  // expected-error@+1 {{!fly.int_tuple<77> has no size: elements are integers, floats, pointers and vectors of them}}
  %r = fly.ptr.load(%arg0) : (!fly.ptr<f32, register>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @ptr_load_operand_2(%arg0: index) {
  // expected-error@+1 {{operand 0 of fly.ptr.load must be a ptr, found index}}
  %r = fly.ptr.load(%arg0) : (index) -> vector<4xf32>
  return
}

// -----

func.func @ptr_store_last(%arg0: vector<4xf32>, %arg1: index) {
  // expected-error@+1 {{operand 1 of fly.ptr.store must be a ptr, found index}}
  fly.ptr.store(%arg0, %arg1) : (vector<4xf32>, index) -> ()
  return
}

// -----

func.func @memref_alloca_result(%arg0: !fly.layout<(4,2):(1,4)>) {
  // expected-error@+1 {{the result of fly.memref.alloca must be a memref, found !fly.int_tuple<77>}}
  %r = fly.memref.alloca(%arg0) : (!fly.layout<(4,2):(1,4)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @memref_alloca_operand_2(%arg0: index) {
  // expected-error@+1 {{operand 0 of fly.memref.alloca must be a layout, found index}}
  %r = fly.memref.alloca(%arg0) : (index) -> !fly.memref<f16, register, (4,2):(1,4)>
  return
}

// -----

func.func @memref_load_result(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>, %arg1: !fly.int_tuple<(?,3)>) {
  // expected-error@+1 {{fly.memref.load gives f32, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.memref.load(%arg0, %arg1) : (!fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,3)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @memref_load_operand_2(%arg0: index, %arg1: !fly.int_tuple<(?,3)>) {
  // expected-error@+1 {{fly.memref.load(index, !fly.int_tuple<(?,3)>): operand 0 must be fly.memref or fly.coord_tensor, found index}}
  %r = fly.memref.load(%arg0, %arg1) : (index, !fly.int_tuple<(?,3)>) -> f32
  return
}

// -----

func.func @memref_store_operand(%arg0: index, %arg1: !fly.memref<f32, global, (?,?):(?{i64},1)>, %arg2: !fly.int_tuple<(?,3)>) {
  // expected-error@+1 {{fly.memref.store of index into a tensor of f32}}
  fly.memref.store(%arg0, %arg1, %arg2) : (index, !fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,3)>) -> ()
  return
}

// -----

func.func @memref_store_last_2(%arg0: f32, %arg1: !fly.memref<f32, global, (?,?):(?{i64},1)>, %arg2: index) {
  // expected-error@+1 {{operand 2 of fly.memref.store must be an int_tuple, found index}}
  fly.memref.store(%arg0, %arg1, %arg2) : (f32, !fly.memref<f32, global, (?,?):(?{i64},1)>, index) -> ()
  return
}

// -----

func.func @memref_load_vec_result(%arg0: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{fly.memref.load_vec gives vector<4xf32>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.memref.load_vec(%arg0) : (!fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @memref_load_vec_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.memref.load_vec(index): operand 0 must be fly.memref or fly.coord_tensor, found index}}
  %r = fly.memref.load_vec(%arg0) : (index) -> vector<4xf32>
  return
}

// -----

func.func @memref_store_vec_operand(%arg0: index, %arg1: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{fly.memref.store_vec takes vector<4xf32>, found index}}
  fly.memref.store_vec(%arg0, %arg1) : (index, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> ()
  return
}

// -----

func.func @memref_store_vec_last_2(%arg0: vector<4xf32>, %arg1: index) {
  // expected-error@+1 {{operand 1 of fly.memref.store_vec must be a memref, found index}}
  fly.memref.store_vec(%arg0, %arg1) : (vector<4xf32>, index) -> ()
  return
}

// -----

func.func @extract_aligned_pointer_as_index_result(%arg0: !fly.memref<f32, global, (8,64):(?{i64},1)>) {
  // expected-error@+1 {{the result of fly.extract_aligned_pointer_as_index must be an index or a pointer, found !fly.int_tuple<77>}}
  %r = fly.extract_aligned_pointer_as_index(%arg0) : (!fly.memref<f32, global, (8,64):(?{i64},1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @extract_aligned_pointer_as_index_operand_2(%arg0: index) {
  // expected-error@+1 {{operand 0 of fly.extract_aligned_pointer_as_index must be a memref, found index}}
  %r = fly.extract_aligned_pointer_as_index(%arg0) : (index) -> index
  return
}

// -----

func.func @breakpoint_without_variables(%arg0: i32) {
  // expected-error@+1 {{fly.breakpoint needs the attribute 'variables'}}
  fly.breakpoint(%arg0) : (i32) -> ()
  return
}

// -----

func.func @assume_result(%arg0: !fly.int_tuple<?>, %arg1: !fly.int_tuple<?>) {
  // expected-error@+1 {{fly.assume only adds promises to !fly.int_tuple<?>, found !fly.int_tuple<77>}}
  %r = fly.assume(%arg0, %arg1) : (!fly.int_tuple<?>, !fly.int_tuple<?>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @assume_last_2(%arg0: !fly.int_tuple<?>, %arg1: index) {
  // expected-error@+1 {{fly.assume only adds promises to index, found !fly.int_tuple<?{div=4}>}}
  %r = fly.assume(%arg0, %arg1) : (!fly.int_tuple<?>, index) -> !fly.int_tuple<?{div=4}>
  return
}
