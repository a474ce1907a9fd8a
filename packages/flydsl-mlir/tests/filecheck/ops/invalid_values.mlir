// Operands of the right kind that do not fit: what is violated is said, with the operands.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

func.func @incongruent(%arg0: !fly.int_tuple<(4,8)>, %arg1: !fly.int_tuple<1>) {
  // expected-error@+1 {{make_layout((4, 8), 1): shape and stride must have the same structure}}
  %r = fly.make_layout(%arg0, %arg1) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<1>) -> !fly.layout<(4,8):1>
  return
}

// -----

func.func @strides_do_not_nest(%arg0: !fly.layout<(4,6):(1,8)>, %arg1: !fly.layout<4:6>) {
  // expected-error@+1 {{composition((4,6):(1,8), 4:6): the stride 6 is neither a multiple of the extent 4 nor less than it}}
  %r = fly.composition(%arg0, %arg1) : (!fly.layout<(4,6):(1,8)>, !fly.layout<4:6>) -> !fly.layout<4:1>
  return
}

// -----

func.func @shape_does_not_fit(%arg0: !fly.layout<(4,6):(1,8)>, %arg1: !fly.layout<6:1>) {
  // expected-error@+1 {{composition((4,6):(1,8), 6:1): the extent 6 is not divisible by the 4 that fit into a mode of 4}}
  %r = fly.composition(%arg0, %arg1) : (!fly.layout<(4,6):(1,8)>, !fly.layout<6:1>) -> !fly.layout<6:1>
  return
}

// -----

func.func @overlapping_modes(%arg0: !fly.layout<(4,4):(1,2)>) {
  // expected-error@+1 {{complement((4,4):(1,2), 10): the layout is not injective: modes overlap at stride 2}}
  %r = fly.complement(%arg0) : (!fly.layout<(4,4):(1,2)>) -> !fly.layout<1:0>
  return
}

// -----

func.func @dynamic_strides(%arg0: !fly.layout<(4,4):(1,?)>) {
  // expected-error@+1 {{complement((4,4):(1,?)): the order of the modes is unknown: the strides must be static}}
  %r = fly.complement(%arg0) : (!fly.layout<(4,4):(1,?)>) -> !fly.layout<1:0>
  return
}

// -----

func.func @not_injective(%arg0: !fly.layout<(4,4):(1,1)>) {
  // expected-error@+1 {{left_inverse((4,4):(1,1)): the layout is not injective, or stride 1 is no multiple of stride 1}}
  %r = fly.left_inverse(%arg0) : (!fly.layout<(4,4):(1,1)>) -> !fly.layout<1:0>
  return
}

// -----

func.func @no_such_mode(%arg0: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{get((4, 8), 3): the mode must be one of the 2 modes}}
  %r = fly.get(%arg0) {mode = array<i32: 3>} : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<8:4>
  return
}

// -----

func.func @mode_is_missing(%arg0: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{fly.get needs the attribute 'mode'}}
  %r = fly.get(%arg0) : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<8:4>
  return
}

// -----

func.func @range_is_empty(%arg0: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{take((4,8):(1,4), 2, 5): begin and end must bound at least one of the 2 modes}}
  %r = fly.take(%arg0) {begin = 2 : i32, end = 5 : i32} : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<8:4>
  return
}

// -----

func.func @no_such_index(%arg0: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{select((4, 8), 7): the mode must be one of the 2 modes}}
  %r = fly.select(%arg0) {indices = array<i32: 0, 7>} : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<8:4>
  return
}

// -----

func.func @group_beyond(%arg0: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{group((4,8):(1,4), 1, 4): begin and end must bound at least one of the 2 modes}}
  %r = fly.group(%arg0) {begin = 1 : i32, end = 4 : i32} : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<8:4>
  return
}

// -----

func.func @append_to_less(%arg0: !fly.layout<(4,8):(1,4)>, %arg1: !fly.layout<1:0>) {
  // expected-error@+1 {{append((4,8):(1,4), 1:0, 1): n must be an integer from the rank up, at most 1024 more}}
  %r = fly.append<1>(%arg0, %arg1) : (!fly.layout<(4,8):(1,4)>, !fly.layout<1:0>) -> !fly.layout<(4,8):(1,4)>
  return
}

// -----

func.func @slice_of_other_rank(%arg0: !fly.layout<(4,8):(1,4)>, %arg1: !fly.int_tuple<(*,1,2)>) {
  // expected-error@+1 {{crd2idx((0, 1, 2), (4, 8), (1, 4)): the coordinate must have the rank of the shape}}
  %r = fly.slice(%arg0, %arg1) : (!fly.layout<(4,8):(1,4)>, !fly.int_tuple<(*,1,2)>) -> !fly.layout<4:1>
  return
}

