// The layout algebra on int tuples, layouts and tensors. What is refused.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

func.func @make_layout_result(%arg0: !fly.int_tuple<(4,8)>, %arg1: !fly.int_tuple<(1,?)>) {
  // expected-error@+1 {{fly.make_layout gives !fly.layout<(4,8):(1,?)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.make_layout(%arg0, %arg1) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<(1,?)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_layout_operand_2(%arg0: index, %arg1: !fly.int_tuple<(1,?)>) {
  // expected-error@+1 {{fly.make_layout(index, !fly.int_tuple<(1,?)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.make_layout(%arg0, %arg1) : (index, !fly.int_tuple<(1,?)>) -> !fly.layout<(4,8):(1,?)>
  return
}

// -----

func.func @make_layout_like_result(%arg0: !fly.layout<(4,8):(8,1)>) {
  // expected-error@+1 {{fly.make_layout_like gives !fly.layout<(4,8):(8,1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.make_layout_like(%arg0) : (!fly.layout<(4,8):(8,1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_layout_like_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.make_layout_like(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.make_layout_like(%arg0) : (index) -> !fly.layout<(4,8):(8,1)>
  return
}

// -----

func.func @make_ordered_layout_result(%arg0: !fly.int_tuple<(4,8)>, %arg1: !fly.int_tuple<(1,0)>) {
  // expected-error@+1 {{fly.make_ordered_layout gives !fly.layout<(4,8):(8,1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.make_ordered_layout(%arg0, %arg1) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<(1,0)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_ordered_layout_operand_2(%arg0: index, %arg1: !fly.int_tuple<(1,0)>) {
  // expected-error@+1 {{fly.make_ordered_layout(index, !fly.int_tuple<(1,0)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.make_ordered_layout(%arg0, %arg1) : (index, !fly.int_tuple<(1,0)>) -> !fly.layout<(4,8):(8,1)>
  return
}

// -----

func.func @make_identity_layout_result(%arg0: !fly.int_tuple<(?,?)>) {
  // expected-error@+1 {{fly.make_identity_layout gives !fly.layout<(?,?):(1E0,1E1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.make_identity_layout(%arg0) : (!fly.int_tuple<(?,?)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_identity_layout_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.make_identity_layout(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.make_identity_layout(%arg0) : (index) -> !fly.layout<(?,?):(1E0,1E1)>
  return
}

// -----

func.func @make_composed_layout_result(%arg0: !fly.swizzle<S<3,4,3>>, %arg1: !fly.int_tuple<0>, %arg2: !fly.layout<(8,8):(1,8)>) {
  // expected-error@+1 {{fly.make_composed_layout gives !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.make_composed_layout(%arg0, %arg1, %arg2) : (!fly.swizzle<S<3,4,3>>, !fly.int_tuple<0>, !fly.layout<(8,8):(1,8)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_composed_layout_operand_2(%arg0: index, %arg1: !fly.int_tuple<0>, %arg2: !fly.layout<(8,8):(1,8)>) {
  // expected-error@+1 {{fly.make_composed_layout(index, !fly.int_tuple<0>, !fly.layout<(8,8):(1,8)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.make_composed_layout(%arg0, %arg1, %arg2) : (index, !fly.int_tuple<0>, !fly.layout<(8,8):(1,8)>) -> !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>
  return
}

// -----

func.func @make_fragment_layout_like_result(%arg0: !fly.layout<((4,1),2):((1,0),64)>) {
  // expected-error@+1 {{fly.make_fragment_layout_like gives !fly.layout<((4,1),2):((1,0),4)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.make_fragment_layout_like(%arg0) : (!fly.layout<((4,1),2):((1,0),64)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_fragment_layout_like_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.make_fragment_layout_like(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.make_fragment_layout_like(%arg0) : (index) -> !fly.layout<((4,1),2):((1,0),4)>
  return
}

// -----

func.func @composed_get_inner_result(%arg0: !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) {
  // expected-error@+1 {{fly.composed_get_inner gives !fly.swizzle<S<3,4,3>>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.composed_get_inner(%arg0) : (!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @composed_get_inner_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.composed_get_inner(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.composed_get_inner(%arg0) : (index) -> !fly.swizzle<S<3,4,3>>
  return
}

