// MMA atoms and tiled MMAs. What is refused.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

func.func @make_mma_atom_result() {
  // expected-error@+1 {{fly.make_mma_atom makes an mma_atom, found !fly.int_tuple<77>}}
  %r = fly.make_mma_atom : !fly.int_tuple<77>
  return
}

// -----

func.func @make_tiled_mma_result(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: !fly.layout<(16,16,1):(16,1,0)>) {
  // expected-error@+1 {{fly.make_tiled_mma gives !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.make_tiled_mma(%arg0, %arg1) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_tiled_mma_operand_2(%arg0: index, %arg1: !fly.layout<(16,16,1):(16,1,0)>) {
  // expected-error@+1 {{fly.make_tiled_mma(index, !fly.layout<(16,16,1):(16,1,0)>): operand 0 must be fly.mma_atom, found index}}
  %r = fly.make_tiled_mma(%arg0, %arg1) : (index, !fly.layout<(16,16,1):(16,1,0)>) -> !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>
  return
}

// -----

func.func @get_mma_atom_result(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>) {
  // expected-error@+1 {{fly.get_mma_atom gives !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get_mma_atom(%arg0) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_mma_atom_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.get_mma_atom(index): operand 0 must be fly.tiled_mma, found index}}
  %r = fly.get_mma_atom(%arg0) : (index) -> !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>
  return
}

// -----

func.func @tiled_mma_partition_result(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, %arg1: !fly.memref<f32, shared, (64,8):(8,1)>, %arg2: !fly.int_tuple<?>) {
  // expected-error@+1 {{fly.tiled_mma.partition gives !fly.memref<f32, shared, (1,4,8):(0,128,1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.tiled_mma.partition(a, %arg0, %arg1, %arg2) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.memref<f32, shared, (64,8):(8,1)>, !fly.int_tuple<?>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @tiled_mma_partition_operand_2(%arg0: index, %arg1: !fly.memref<f32, shared, (64,8):(8,1)>, %arg2: !fly.int_tuple<?>) {
  // expected-error@+1 {{fly.tiled_mma.partition(index, !fly.memref<f32, shared, (64,8):(8,1)>, !fly.int_tuple<?>): operand 0 must be fly.tiled_mma, found index}}
  %r = fly.tiled_mma.partition(a, %arg0, %arg1, %arg2) : (index, !fly.memref<f32, shared, (64,8):(8,1)>, !fly.int_tuple<?>) -> !fly.memref<f32, shared, (1,4,8):(0,128,1)>
  return
}

// -----

func.func @tiled_mma_partition_shape_result(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, %arg1: !fly.int_tuple<(64,32)>) {
  // expected-error@+1 {{fly.tiled_mma.partition_shape gives !fly.int_tuple<(1,4,2)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.tiled_mma.partition_shape(c, %arg0, %arg1) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.int_tuple<(64,32)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @tiled_mma_partition_shape_operand_2(%arg0: index, %arg1: !fly.int_tuple<(64,32)>) {
  // expected-error@+1 {{fly.tiled_mma.partition_shape(index, !fly.int_tuple<(64,32)>): operand 0 must be fly.tiled_mma, found index}}
  %r = fly.tiled_mma.partition_shape(c, %arg0, %arg1) : (index, !fly.int_tuple<(64,32)>) -> !fly.int_tuple<(1,4,2)>
  return
}

// -----

func.func @mma_make_fragment_result(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, %arg1: !fly.memref<f32, shared, (1,4,8):(0,128,1)>) {
  // expected-error@+1 {{fly.mma.make_fragment gives !fly.memref<f32, register, (1,4,8):(0,8,1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.mma.make_fragment(a, %arg0, %arg1) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.memref<f32, shared, (1,4,8):(0,128,1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @mma_make_fragment_operand_2(%arg0: index, %arg1: !fly.memref<f32, shared, (1,4,8):(0,128,1)>) {
  // expected-error@+1 {{fly.mma.make_fragment(index, !fly.memref<f32, shared, (1,4,8):(0,128,1)>): operand 0 must be fly.tiled_mma, found index}}
  %r = fly.mma.make_fragment(a, %arg0, %arg1) : (index, !fly.memref<f32, shared, (1,4,8):(0,128,1)>) -> !fly.memref<f32, register, (1,4,8):(0,8,1)>
  return
}

// -----

func.func @mma_atom_call_operand(%arg0: index, %arg1: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg2: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg3: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg4: !fly.memref<f32, register, (1,2,2):(0,1,2)>) {
  // expected-error@+1 {{operand 0 of fly.mma_atom_call must be an mma_atom, found index}}
  fly.mma_atom_call(%arg0, %arg1, %arg2, %arg3, %arg4) : (index, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>) -> ()
  return
}

// -----

func.func @mma_atom_call_last_2(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg2: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg3: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg4: index) {
  // expected-error@+1 {{operand 4 of fly.mma_atom_call must be a tensor, found index}}
  fly.mma_atom_call(%arg0, %arg1, %arg2, %arg3, %arg4) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, index) -> ()
  return
}

// -----

func.func @mma_atom_call_ssa_result(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: f32, %arg2: f32, %arg3: f32) {
  // expected-error@+1 {{!fly.int_tuple<77> has no size: elements are integers, floats, pointers and vectors of them}}
  %r = fly.mma_atom_call_ssa(%arg0, %arg1, %arg2, %arg3) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, f32, f32, f32) -> !fly.int_tuple<77>
  return
}

// -----

func.func @mma_atom_call_ssa_operand_2(%arg0: index, %arg1: f32, %arg2: f32, %arg3: f32) {
  // expected-error@+1 {{operand 0 of fly.mma_atom_call_ssa must be an mma_atom, found index}}
  %r = fly.mma_atom_call_ssa(%arg0, %arg1, %arg2, %arg3) : (index, f32, f32, f32) -> f32
  return
}

// -----

func.func @gemm_operand(%arg0: index, %arg1: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg2: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg3: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg4: !fly.memref<f32, register, (1,2,2):(0,1,2)>) {
  // expected-error@+1 {{operand 0 of fly.gemm must be an mma_atom or tiled_mma, found index}}
  fly.gemm(%arg0, %arg1, %arg2, %arg3, %arg4) : (index, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>) -> ()
  return
}

// -----

func.func @gemm_last_2(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg2: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg3: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg4: index) {
  // expected-error@+1 {{operand 4 of fly.gemm must be a tensor, found index}}
  fly.gemm(%arg0, %arg1, %arg2, %arg3, %arg4) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, index) -> ()
  return
}