// -----

func.func @dice_of_other_rank(%arg0: !fly.layout<(4,8):(1,4)>, %arg1: !fly.int_tuple<(*,1,2)>) {
  // expected-error@+1 {{dice((4, 8), (*, 1, 2)): the coordinate must have the rank of what it cuts}}
  %r = fly.dice(%arg0, %arg1) : (!fly.layout<(4,8):(1,4)>, !fly.int_tuple<(*,1,2)>) -> !fly.layout<4:1>
  return
}

// -----

func.func @coordinate_of_other_rank(%arg0: !fly.int_tuple<(1,2,3)>, %arg1: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{crd2idx((1, 2, 3), (4, 8), (1, 4)): the coordinate must have the rank of the shape}}
  %r = fly.crd2idx(%arg0, %arg1) : (!fly.int_tuple<(1,2,3)>, !fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<9>
  return
}

// -----

func.func @recast_does_not_fit(%arg0: !fly.layout<(4,8):(1,?)>) {
  // expected-error@+1 {{recast_layout(?, 4): the stride is not known to be divisible by 4}}
  %r = fly.recast_layout(%arg0) {old_type_bits = 8 : i32, new_type_bits = 32 : i32} : (!fly.layout<(4,8):(1,?)>) -> !fly.layout<(1,8):(1,?)>
  return
}

// -----

func.func @tile_does_not_divide(%arg0: !fly.layout<(4,6):(1,8)>, %arg1: !fly.layout<6:1>) {
  // expected-error@+1 {{composition((4,6):(1,8), (6,4):(1,6)): the extent 6 is not divisible by the 4 that fit into a mode of 4}}
  %r = fly.logical_divide(%arg0, %arg1) : (!fly.layout<(4,6):(1,8)>, !fly.layout<6:1>) -> !fly.layout<6:1>
  return
}

// -----

func.func @tile_of_more_modes(%arg0: !fly.layout<(4,6):(1,4)>, %arg1: !fly.tile<[2|2|2]>) {
  // expected-error@+1 {{zipped_divide((4,6):(1,4), [2|2|2]): the tile has 3 modes, the layout 2}}
  %r = fly.zipped_divide(%arg0, %arg1) : (!fly.layout<(4,6):(1,4)>, !fly.tile<[2|2|2]>) -> !fly.layout<5:1>
  return
}

// -----

func.func @tile_of_more_modes_flat(%arg0: !fly.layout<(4,6):(1,4)>, %arg1: !fly.tile<[2|2|2]>) {
  // expected-error@+1 {{flat_divide((4,6):(1,4), [2|2|2]): the tile has 3 modes, the layout 2}}
  %r = fly.flat_divide(%arg0, %arg1) : (!fly.layout<(4,6):(1,4)>, !fly.tile<[2|2|2]>) -> !fly.layout<5:1>
  return
}

// -----

func.func @order_of_other_rank(%arg0: !fly.int_tuple<(4,8)>, %arg1: !fly.int_tuple<(0,1,2)>) {
  // expected-error@+1 {{make_ordered_layout((4, 8), (0, 1, 2)): the order must be a coarser structure of the shape}}
  %r = fly.make_ordered_layout(%arg0, %arg1) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<(0,1,2)>) -> !fly.layout<(4,8):(1,4)>
  return
}

// -----

func.func @shape_of_other_rank(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.int_tuple<(4,4,4)>, %arg2: !fly.int_tuple<(0,1)>) {
  // expected-error@+1 {{make_ordered_layout((2, 2, 4), (0, 1)): the order must be a coarser structure of the shape}}
  %r = fly.tile_to_shape(%arg0, %arg1, %arg2) : (!fly.layout<(2,2):(1,2)>, !fly.int_tuple<(4,4,4)>, !fly.int_tuple<(0,1)>) -> !fly.layout<4:1>
  return
}

// -----

func.func @difference_of_coordinates(%arg0: !fly.int_tuple<1E0>, %arg1: !fly.int_tuple<1E1>) {
  // expected-error@+1 {{mul(1E1, (0,)): a basis stride is scaled by an integer}}
  %r = fly.int_tuple_mul(%arg0, %arg1) : (!fly.int_tuple<1E0>, !fly.int_tuple<1E1>) -> !fly.int_tuple<1>
  return
}

// -----

func.func @division_by_zero(%arg0: !fly.int_tuple<4>, %arg1: !fly.int_tuple<0>) {
  // expected-error@+1 {{div(4, 0): division by zero}}
  %r = fly.int_tuple_div(%arg0, %arg1) : (!fly.int_tuple<4>, !fly.int_tuple<0>) -> !fly.int_tuple<1>
  return
}

