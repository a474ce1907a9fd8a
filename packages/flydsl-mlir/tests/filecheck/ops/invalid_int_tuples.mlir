// Construction, arithmetic and comparison of integer tuples. What is refused.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

func.func @make_int_tuple_result(%arg0: i32, %arg1: i32) {
  // expected-error@+1 {{the dynamic leaves of !fly.int_tuple<77> take 0 operands, i32 or i64, found (i32, i32)}}
  %r = fly.make_int_tuple(%arg0, %arg1) : (i32, i32) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_int_tuple_operand_2(%arg0: index, %arg1: i32) {
  // expected-error@+1 {{the dynamic leaves of !fly.int_tuple<(*,*,?,?)> take 2 operands, i32 or i64, found (index, i32)}}
  %r = fly.make_int_tuple(%arg0, %arg1) : (index, i32) -> !fly.int_tuple<(*,*,?,?)>
  return
}

// -----

func.func @make_shape_result(%arg0: i32, %arg1: i64) {
  // expected-error@+1 {{the dynamic leaves of !fly.int_tuple<77> take 0 operands, i32 or i64, found (i32, i64)}}
  %r = fly.make_shape(%arg0, %arg1) : (i32, i64) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_shape_operand_2(%arg0: index, %arg1: i64) {
  // expected-error@+1 {{the dynamic leaves of !fly.int_tuple<(4,(?,?{i64 div=8}))> take 2 operands, i32 or i64, found (index, i64)}}
  %r = fly.make_shape(%arg0, %arg1) : (index, i64) -> !fly.int_tuple<(4,(?,?{i64 div=8}))>
  return
}

// -----

func.func @make_stride_result(%arg0: i64) {
  // expected-error@+1 {{the dynamic leaves of !fly.int_tuple<77> take 0 operands, i32 or i64, found (i64)}}
  %r = fly.make_stride(%arg0) : (i64) -> !fly.int_tuple<77>
  return
}

// -----

func.func @make_stride_operand_2(%arg0: index) {
  // expected-error@+1 {{the dynamic leaves of !fly.int_tuple<(1,?{i64})> take 1 operands, i32 or i64, found (index)}}
  %r = fly.make_stride(%arg0) : (index) -> !fly.int_tuple<(1,?{i64})>
  return
}

// -----

func.func @get_scalar_result(%arg0: !fly.int_tuple<?{i64 div=8}>) {
  // expected-error@+1 {{fly.get_scalar gives i64, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.get_scalar(%arg0) : (!fly.int_tuple<?{i64 div=8}>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @get_scalar_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.get_scalar(index): operand 0 must be fly.int_tuple, found index}}
  %r = fly.get_scalar(%arg0) : (index) -> i64
  return
}

// -----

func.func @get_leaves_operand(%arg0: index) {
  // expected-error@+1 {{fly.get_leaves(index): operand 0 must be fly.int_tuple, found index}}
  %r:3 = fly.get_leaves(%arg0) : (index) -> (i32, i32, i64)
  return
}

// -----

func.func @get_leaves_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.get_leaves(index): operand 0 must be fly.int_tuple, found index}}
  %r:2 = fly.get_leaves(%arg0) {dynamicOnly = true} : (index) -> (i32, i64)
  return
}

// -----

func.func @int_tuple_add_result(%arg0: !fly.int_tuple<(1,?{div=4})>, %arg1: !fly.int_tuple<(2,6)>) {
  // expected-error@+1 {{fly.int_tuple_add gives !fly.int_tuple<(3,?{div=2})>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.int_tuple_add(%arg0, %arg1) : (!fly.int_tuple<(1,?{div=4})>, !fly.int_tuple<(2,6)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @int_tuple_add_operand_2(%arg0: index, %arg1: !fly.int_tuple<(2,6)>) {
  // expected-error@+1 {{fly.int_tuple_add(index, !fly.int_tuple<(2,6)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.int_tuple_add(%arg0, %arg1) : (index, !fly.int_tuple<(2,6)>) -> !fly.int_tuple<(3,?{div=2})>
  return
}

