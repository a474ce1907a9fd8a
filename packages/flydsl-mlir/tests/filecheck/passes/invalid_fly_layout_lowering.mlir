// What has no lowering: the operation, the operands and the condition are named.
// RUN: fly-opt %s --fly-layout-lowering --split-input-file --verify-diagnostics

func.func @before_signatures(%t: !fly.memref<f32, global, 8:1>, %c: !fly.int_tuple<3>) {
  // expected-error@+1 {{fly.memref.load: a value of type !fly.memref<f32, global, 8:1> has no definition to lower: run fly-rewrite-func-signature first}}
  %v = fly.memref.load(%t, %c) : (!fly.memref<f32, global, 8:1>, !fly.int_tuple<3>) -> f32
  return
}

// -----

func.func @ranks_differ(%a: !fly.copy_atom<!fly.universal_copy<32>, 32>, %p: !fly.ptr<f32, global>, %r: !fly.ptr<f32, register>) {
  %sl = fly.static : !fly.layout<(1,2,2):(1,2,4)>
  %s = fly.make_view(%p, %sl) : (!fly.ptr<f32, global>, !fly.layout<(1,2,2):(1,2,4)>) -> !fly.memref<f32, global, (1,2,2):(1,2,4)>
  %dl = fly.static : !fly.layout<(1,4):(1,1)>
  %d = fly.make_view(%r, %dl) : (!fly.ptr<f32, register>, !fly.layout<(1,4):(1,1)>) -> !fly.memref<f32, register, (1,4):(1,1)>
  // expected-error@+1 {{fly.copy: source and destination differ in rank: (1,2,2):(1,2,4) and (1,4):(1,1)}}
  fly.copy(%a, %s, %d) : (!fly.copy_atom<!fly.universal_copy<32>, 32>, !fly.memref<f32, global, (1,2,2):(1,2,4)>, !fly.memref<f32, register, (1,4):(1,1)>) -> ()
  return
}

// -----

func.func @extents_differ(%a: !fly.copy_atom<!fly.universal_copy<32>, 32>, %p: !fly.ptr<f32, global>, %r: !fly.ptr<f32, register>) {
  %sl = fly.static : !fly.layout<(1,2):(1,2)>
  %s = fly.make_view(%p, %sl) : (!fly.ptr<f32, global>, !fly.layout<(1,2):(1,2)>) -> !fly.memref<f32, global, (1,2):(1,2)>
  %dl = fly.static : !fly.layout<(1,4):(1,1)>
  %d = fly.make_view(%r, %dl) : (!fly.ptr<f32, register>, !fly.layout<(1,4):(1,1)>) -> !fly.memref<f32, register, (1,4):(1,1)>
  // expected-error@+1 {{fly.copy: the extents after the first mode differ: (1,2):(1,2) and (1,4):(1,1)}}
  fly.copy(%a, %s, %d) : (!fly.copy_atom<!fly.universal_copy<32>, 32>, !fly.memref<f32, global, (1,2):(1,2)>, !fly.memref<f32, register, (1,4):(1,1)>) -> ()
  return
}

// -----

func.func @product_extents_differ(%a: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %r: !fly.ptr<f32, register>) {
  %sl = fly.static : !fly.layout<(1,2,2):(0,1,2)>
  %s = fly.make_view(%r, %sl) : (!fly.ptr<f32, register>, !fly.layout<(1,2,2):(0,1,2)>) -> !fly.memref<f32, register, (1,2,2):(0,1,2)>
  %dl = fly.static : !fly.layout<(1,3,1):(0,1,3)>
  %d = fly.make_view(%r, %dl) : (!fly.ptr<f32, register>, !fly.layout<(1,3,1):(0,1,3)>) -> !fly.memref<f32, register, (1,3,1):(0,1,3)>
  // expected-error@+1 {{fly.gemm: the extents M, N and K differ between the operands: d (1,2,2):(0,1,2), a (1,3,1):(0,1,3), b (1,3,1):(0,1,3), c (1,2,2):(0,1,2)}}
  fly.gemm(%a, %s, %d, %d, %s) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,3,1):(0,1,3)>, !fly.memref<f32, register, (1,3,1):(0,1,3)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>) -> ()
  return
}

// -----

func.func @product_ranks(%a: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %r: !fly.ptr<f32, register>) {
  %sl = fly.static : !fly.layout<(1,2):(0,1)>
  %s = fly.make_view(%r, %sl) : (!fly.ptr<f32, register>, !fly.layout<(1,2):(0,1)>) -> !fly.memref<f32, register, (1,2):(0,1)>
  // expected-error@+1 {{fly.gemm takes d, c as (V,M,N), a as (V,M[,K]) and b as (V,N[,K]): d (1,2):(0,1), a (1,2):(0,1), b (1,2):(0,1), c (1,2):(0,1)}}
  fly.gemm(%a, %s, %s, %s, %s) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2):(0,1)>, !fly.memref<f32, register, (1,2):(0,1)>, !fly.memref<f32, register, (1,2):(0,1)>, !fly.memref<f32, register, (1,2):(0,1)>) -> ()
  return
}

// -----

func.func @format_with_more_places(%x: i32) {
  // expected-error@+1 {{fly.print: the format '{} and {}' has 2 places for 1 values}}
  fly.print(%x) {format = "{} and {}"} : (i32) -> ()
  return
}

// -----

func.func @too_large_to_unroll(%a: !fly.copy_atom<!fly.universal_copy<32>, 32>, %p: !fly.ptr<f32, global>) {
  %sl = fly.static : !fly.layout<(1,512,512):(0,1,512)>
  %s = fly.make_view(%p, %sl) : (!fly.ptr<f32, global>, !fly.layout<(1,512,512):(0,1,512)>) -> !fly.memref<f32, global, (1,512,512):(0,1,512)>
  // expected-error@+1 {{fly.copy: (1,512,512):(0,1,512) would be unrolled 262144 times, 65536 at most are}}
  fly.copy(%a, %s, %s) : (!fly.copy_atom<!fly.universal_copy<32>, 32>, !fly.memref<f32, global, (1,512,512):(0,1,512)>, !fly.memref<f32, global, (1,512,512):(0,1,512)>) -> ()
  return
}

// -----

func.func @too_large_a_vector(%v: vector<100000xf32>, %r: !fly.ptr<f32, register>) {
  %sl = fly.static : !fly.layout<100000:1>
  %s = fly.make_view(%r, %sl) : (!fly.ptr<f32, register>, !fly.layout<100000:1>) -> !fly.memref<f32, register, 100000:1>
  // expected-error@+1 {{fly.memref.store_vec would be unrolled 100000 times, 65536 at most are}}
  fly.memref.store_vec(%v, %s) : (vector<100000xf32>, !fly.memref<f32, register, 100000:1>) -> ()
  return
}

// -----

func.func @fragment_of_unknown_size(%i: i32) {
  %s = fly.make_int_tuple(%i) : (i32) -> !fly.int_tuple<?>
  %o = fly.make_int_tuple() : () -> !fly.int_tuple<1>
  %l = fly.make_layout(%s, %o) : (!fly.int_tuple<?>, !fly.int_tuple<1>) -> !fly.layout<?:1>
  // expected-error@+1 {{fly.memref.alloca: a register tensor needs a static layout, found ?:1}}
  %t = fly.memref.alloca(%l) : (!fly.layout<?:1>) -> !fly.memref<f32, register, ?:1>
  fly.print(%t) : (!fly.memref<f32, register, ?:1>) -> ()
  return
}