// -----

func.func @composed_get_offset_result(%arg0: !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) {
  // expected-error@+1 {{fly.composed_get_offset gives !fly.int_tuple<0>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.composed_get_offset(%arg0) : (!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @composed_get_offset_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.composed_get_offset(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.composed_get_offset(%arg0) : (index) -> !fly.int_tuple<0>
  return
}

// -----

func.func @composed_get_outer_result(%arg0: !fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) {
  // expected-error@+1 {{fly.composed_get_outer gives !fly.layout<(8,8):(1,8)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.composed_get_outer(%arg0) : (!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @composed_get_outer_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.composed_get_outer(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.composed_get_outer(%arg0) : (index) -> !fly.layout<(8,8):(1,8)>
  return
}

// -----

func.func @get_shape_result(%arg0: !fly.layout<(4,8):(1,?)>) {
  // expected-error@+1 {{fly.get_shape gives !fly.int_tuple<(4,8)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get_shape(%arg0) : (!fly.layout<(4,8):(1,?)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_shape_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.get_shape(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.get_shape(%arg0) : (index) -> !fly.int_tuple<(4,8)>
  return
}

// -----

func.func @get_stride_result(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>) {
  // expected-error@+1 {{fly.get_stride gives !fly.int_tuple<(?{i64},1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get_stride(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_stride_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.get_stride(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.get_stride(%arg0) : (index) -> !fly.int_tuple<(?{i64},1)>
  return
}

// -----

func.func @get_layout_result(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>) {
  // expected-error@+1 {{fly.get_layout gives !fly.layout<(?,?):(?{i64},1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get_layout(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_layout_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.get_layout(index): operand 0 must be fly.memref or fly.coord_tensor, found index}}
  %r = fly.get_layout(%arg0) : (index) -> !fly.layout<(?,?):(?{i64},1)>
  return
}

// -----

func.func @get_iter_result(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>) {
  // expected-error@+1 {{fly.get_iter gives !fly.ptr<f32, global>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get_iter(%arg0) : (!fly.memref<f32, global, (?,?):(?{i64},1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_iter_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.get_iter(index): operand 0 must be fly.memref or fly.coord_tensor, found index}}
  %r = fly.get_iter(%arg0) : (index) -> !fly.ptr<f32, global>
  return
}

// -----

func.func @get_result(%arg0: !fly.int_tuple<(4,(2,8))>) {
  // expected-error@+1 {{fly.get gives !fly.int_tuple<8>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get(%arg0) {mode = array<i32: 1, 1>} : (!fly.int_tuple<(4,(2,8))>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.get(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.get(%arg0) {mode = array<i32: 1, 1>} : (index) -> !fly.int_tuple<8>
  return
}

// -----

func.func @take_result(%arg0: !fly.layout<(4,2,8):(1,4,8)>) {
  // expected-error@+1 {{fly.take gives !fly.layout<(2,8):(4,8)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.take(%arg0) {begin = 1 : i32, end = 3 : i32} : (!fly.layout<(4,2,8):(1,4,8)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @take_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.take(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.take(%arg0) {begin = 1 : i32, end = 3 : i32} : (index) -> !fly.layout<(2,8):(4,8)>
  return
}

// -----

func.func @select_result(%arg0: !fly.layout<(4,2,8):(1,4,8)>) {
  // expected-error@+1 {{fly.select gives !fly.layout<(8,4):(8,1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.select(%arg0) {indices = array<i32: 2, 0>} : (!fly.layout<(4,2,8):(1,4,8)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @select_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.select(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.select(%arg0) {indices = array<i32: 2, 0>} : (index) -> !fly.layout<(8,4):(8,1)>
  return
}

// -----

func.func @group_result(%arg0: !fly.layout<(4,2,8):(1,4,8)>) {
  // expected-error@+1 {{fly.group gives !fly.layout<(4,(2,8)):(1,(4,8))>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.group(%arg0) {begin = 1 : i32, end = 3 : i32} : (!fly.layout<(4,2,8):(1,4,8)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @group_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.group(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.group(%arg0) {begin = 1 : i32, end = 3 : i32} : (index) -> !fly.layout<(4,(2,8)):(1,(4,8))>
  return
}

// -----

