// Copy atoms and tiled copies. What is refused.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

func.func @make_copy_atom_result() {
  // expected-error@+1 {{fly.make_copy_atom makes a copy_atom of 32 bits, found !fly.int_tuple<77>}}
  %r = fly.make_copy_atom {valBits = 32 : i32} : !fly.int_tuple<77>
  return
}

// -----

func.func @make_tiled_copy_result(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.layout<((16,8),4):((32,1),8)>, %arg2: !fly.tile<[8|64]>) {
  // expected-error@+1 {{fly.make_tiled_copy gives !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.make_tiled_copy(%arg0, %arg1, %arg2) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_tiled_copy_operand_2(%arg0: index, %arg1: !fly.layout<((16,8),4):((32,1),8)>, %arg2: !fly.tile<[8|64]>) {
  // expected-error@+1 {{fly.make_tiled_copy(index, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>): operand 0 must be fly.copy_atom, found index}}
  %r = fly.make_tiled_copy(%arg0, %arg1, %arg2) : (index, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>) -> !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>
  return
}

// -----

func.func @get_copy_atom_result(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>) {
  // expected-error@+1 {{fly.get_copy_atom gives !fly.copy_atom<!fly.universal_copy<128>, 32>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get_copy_atom(%arg0) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_copy_atom_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.get_copy_atom(index): operand 0 must be fly.tiled_copy, found index}}
  %r = fly.get_copy_atom(%arg0) : (index) -> !fly.copy_atom<!fly.universal_copy<128>, 32>
  return
}

// -----

func.func @tiled_copy_partition_src_result(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, %arg1: !fly.memref<f32, global, (8,64):(?{i64},1)>, %arg2: !fly.int_tuple<?>) {
  // expected-error@+1 {{fly.tiled_copy.partition_src gives !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.tiled_copy.partition_src(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.int_tuple<?>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @tiled_copy_partition_src_operand_2(%arg0: index, %arg1: !fly.memref<f32, global, (8,64):(?{i64},1)>, %arg2: !fly.int_tuple<?>) {
  // expected-error@+1 {{fly.tiled_copy.partition_src(index, !fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.int_tuple<?>): operand 0 must be fly.tiled_copy, found index}}
  %r = fly.tiled_copy.partition_src(%arg0, %arg1, %arg2) : (index, !fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.int_tuple<?>) -> !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>
  return
}

// -----

func.func @tiled_copy_partition_dst_result(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, %arg1: !fly.memref<f32, global, (8,64):(?{i64},1)>, %arg2: !fly.int_tuple<?>) {
  // expected-error@+1 {{fly.tiled_copy.partition_dst gives !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.tiled_copy.partition_dst(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.int_tuple<?>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @tiled_copy_partition_dst_operand_2(%arg0: index, %arg1: !fly.memref<f32, global, (8,64):(?{i64},1)>, %arg2: !fly.int_tuple<?>) {
  // expected-error@+1 {{fly.tiled_copy.partition_dst(index, !fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.int_tuple<?>): operand 0 must be fly.tiled_copy, found index}}
  %r = fly.tiled_copy.partition_dst(%arg0, %arg1, %arg2) : (index, !fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.int_tuple<?>) -> !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>
  return
}

// -----

func.func @tiled_copy_retile_result(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, %arg1: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{fly.tiled_copy.retile gives !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.tiled_copy.retile(%arg0, %arg1) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @tiled_copy_retile_operand_2(%arg0: index, %arg1: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{fly.tiled_copy.retile(index, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>): operand 0 must be fly.tiled_copy, found index}}
  %r = fly.tiled_copy.retile(%arg0, %arg1) : (index, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>
  return
}

// -----

func.func @copy_atom_call_operand(%arg0: index, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, %arg2: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{operand 0 of fly.copy_atom_call must be a copy_atom, found index}}
  fly.copy_atom_call(%arg0, %arg1, %arg2) : (index, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> ()
  return
}

// -----

func.func @copy_atom_call_last_2(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, %arg2: index) {
  // expected-error@+1 {{operand 2 of fly.copy_atom_call must be a tensor, found index}}
  fly.copy_atom_call(%arg0, %arg1, %arg2) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, index) -> ()
  return
}

// -----

func.func @copy_atom_call_ssa_result(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{!fly.int_tuple<77> has no size: elements are integers, floats, pointers and vectors of them}}
  %r = fly.copy_atom_call_ssa(%arg0, %arg1) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @copy_atom_call_ssa_operand_2(%arg0: index, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{operand 0 of fly.copy_atom_call_ssa must be a copy_atom, found index}}
  %r = fly.copy_atom_call_ssa(%arg0, %arg1) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (index, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) -> vector<4xf32>
  return
}

// -----

func.func @copy_operand(%arg0: index, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, %arg2: !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{operand 0 of fly.copy must be a copy_atom or tiled_copy, found index}}
  fly.copy(%arg0, %arg1, %arg2) : (index, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, !fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>) -> ()
  return
}

// -----

func.func @copy_last_2(%arg0: !fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, %arg2: index) {
  // expected-error@+1 {{operand 2 of fly.copy must be a tensor, found index}}
  fly.copy(%arg0, %arg1, %arg2) : (!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, index) -> ()
  return
}
