// Construction, arithmetic and comparison of integer tuples.
// RUN: fly-opt %s | filecheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | filecheck %s

// CHECK-LABEL: func.func @static(
// CHECK: %{{.*}} = fly.static : !fly.tile<[8|64]>
func.func @static() {
  %r = fly.static : !fly.tile<[8|64]>
  return
}

// CHECK-LABEL: func.func @static_2(
// CHECK: %{{.*}} = fly.static : !fly.layout<(4,8):(1,4)>
func.func @static_2() {
  %r = fly.static : !fly.layout<(4,8):(1,4)>
  return
}

// CHECK-LABEL: func.func @make_int_tuple(
// CHECK: %{{.*}} = fly.make_int_tuple(%arg0, %arg1) : (i32, i32) -> !fly.int_tuple<(*,*,?,?)>
func.func @make_int_tuple(%arg0: i32, %arg1: i32) {
  %r = fly.make_int_tuple(%arg0, %arg1) : (i32, i32) -> !fly.int_tuple<(*,*,?,?)>
  return
}

// CHECK-LABEL: func.func @make_shape(
// CHECK: %{{.*}} = fly.make_shape(%arg0, %arg1) : (i32, i64) -> !fly.int_tuple<(4,(?,?{i64 div=8}))>
func.func @make_shape(%arg0: i32, %arg1: i64) {
  %r = fly.make_shape(%arg0, %arg1) : (i32, i64) -> !fly.int_tuple<(4,(?,?{i64 div=8}))>
  return
}

// CHECK-LABEL: func.func @make_stride(
// CHECK: %{{.*}} = fly.make_stride(%arg0) : (i64) -> !fly.int_tuple<(1,?{i64})>
func.func @make_stride(%arg0: i64) {
  %r = fly.make_stride(%arg0) : (i64) -> !fly.int_tuple<(1,?{i64})>
  return
}

// CHECK-LABEL: func.func @make_coord(
// CHECK: %{{.*}} = fly.make_coord() : () -> !fly.int_tuple<(0,*)>
func.func @make_coord() {
  %r = fly.make_coord() : () -> !fly.int_tuple<(0,*)>
  return
}

// CHECK-LABEL: func.func @get_scalar(
// CHECK: %{{.*}} = fly.get_scalar(%arg0) : (!fly.int_tuple<?{i64 div=8}>) -> i64
func.func @get_scalar(%arg0: !fly.int_tuple<?{i64 div=8}>) {
  %r = fly.get_scalar(%arg0) : (!fly.int_tuple<?{i64 div=8}>) -> i64
  return
}

// CHECK-LABEL: func.func @get_scalar_2(
// CHECK: %{{.*}} = fly.get_scalar(%arg0) : (!fly.int_tuple<7>) -> i32
func.func @get_scalar_2(%arg0: !fly.int_tuple<7>) {
  %r = fly.get_scalar(%arg0) : (!fly.int_tuple<7>) -> i32
  return
}

// CHECK-LABEL: func.func @get_leaves(
// CHECK: %{{.*}}:3 = fly.get_leaves(%arg0) : (!fly.int_tuple<(4,(?,?{i64}))>) -> (i32, i32, i64)
func.func @get_leaves(%arg0: !fly.int_tuple<(4,(?,?{i64}))>) {
  %r:3 = fly.get_leaves(%arg0) : (!fly.int_tuple<(4,(?,?{i64}))>) -> (i32, i32, i64)
  return
}

// CHECK-LABEL: func.func @get_leaves_2(
// CHECK: %{{.*}}:2 = fly.get_leaves(%arg0) {dynamicOnly = true} : (!fly.int_tuple<(4,(?,?{i64}))>) -> (i32, i64)
func.func @get_leaves_2(%arg0: !fly.int_tuple<(4,(?,?{i64}))>) {
  %r:2 = fly.get_leaves(%arg0) {dynamicOnly = true} : (!fly.int_tuple<(4,(?,?{i64}))>) -> (i32, i64)
  return
}