// -----

func.func @int_tuple_sub_result(%arg0: !fly.int_tuple<(5,8)>, %arg1: !fly.int_tuple<(2,6)>) {
  // expected-error@+1 {{fly.int_tuple_sub gives !fly.int_tuple<(3,2)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.int_tuple_sub(%arg0, %arg1) : (!fly.int_tuple<(5,8)>, !fly.int_tuple<(2,6)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @int_tuple_sub_operand_2(%arg0: index, %arg1: !fly.int_tuple<(2,6)>) {
  // expected-error@+1 {{fly.int_tuple_sub(index, !fly.int_tuple<(2,6)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.int_tuple_sub(%arg0, %arg1) : (index, !fly.int_tuple<(2,6)>) -> !fly.int_tuple<(3,2)>
  return
}

// -----

func.func @int_tuple_mul_result(%arg0: !fly.int_tuple<(?,8)>, %arg1: !fly.int_tuple<(4,6)>) {
  // expected-error@+1 {{fly.int_tuple_mul gives !fly.int_tuple<(?{div=4},48)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.int_tuple_mul(%arg0, %arg1) : (!fly.int_tuple<(?,8)>, !fly.int_tuple<(4,6)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @int_tuple_mul_operand_2(%arg0: index, %arg1: !fly.int_tuple<(4,6)>) {
  // expected-error@+1 {{fly.int_tuple_mul(index, !fly.int_tuple<(4,6)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.int_tuple_mul(%arg0, %arg1) : (index, !fly.int_tuple<(4,6)>) -> !fly.int_tuple<(?{div=4},48)>
  return
}

// -----

func.func @int_tuple_div_result(%arg0: !fly.int_tuple<(9,?)>, %arg1: !fly.int_tuple<(4,2)>) {
  // expected-error@+1 {{fly.int_tuple_div gives !fly.int_tuple<(2,?)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.int_tuple_div(%arg0, %arg1) : (!fly.int_tuple<(9,?)>, !fly.int_tuple<(4,2)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @int_tuple_div_operand_2(%arg0: index, %arg1: !fly.int_tuple<(4,2)>) {
  // expected-error@+1 {{fly.int_tuple_div(index, !fly.int_tuple<(4,2)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.int_tuple_div(%arg0, %arg1) : (index, !fly.int_tuple<(4,2)>) -> !fly.int_tuple<(2,?)>
  return
}

// -----

func.func @int_tuple_mod_result(%arg0: !fly.int_tuple<(9,?{div=8})>, %arg1: !fly.int_tuple<(4,12)>) {
  // expected-error@+1 {{fly.int_tuple_mod gives !fly.int_tuple<(1,?{div=4})>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.int_tuple_mod(%arg0, %arg1) : (!fly.int_tuple<(9,?{div=8})>, !fly.int_tuple<(4,12)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @int_tuple_mod_operand_2(%arg0: index, %arg1: !fly.int_tuple<(4,12)>) {
  // expected-error@+1 {{fly.int_tuple_mod(index, !fly.int_tuple<(4,12)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.int_tuple_mod(%arg0, %arg1) : (index, !fly.int_tuple<(4,12)>) -> !fly.int_tuple<(1,?{div=4})>
  return
}

// -----

func.func @int_tuple_product_result(%arg0: !fly.int_tuple<(4,(2,8))>) {
  // expected-error@+1 {{fly.int_tuple_product gives !fly.int_tuple<64>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.int_tuple_product(%arg0) : (!fly.int_tuple<(4,(2,8))>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @int_tuple_product_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.int_tuple_product(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.int_tuple_product(%arg0) : (index) -> !fly.int_tuple<64>
  return
}

// -----

func.func @int_tuple_product_each_result(%arg0: !fly.int_tuple<(4,(2,8))>) {
  // expected-error@+1 {{fly.int_tuple_product_each gives !fly.int_tuple<(4,16)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.int_tuple_product_each(%arg0) : (!fly.int_tuple<(4,(2,8))>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @int_tuple_product_each_operand_2(%arg0: index) {
  // expected-error@+1 {{fly.int_tuple_product_each(index): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.int_tuple_product_each(%arg0) : (index) -> !fly.int_tuple<(4,16)>
  return
}