// -----

func.func @shape_div_does_not_divide(%arg0: !fly.int_tuple<6>, %arg1: !fly.int_tuple<4>) {
  // expected-error@+1 {{shape_div(6, 4): one extent must divide the other}}
  %r = fly.shape_div(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.int_tuple<4>) -> !fly.int_tuple<2>
  return
}

// -----

func.func @index_under_stride_zero(%arg0: !fly.int_tuple<6>, %arg1: !fly.layout<(4,8):(0,1)>) {
  // expected-error@+1 {{idx2crd(6, 4, 0): a mode of stride 0 has no unique coordinate}}
  %r = fly.idx2crd(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.layout<(4,8):(0,1)>) -> !fly.int_tuple<(0,6)>
  return
}

// -----

func.func @vector_of_dynamic_shape(%arg0: !fly.memref<f32, register, (?,4):(4,1)>) {
  // expected-error@+1 {{fly.memref.load_vec(!fly.memref<f32, register, (?,4):(4,1)>): a vector needs a static shape, found !fly.memref<f32, register, (?,4):(4,1)>}}
  %r = fly.memref.load_vec(%arg0) : (!fly.memref<f32, register, (?,4):(4,1)>) -> vector<4xf32>
  return
}

// -----

func.func @second_swizzle(%arg0: !fly.ptr<f16, shared, S<2,4,3>>, %arg1: !fly.swizzle<S<3,4,3>>) {
  // expected-error@+1 {{fly.apply_swizzle(!fly.ptr<f16, shared, S<2,4,3>>, !fly.swizzle<S<3,4,3>>): the pointer has a swizzle already: !fly.ptr<f16, shared, S<2,4,3>>}}
  %r = fly.apply_swizzle(%arg0, %arg1) : (!fly.ptr<f16, shared, S<2,4,3>>, !fly.swizzle<S<3,4,3>>) -> !fly.ptr<f16, shared, S<3,4,3>>
  return
}

// -----

func.func @element_type_is_unknown(%arg0: !fly.layout<(4,2):(1,4)>) {
  // expected-error@+1 {{fly.make_fragment_like(!fly.layout<(4,2):(1,4)>): the element type is not known: give the attribute 'dtype', found None}}
  %r = fly.make_fragment_like(%arg0) : (!fly.layout<(4,2):(1,4)>) -> !fly.memref<f32, register, (4,2):(1,4)>
  return
}

// -----

func.func @pointer_moved_by_a_tuple(%arg0: !fly.ptr<f32, global>, %arg1: !fly.int_tuple<(1,2)>) {
  // expected-error@+1 {{fly.add_offset(!fly.ptr<f32, global>, !fly.int_tuple<(1,2)>): a pointer moves by one number of elements, found (1, 2)}}
  %r = fly.add_offset(%arg0, %arg1) : (!fly.ptr<f32, global>, !fly.int_tuple<(1,2)>) -> !fly.ptr<f32, global>
  return
}

// -----

func.func @layout_of_layouts(%arg0: !fly.ptr<f32, global>, %arg1: !fly.swizzle<S<3,4,3>>) {
  // expected-error@+1 {{fly.make_view(!fly.ptr<f32, global>, !fly.swizzle<S<3,4,3>>): operand 1 must be fly.layout or fly.composed_layout, found !fly.swizzle<S<3,4,3>>}}
  %r = fly.make_view(%arg0, %arg1) : (!fly.ptr<f32, global>, !fly.swizzle<S<3,4,3>>) -> !fly.memref<f32, global, 1:0>
  return
}

// -----

func.func @unknown_field(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: i32) {
  // expected-error@+1 {{fly.atom.set_value(!fly.copy_atom<!fly.universal_copy<128>, 32>, i32): !fly.universal_copy<128> has no field 'soffset': it has none}}
  %r = fly.atom.set_value(%arg0, "soffset", %arg1) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, i32) -> !fly.copy_atom<!fly.universal_copy<128>, 32>
  return
}

// -----

func.func @promise_about_another_kind(%arg0: !fly.int_tuple<?>, %arg1: !fly.int_tuple<?>) {
  // expected-error@+1 {{fly.assume only adds promises to !fly.int_tuple<?>, found i32}}
  %r = fly.assume(%arg0, %arg1) : (!fly.int_tuple<?>, !fly.int_tuple<?>) -> i32
  return
}

// -----