func.func @append_result(%arg0: !fly.layout<(4,2):(1,4)>, %arg1: !fly.layout<1:0>) {
  // expected-error@+1 {{fly.append gives !fly.layout<(4,2,1):(1,4,0)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.append(%arg0, %arg1) : (!fly.layout<(4,2):(1,4)>, !fly.layout<1:0>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @append_operand_2(%arg0: index, %arg1: !fly.layout<1:0>) {
  // expected-error@+1 {{fly.append(index, !fly.layout<1:0>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.append(%arg0, %arg1) : (index, !fly.layout<1:0>) -> !fly.layout<(4,2,1):(1,4,0)>
  return
}

// -----

func.func @prepend_result(%arg0: !fly.layout<(4,2):(1,4)>, %arg1: !fly.layout<1:0>) {
  // expected-error@+1 {{fly.prepend gives !fly.layout<(1,4,2):(0,1,4)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.prepend<3>(%arg0, %arg1) : (!fly.layout<(4,2):(1,4)>, !fly.layout<1:0>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @prepend_operand_2(%arg0: index, %arg1: !fly.layout<1:0>) {
  // expected-error@+1 {{fly.prepend(index, !fly.layout<1:0>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.prepend<3>(%arg0, %arg1) : (index, !fly.layout<1:0>) -> !fly.layout<(1,4,2):(0,1,4)>
  return
}

// -----

func.func @slice_result(%arg0: !fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>, %arg1: !fly.int_tuple<(*,*,?,?)>) {
  // expected-error@+1 {{fly.slice gives !fly.memref<f32, global, (8,64):(?{i64},1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.slice(%arg0, %arg1) : (!fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>, !fly.int_tuple<(*,*,?,?)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @slice_operand_2(%arg0: index, %arg1: !fly.int_tuple<(*,*,?,?)>) {
  // expected-error@+1 {{fly.slice(index, !fly.int_tuple<(*,*,?,?)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.slice(%arg0, %arg1) : (index, !fly.int_tuple<(*,*,?,?)>) -> !fly.memref<f32, global, (8,64):(?{i64},1)>
  return
}

// -----

func.func @dice_result(%arg0: !fly.layout<(4,8):(1,4)>, %arg1: !fly.int_tuple<(*,3)>) {
  // expected-error@+1 {{fly.dice gives !fly.layout<8:4>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.dice(%arg0, %arg1) : (!fly.layout<(4,8):(1,4)>, !fly.int_tuple<(*,3)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @dice_operand_2(%arg0: index, %arg1: !fly.int_tuple<(*,3)>) {
  // expected-error@+1 {{fly.dice(index, !fly.int_tuple<(*,3)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.dice(%arg0, %arg1) : (index, !fly.int_tuple<(*,3)>) -> !fly.layout<8:4>
  return
}

// -----