// -----

func.func @int_tuple_product_like_result(%arg0: !fly.int_tuple<((4,2),(2,8))>, %arg1: !fly.int_tuple<(1,1)>) {
  // expected-error@+1 {{fly.int_tuple_product_like gives !fly.int_tuple<(8,16)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.int_tuple_product_like(%arg0, %arg1) : (!fly.int_tuple<((4,2),(2,8))>, !fly.int_tuple<(1,1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @int_tuple_product_like_operand_2(%arg0: index, %arg1: !fly.int_tuple<(1,1)>) {
  // expected-error@+1 {{fly.int_tuple_product_like(index, !fly.int_tuple<(1,1)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.int_tuple_product_like(%arg0, %arg1) : (index, !fly.int_tuple<(1,1)>) -> !fly.int_tuple<(8,16)>
  return
}

// -----

func.func @shape_div_result(%arg0: !fly.int_tuple<(8,6)>, %arg1: !fly.int_tuple<4>) {
  // expected-error@+1 {{fly.shape_div gives !fly.int_tuple<(2,6)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.shape_div(%arg0, %arg1) : (!fly.int_tuple<(8,6)>, !fly.int_tuple<4>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @shape_div_operand_2(%arg0: index, %arg1: !fly.int_tuple<4>) {
  // expected-error@+1 {{fly.shape_div(index, !fly.int_tuple<4>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.shape_div(%arg0, %arg1) : (index, !fly.int_tuple<4>) -> !fly.int_tuple<(2,6)>
  return
}

// -----

func.func @ceil_div_result(%arg0: !fly.int_tuple<(9,?)>, %arg1: !fly.int_tuple<(4,1)>) {
  // expected-error@+1 {{fly.ceil_div gives !fly.int_tuple<(3,?)>, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.ceil_div(%arg0, %arg1) : (!fly.int_tuple<(9,?)>, !fly.int_tuple<(4,1)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @ceil_div_operand_2(%arg0: index, %arg1: !fly.int_tuple<(4,1)>) {
  // expected-error@+1 {{fly.ceil_div(index, !fly.int_tuple<(4,1)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.ceil_div(%arg0, %arg1) : (index, !fly.int_tuple<(4,1)>) -> !fly.int_tuple<(3,?)>
  return
}

// -----

func.func @elem_less_result(%arg0: !fly.int_tuple<(?,?{div=4})>, %arg1: !fly.int_tuple<(?,?)>) {
  // expected-error@+1 {{fly.elem_less gives i1, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.elem_less(%arg0, %arg1) : (!fly.int_tuple<(?,?{div=4})>, !fly.int_tuple<(?,?)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @elem_less_operand_2(%arg0: index, %arg1: !fly.int_tuple<(?,?)>) {
  // expected-error@+1 {{fly.elem_less(index, !fly.int_tuple<(?,?)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.elem_less(%arg0, %arg1) : (index, !fly.int_tuple<(?,?)>) -> i1
  return
}

// -----

func.func @equal_result(%arg0: !fly.int_tuple<(1,2)>, %arg1: !fly.int_tuple<(1,2)>) {
  // expected-error@+1 {{fly.equal gives i1, but its result is declared as !fly.int_tuple<77>}}
  %r = fly.equal(%arg0, %arg1) : (!fly.int_tuple<(1,2)>, !fly.int_tuple<(1,2)>) -> !fly.int_tuple<77>
  return
}

// -----

func.func @equal_operand_2(%arg0: index, %arg1: !fly.int_tuple<(1,2)>) {
  // expected-error@+1 {{fly.equal(index, !fly.int_tuple<(1,2)>): expected an int_tuple, layout, tile, swizzle or tensor, found index}}
  %r = fly.equal(%arg0, %arg1) : (index, !fly.int_tuple<(1,2)>) -> i1
  return
}