func.func @promise_about_another_shape(%arg0: !fly.int_tuple<?>, %arg1: !fly.int_tuple<(1,2)>) {
  // expected-error@+1 {{fly.assume only adds promises to !fly.int_tuple<(1,2)>, found !fly.int_tuple<?{div=4}>}}
  %r = fly.assume(%arg0, %arg1) : (!fly.int_tuple<?>, !fly.int_tuple<(1,2)>) -> !fly.int_tuple<?{div=4}>
  return
}

// -----

func.func @copy_of_a_pointer(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.ptr<f32, global>, %arg2: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{operand 1 of fly.copy_atom_call must be a tensor, found !fly.ptr<f32, global>}}
  fly.copy_atom_call(%arg0, %arg1, %arg2) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.ptr<f32, global>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) -> ()
  return
}

// -----

func.func @format_is_a_number(%arg0: i32) {
  // expected-error@+1 {{the attribute 'format' of fly.print cannot be 4 : i32}}
  fly.print(%arg0) {format = 4 : i32} : (i32) -> ()
  return
}

// -----

func.func @static_of_dynamic() {
  // expected-error@+1 {{fly.static makes values of static types, found !fly.layout<?:1>}}
  %r = fly.static : !fly.layout<?:1>
  return
}

// -----

func.func @coordinate_is_a_layout() {
  // expected-error@+1 {{fly.make_coord makes an int_tuple, found !fly.layout<4:1>}}
  %r = fly.make_coord() : () -> !fly.layout<4:1>
  return
}

// -----

func.func @shape_is_a_layout() {
  // expected-error@+1 {{fly.make_shape makes an int_tuple, found !fly.layout<4:1>}}
  %r = fly.make_shape() : () -> !fly.layout<4:1>
  return
}

// -----

func.func @fragment_of_bad_operand(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, %arg1: !fly.memref<f32, shared, (1,4,8):(0,128,1)>) {
  // expected-error@+1 {{Expected `a`, `b`, `c`, or `d`.}}
  %r = fly.mma.make_fragment(q, %arg0, %arg1) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.memref<f32, shared, (1,4,8):(0,128,1)>) -> !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>
  return
}

// -----

func.func @no_operand_name(%arg0: !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, %arg1: !fly.int_tuple<(64,32)>) {
  // expected-error@+1 {{Expected `a`, `b`, `c`, or `d`.}}
  %r = fly.tiled_mma.partition_shape(%arg0, %arg1) : (!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.int_tuple<(64,32)>) -> !fly.int_tuple<1>
  return
}

// -----

func.func @segments_do_not_add_up(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{operandSegmentSizes (1, 1, 1, 0) does not add up to 2 operands}}
  %r = fly.copy_atom_call_ssa(%arg0, %arg1) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) -> vector<4xf32>
  return
}

// -----

func.func @segments_are_missing(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) {
  // expected-error@+1 {{fly.copy_atom_call_ssa needs operandSegmentSizes of 4 numbers, found ()}}
  %r = fly.copy_atom_call_ssa(%arg0, %arg1) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>) -> vector<4xf32>
  return
}

// -----

func.func @copy_into_a_coordinate(%arg0: !fly.copy_atom<!fly.universal_copy<128>, 32>, %arg1: !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, %arg2: !fly.int_tuple<4>) {
  // expected-error@+1 {{operand 2 of fly.copy_atom_call must be a tensor, found !fly.int_tuple<4>}}
  fly.copy_atom_call(%arg0, %arg1, %arg2) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>, !fly.int_tuple<4>) -> ()
  return
}

// -----

func.func @traversal_is_a_shape(%arg0: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %arg1: !fly.memref<f32, register, (1,2,2):(0,1,2)>, %arg2: !fly.int_tuple<(2,2,2)>) {
  // expected-error@+1 {{operand 5 of fly.gemm must be a layout, found !fly.int_tuple<(2,2,2)>}}
  fly.gemm(%arg0, %arg1, %arg1, %arg1, %arg1, %arg2) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.int_tuple<(2,2,2)>) -> ()
  return
}

// -----

func.func @one_operand_too_many(%arg0: !fly.layout<4:1>) {
  // expected-error@+1 {{fly.size takes (input), found 2 operands}}
  %r = fly.size(%arg0, %arg0) : (!fly.layout<4:1>, !fly.layout<4:1>) -> !fly.int_tuple<4>
  return
}

// -----

func.func @one_operand_too_few(%arg0: !fly.int_tuple<4>) {
  // expected-error@+1 {{fly.make_layout takes (shape, stride), found 1 operands}}
  %r = fly.make_layout(%arg0) : (!fly.int_tuple<4>) -> !fly.layout<4:1>
  return
}