func.func @size_result(%arg0: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{fly.size gives !fly.int_tuple<32>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.size(%arg0) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @size_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.size(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.size(%arg0) : (index) -> !fly.int_tuple<32>
  return
}

// -----

func.func @coprofile_result(%arg0: !fly.layout<(4,8):(1E0,1E1)>) {
  // expected-error@+1 {{fly.coprofile gives !fly.int_tuple<(0,0)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.coprofile(%arg0) : (!fly.layout<(4,8):(1E0,1E1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @coprofile_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.coprofile(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.coprofile(%arg0) : (index) -> !fly.int_tuple<(0,0)>
  return
}

// -----

func.func @coshape_result(%arg0: !fly.layout<(4,8):(1E0,1E1)>) {
  // expected-error@+1 {{fly.coshape gives !fly.int_tuple<(4,8)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.coshape(%arg0) : (!fly.layout<(4,8):(1E0,1E1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @coshape_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.coshape(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.coshape(%arg0) : (index) -> !fly.int_tuple<(4,8)>
  return
}

// -----

func.func @cosize_result(%arg0: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{fly.cosize gives !fly.int_tuple<32>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.cosize(%arg0) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @cosize_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.cosize(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.cosize(%arg0) : (index) -> !fly.int_tuple<32>
  return
}

// -----

func.func @crd2idx_result(%arg0: !fly.int_tuple<(1,?)>, %arg1: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{fly.crd2idx gives !fly.int_tuple<?>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.crd2idx(%arg0, %arg1) : (!fly.int_tuple<(1,?)>, !fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @crd2idx_operand_2(%arg0: index, %arg1: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{fly.crd2idx(index, !fly.layout<(4,8):(1,4)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.crd2idx(%arg0, %arg1) : (index, !fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<?>
  return
}

// -----

func.func @idx2crd_result(%arg0: !fly.int_tuple<6>, %arg1: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{fly.idx2crd gives !fly.int_tuple<(2,1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.idx2crd(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @idx2crd_operand_2(%arg0: index, %arg1: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{fly.idx2crd(index, !fly.layout<(4,8):(1,4)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.idx2crd(%arg0, %arg1) : (index, !fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<(2,1)>
  return
}

// -----

func.func @get_flat_coord_result(%arg0: !fly.int_tuple<6>, %arg1: !fly.layout<((2,2),8):((1,2),4)>) {
  // expected-error@+1 {{fly.get_flat_coord gives !fly.int_tuple<(2,1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get_flat_coord(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.layout<((2,2),8):((1,2),4)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_flat_coord_operand_2(%arg0: index, %arg1: !fly.layout<((2,2),8):((1,2),4)>) {
  // expected-error@+1 {{fly.get_flat_coord(index, !fly.layout<((2,2),8):((1,2),4)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.get_flat_coord(%arg0, %arg1) : (index, !fly.layout<((2,2),8):((1,2),4)>) -> !fly.int_tuple<(2,1)>
  return
}

// -----

func.func @get_1d_coord_result(%arg0: !fly.int_tuple<6>, %arg1: !fly.layout<(4,8):(8,1)>) {
  // expected-error@+1 {{fly.get_1d_coord gives !fly.int_tuple<24>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get_1d_coord(%arg0, %arg1) : (!fly.int_tuple<6>, !fly.layout<(4,8):(8,1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_1d_coord_operand_2(%arg0: index, %arg1: !fly.layout<(4,8):(8,1)>) {
  // expected-error@+1 {{fly.get_1d_coord(index, !fly.layout<(4,8):(8,1)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.get_1d_coord(%arg0, %arg1) : (index, !fly.layout<(4,8):(8,1)>) -> !fly.int_tuple<24>
  return
}

// -----

func.func @coalesce_result(%arg0: !fly.layout<(4,8):(1,4)>) {
  // expected-error@+1 {{fly.coalesce gives !fly.layout<32:1>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.coalesce(%arg0) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @coalesce_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.coalesce(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.coalesce(%arg0) : (index) -> !fly.layout<32:1>
  return
}

// -----

func.func @composition_result(%arg0: !fly.layout<(4,8):(8,1)>, %arg1: !fly.layout<4:8>) {
  // expected-error@+1 {{fly.composition gives !fly.layout<4:2>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.composition(%arg0, %arg1) : (!fly.layout<(4,8):(8,1)>, !fly.layout<4:8>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @composition_operand_2(%arg0: index, %arg1: !fly.layout<4:8>) {
  // expected-error@+1 {{fly.composition(index, !fly.layout<4:8>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.composition(%arg0, %arg1) : (index, !fly.layout<4:8>) -> !fly.layout<4:2>
  return
}

// -----

func.func @complement_result(%arg0: !fly.layout<4:2>) {
  // expected-error@+1 {{fly.complement gives !fly.layout<2:1>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.complement(%arg0) : (!fly.layout<4:2>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @complement_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.complement(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.complement(%arg0) : (index) -> !fly.layout<2:1>
  return
}

// -----

func.func @right_inverse_result(%arg0: !fly.layout<(4,8):(8,1)>) {
  // expected-error@+1 {{fly.right_inverse gives !fly.layout<(8,4):(4,1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.right_inverse(%arg0) : (!fly.layout<(4,8):(8,1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @right_inverse_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.right_inverse(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.right_inverse(%arg0) : (index) -> !fly.layout<(8,4):(4,1)>
  return
}

// -----

func.func @left_inverse_result(%arg0: !fly.layout<(4,8):(8,1)>) {
  // expected-error@+1 {{fly.left_inverse gives !fly.layout<(8,4):(4,1)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.left_inverse(%arg0) : (!fly.layout<(4,8):(8,1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @left_inverse_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.left_inverse(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.left_inverse(%arg0) : (index) -> !fly.layout<(8,4):(4,1)>
  return
}

// -----

func.func @logical_divide_result(%arg0: !fly.layout<16:1>, %arg1: !fly.layout<4:1>) {
  // expected-error@+1 {{fly.logical_divide gives !fly.layout<(4,4):(1,4)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.logical_divide(%arg0, %arg1) : (!fly.layout<16:1>, !fly.layout<4:1>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @logical_divide_operand_2(%arg0: index, %arg1: !fly.layout<4:1>) {
  // expected-error@+1 {{fly.logical_divide(index, !fly.layout<4:1>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.logical_divide(%arg0, %arg1) : (index, !fly.layout<4:1>) -> !fly.layout<(4,4):(1,4)>
  return
}

// -----

func.func @zipped_divide_result(%arg0: !fly.memref<f32, global, (8,64):(?{i64},1)>, %arg1: !fly.tile<[4|8]>) {
  // expected-error@+1 {{fly.zipped_divide gives !fly.memref<f32, global, ((4,8),(2,8)):((?{i64},1),(?{i64 div=4},8))>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.zipped_divide(%arg0, %arg1) : (!fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.tile<[4|8]>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @zipped_divide_operand_2(%arg0: index, %arg1: !fly.tile<[4|8]>) {
  // expected-error@+1 {{fly.zipped_divide(index, !fly.tile<[4|8]>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.zipped_divide(%arg0, %arg1) : (index, !fly.tile<[4|8]>) -> !fly.memref<f32, global, ((4,8),(2,8)):((?{i64},1),(?{i64 div=4},8))>
  return
}

// -----

func.func @tiled_divide_result(%arg0: !fly.layout<(8,64):(64,1)>, %arg1: !fly.tile<[4|8]>) {
  // expected-error@+1 {{fly.tiled_divide gives !fly.layout<((4,8),2,8):((64,1),256,8)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.tiled_divide(%arg0, %arg1) : (!fly.layout<(8,64):(64,1)>, !fly.tile<[4|8]>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @tiled_divide_operand_2(%arg0: index, %arg1: !fly.tile<[4|8]>) {
  // expected-error@+1 {{fly.tiled_divide(index, !fly.tile<[4|8]>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.tiled_divide(%arg0, %arg1) : (index, !fly.tile<[4|8]>) -> !fly.layout<((4,8),2,8):((64,1),256,8)>
  return
}

// -----

func.func @flat_divide_result(%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)>, %arg1: !fly.tile<[8|64]>) {
  // expected-error@+1 {{fly.flat_divide gives !fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.flat_divide(%arg0, %arg1) : (!fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.tile<[8|64]>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @flat_divide_operand_2(%arg0: index, %arg1: !fly.tile<[8|64]>) {
  // expected-error@+1 {{fly.flat_divide(index, !fly.tile<[8|64]>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.flat_divide(%arg0, %arg1) : (index, !fly.tile<[8|64]>) -> !fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>
  return
}

// -----

func.func @logical_product_result(%arg0: !fly.layout<4:1>, %arg1: !fly.layout<3:1>) {
  // expected-error@+1 {{fly.logical_product gives !fly.layout<(4,3):(1,4)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.logical_product(%arg0, %arg1) : (!fly.layout<4:1>, !fly.layout<3:1>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @logical_product_operand_2(%arg0: index, %arg1: !fly.layout<3:1>) {
  // expected-error@+1 {{fly.logical_product(index, !fly.layout<3:1>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.logical_product(%arg0, %arg1) : (index, !fly.layout<3:1>) -> !fly.layout<(4,3):(1,4)>
  return
}

// -----

func.func @zipped_product_result(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.layout<(3,5):(1,3)>) {
  // expected-error@+1 {{fly.zipped_product gives !fly.layout<((2,2),(3,5)):((1,2),(4,12))>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.zipped_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @zipped_product_operand_2(%arg0: index, %arg1: !fly.layout<(3,5):(1,3)>) {
  // expected-error@+1 {{fly.zipped_product(index, !fly.layout<(3,5):(1,3)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.zipped_product(%arg0, %arg1) : (index, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((2,2),(3,5)):((1,2),(4,12))>
  return
}

// -----

func.func @tiled_product_result(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.layout<(3,5):(1,3)>) {
  // expected-error@+1 {{fly.tiled_product gives !fly.layout<((2,2),3,5):((1,2),4,12)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.tiled_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @tiled_product_operand_2(%arg0: index, %arg1: !fly.layout<(3,5):(1,3)>) {
  // expected-error@+1 {{fly.tiled_product(index, !fly.layout<(3,5):(1,3)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.tiled_product(%arg0, %arg1) : (index, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((2,2),3,5):((1,2),4,12)>
  return
}

// -----

func.func @flat_product_result(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.layout<(3,5):(1,3)>) {
  // expected-error@+1 {{fly.flat_product gives !fly.layout<(2,2,3,5):(1,2,4,12)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.flat_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @flat_product_operand_2(%arg0: index, %arg1: !fly.layout<(3,5):(1,3)>) {
  // expected-error@+1 {{fly.flat_product(index, !fly.layout<(3,5):(1,3)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.flat_product(%arg0, %arg1) : (index, !fly.layout<(3,5):(1,3)>) -> !fly.layout<(2,2,3,5):(1,2,4,12)>
  return
}

// -----

func.func @blocked_product_result(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.layout<(3,5):(1,3)>) {
  // expected-error@+1 {{fly.blocked_product gives !fly.layout<((2,3),(2,5)):((1,4),(2,12))>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.blocked_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @blocked_product_operand_2(%arg0: index, %arg1: !fly.layout<(3,5):(1,3)>) {
  // expected-error@+1 {{fly.blocked_product(index, !fly.layout<(3,5):(1,3)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.blocked_product(%arg0, %arg1) : (index, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((2,3),(2,5)):((1,4),(2,12))>
  return
}

// -----

func.func @raked_product_result(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.layout<(3,5):(1,3)>) {
  // expected-error@+1 {{fly.raked_product gives !fly.layout<((3,2),(5,2)):((4,1),(12,2))>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.raked_product(%arg0, %arg1) : (!fly.layout<(2,2):(1,2)>, !fly.layout<(3,5):(1,3)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @raked_product_operand_2(%arg0: index, %arg1: !fly.layout<(3,5):(1,3)>) {
  // expected-error@+1 {{fly.raked_product(index, !fly.layout<(3,5):(1,3)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.raked_product(%arg0, %arg1) : (index, !fly.layout<(3,5):(1,3)>) -> !fly.layout<((3,2),(5,2)):((4,1),(12,2))>
  return
}

// -----

func.func @recast_layout_result(%arg0: !fly.layout<(8,4):(1,8)>) {
  // expected-error@+1 {{fly.recast_layout gives !fly.layout<(4,4):(1,4)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.recast_layout(%arg0) {old_type_bits = 16 : i32, new_type_bits = 32 : i32} : (!fly.layout<(8,4):(1,8)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @recast_layout_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.recast_layout(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.recast_layout(%arg0) {old_type_bits = 16 : i32, new_type_bits = 32 : i32} : (index) -> !fly.layout<(4,4):(1,4)>
  return
}

// -----

func.func @tile_to_shape_result(%arg0: !fly.layout<(2,2):(1,2)>, %arg1: !fly.int_tuple<(4,4)>, %arg2: !fly.int_tuple<(0,1)>) {
  // expected-error@+1 {{fly.tile_to_shape gives !fly.layout<((2,2),(2,2)):((1,4),(2,8))>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.tile_to_shape(%arg0, %arg1, %arg2) : (!fly.layout<(2,2):(1,2)>, !fly.int_tuple<(4,4)>, !fly.int_tuple<(0,1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @tile_to_shape_operand_2(%arg0: index, %arg1: !fly.int_tuple<(4,4)>, %arg2: !fly.int_tuple<(0,1)>) {
  // expected-error@+1 {{fly.tile_to_shape(index, !fly.int_tuple<(4,4)>, !fly.int_tuple<(0,1)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.tile_to_shape(%arg0, %arg1, %arg2) : (index, !fly.int_tuple<(4,4)>, !fly.int_tuple<(0,1)>) -> !fly.layout<((2,2),(2,2)):((1,4),(2,8))>
  return
}