// CHECK-LABEL: func.func @int_tuple_add(
// CHECK: %{{.*}} = fly.int_tuple_add(%arg0, %arg1) : (!fly.int_tuple<(1,?{div=4})>, !fly.int_tuple<(2,6)>) -> !fly.int_tuple<(3,?{div=2})>
func.func @int_tuple_add(%arg0: !fly.int_tuple<(1,?{div=4})>, %arg1: !fly.int_tuple<(2,6)>) {
  %r = fly.int_tuple_add(%arg0, %arg1) : (!fly.int_tuple<(1,?{div=4})>, !fly.int_tuple<(2,6)>) -> !fly.int_tuple<(3,?{div=2})>
  return
}

// CHECK-LABEL: func.func @int_tuple_add_2(
// CHECK: %{{.*}} = fly.int_tuple_add(%arg0, %arg1) : (!fly.int_tuple<1E0>, !fly.int_tuple<2E1>) -> !fly.int_tuple<(1,2)>
func.func @int_tuple_add_2(%arg0: !fly.int_tuple<1E0>, %arg1: !fly.int_tuple<2E1>) {
  %r = fly.int_tuple_add(%arg0, %arg1) : (!fly.int_tuple<1E0>, !fly.int_tuple<2E1>) -> !fly.int_tuple<(1,2)>
  return
}

// CHECK-LABEL: func.func @int_tuple_sub(
// CHECK: %{{.*}} = fly.int_tuple_sub(%arg0, %arg1) : (!fly.int_tuple<(5,8)>, !fly.int_tuple<(2,6)>) -> !fly.int_tuple<(3,2)>
func.func @int_tuple_sub(%arg0: !fly.int_tuple<(5,8)>, %arg1: !fly.int_tuple<(2,6)>) {
  %r = fly.int_tuple_sub(%arg0, %arg1) : (!fly.int_tuple<(5,8)>, !fly.int_tuple<(2,6)>) -> !fly.int_tuple<(3,2)>
  return
}

// CHECK-LABEL: func.func @int_tuple_mul(
// CHECK: %{{.*}} = fly.int_tuple_mul(%arg0, %arg1) : (!fly.int_tuple<(?,8)>, !fly.int_tuple<(4,6)>) -> !fly.int_tuple<(?{div=4},48)>
func.func @int_tuple_mul(%arg0: !fly.int_tuple<(?,8)>, %arg1: !fly.int_tuple<(4,6)>) {
  %r = fly.int_tuple_mul(%arg0, %arg1) : (!fly.int_tuple<(?,8)>, !fly.int_tuple<(4,6)>) -> !fly.int_tuple<(?{div=4},48)>
  return
}

// CHECK-LABEL: func.func @int_tuple_div(
// CHECK: %{{.*}} = fly.int_tuple_div(%arg0, %arg1) : (!fly.int_tuple<(9,?)>, !fly.int_tuple<(4,2)>) -> !fly.int_tuple<(2,?)>
func.func @int_tuple_div(%arg0: !fly.int_tuple<(9,?)>, %arg1: !fly.int_tuple<(4,2)>) {
  %r = fly.int_tuple_div(%arg0, %arg1) : (!fly.int_tuple<(9,?)>, !fly.int_tuple<(4,2)>) -> !fly.int_tuple<(2,?)>
  return
}

// CHECK-LABEL: func.func @int_tuple_mod(
// CHECK: %{{.*}} = fly.int_tuple_mod(%arg0, %arg1) : (!fly.int_tuple<(9,?{div=8})>, !fly.int_tuple<(4,12)>) -> !fly.int_tuple<(1,?{div=4})>
func.func @int_tuple_mod(%arg0: !fly.int_tuple<(9,?{div=8})>, %arg1: !fly.int_tuple<(4,12)>) {
  %r = fly.int_tuple_mod(%arg0, %arg1) : (!fly.int_tuple<(9,?{div=8})>, !fly.int_tuple<(4,12)>) -> !fly.int_tuple<(1,?{div=4})>
  return
}

// CHECK-LABEL: func.func @int_tuple_product(
// CHECK: %{{.*}} = fly.int_tuple_product(%arg0) : (!fly.int_tuple<(4,(2,8))>) -> !fly.int_tuple<64>
func.func @int_tuple_product(%arg0: !fly.int_tuple<(4,(2,8))>) {
  %r = fly.int_tuple_product(%arg0) : (!fly.int_tuple<(4,(2,8))>) -> !fly.int_tuple<64>
  return
}

// CHECK-LABEL: func.func @int_tuple_product_each(
// CHECK: %{{.*}} = fly.int_tuple_product_each(%arg0) : (!fly.int_tuple<(4,(2,8))>) -> !fly.int_tuple<(4,16)>
func.func @int_tuple_product_each(%arg0: !fly.int_tuple<(4,(2,8))>) {
  %r = fly.int_tuple_product_each(%arg0) : (!fly.int_tuple<(4,(2,8))>) -> !fly.int_tuple<(4,16)>
  return
}

// CHECK-LABEL: func.func @int_tuple_product_like(
// CHECK: %{{.*}} = fly.int_tuple_product_like(%arg0, %arg1) : (!fly.int_tuple<((4,2),(2,8))>, !fly.int_tuple<(1,1)>) -> !fly.int_tuple<(8,16)>
func.func @int_tuple_product_like(%arg0: !fly.int_tuple<((4,2),(2,8))>, %arg1: !fly.int_tuple<(1,1)>) {
  %r = fly.int_tuple_product_like(%arg0, %arg1) : (!fly.int_tuple<((4,2),(2,8))>, !fly.int_tuple<(1,1)>) -> !fly.int_tuple<(8,16)>
  return
}

// CHECK-LABEL: func.func @shape_div(
// CHECK: %{{.*}} = fly.shape_div(%arg0, %arg1) : (!fly.int_tuple<(8,6)>, !fly.int_tuple<4>) -> !fly.int_tuple<(2,6)>
func.func @shape_div(%arg0: !fly.int_tuple<(8,6)>, %arg1: !fly.int_tuple<4>) {
  %r = fly.shape_div(%arg0, %arg1) : (!fly.int_tuple<(8,6)>, !fly.int_tuple<4>) -> !fly.int_tuple<(2,6)>
  return
}

// CHECK-LABEL: func.func @ceil_div(
// CHECK: %{{.*}} = fly.ceil_div(%arg0, %arg1) : (!fly.int_tuple<(9,?)>, !fly.int_tuple<(4,1)>) -> !fly.int_tuple<(3,?)>
func.func @ceil_div(%arg0: !fly.int_tuple<(9,?)>, %arg1: !fly.int_tuple<(4,1)>) {
  %r = fly.ceil_div(%arg0, %arg1) : (!fly.int_tuple<(9,?)>, !fly.int_tuple<(4,1)>) -> !fly.int_tuple<(3,?)>
  return
}

// CHECK-LABEL: func.func @elem_less(
// CHECK: %{{.*}} = fly.elem_less(%arg0, %arg1) : (!fly.int_tuple<(?,?{div=4})>, !fly.int_tuple<(?,?)>) -> i1
func.func @elem_less(%arg0: !fly.int_tuple<(?,?{div=4})>, %arg1: !fly.int_tuple<(?,?)>) {
  %r = fly.elem_less(%arg0, %arg1) : (!fly.int_tuple<(?,?{div=4})>, !fly.int_tuple<(?,?)>) -> i1
  return
}

// CHECK-LABEL: func.func @equal(
// CHECK: %{{.*}} = fly.equal(%arg0, %arg1) : (!fly.int_tuple<(1,2)>, !fly.int_tuple<(1,2)>) -> i1
func.func @equal(%arg0: !fly.int_tuple<(1,2)>, %arg1: !fly.int_tuple<(1,2)>) {
  %r = fly.equal(%arg0, %arg1) : (!fly.int_tuple<(1,2)>, !fly.int_tuple<(1,2)>) -> i1
  return
}
