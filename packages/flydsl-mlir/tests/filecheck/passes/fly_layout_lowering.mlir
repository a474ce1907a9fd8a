// Tensors and layouts become pointers and integers.
// RUN: fly-opt %s --fly-layout-lowering | filecheck %s
// RUN: fly-opt %s --fly-layout-lowering=exact=true | filecheck %s --check-prefix=EXACT

// The index of a coordinate: static strides fold, dynamic ones are multiplied.
// CHECK-LABEL: func.func @crd2idx(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: i32, [[ARG1:%[a-z0-9_]+]]: i32, [[ARG2:%[a-z0-9_]+]]: i32) -> i32 {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = arith.muli [[ARG1]], [[ARG2]] : i32
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.addi [[ARG0]], [[V0]] : i32
// CHECK-NEXT: return [[V1]] : i32
// CHECK-NEXT: }
// EXACT-LABEL: func.func @crd2idx(
// EXACT-SAME: [[ARG0:%[a-z0-9_]+]]: i32, [[ARG1:%[a-z0-9_]+]]: i32, [[ARG2:%[a-z0-9_]+]]: i32) -> i32 {
// EXACT-NEXT: [[V0:%[a-z0-9_]+]] = arith.muli [[ARG1]], [[ARG2]] overflow<nsw> : i32
// EXACT-NEXT: [[V1:%[a-z0-9_]+]] = arith.addi [[ARG0]], [[V0]] overflow<nsw> : i32
// EXACT-NEXT: return [[V1]] : i32
func.func @crd2idx(%i: i32, %j: i32, %s: i32) -> i32 {
  %shape = fly.make_int_tuple() : () -> !fly.int_tuple<(4,8)>
  %stride = fly.make_int_tuple(%s) : (i32) -> !fly.int_tuple<(1,?)>
  %layout = fly.make_layout(%shape, %stride) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<(1,?)>) -> !fly.layout<(4,8):(1,?)>
  %coord = fly.make_int_tuple(%i, %j) : (i32, i32) -> !fly.int_tuple<(?,?)>
  %index = fly.crd2idx(%coord, %layout) : (!fly.int_tuple<(?,?)>, !fly.layout<(4,8):(1,?)>) -> !fly.int_tuple<?>
  %r = fly.get_scalar(%index) : (!fly.int_tuple<?>) -> i32
  return %r : i32
}
// A number is split over the modes; widths are joined by sign extension.
// CHECK-LABEL: func.func @split(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: i32, [[ARG1:%[a-z0-9_]+]]: i64) -> i64 {
// CHECK-NEXT: [[C4_I32:%[a-z0-9_]+]] = arith.constant 4 : i32
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = arith.remsi [[ARG0]], [[C4_I32]] : i32
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.extsi [[V0]] : i32 to i64
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.muli [[V1]], [[ARG1]] : i64
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.divsi [[ARG0]], [[C4_I32]] : i32
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = arith.extsi [[V3]] : i32 to i64
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = arith.addi [[V2]], [[V4]] : i64
// CHECK-NEXT: return [[V5]] : i64
// CHECK-NEXT: }
// EXACT-LABEL: func.func @split(
// EXACT: arith.muli {{.*}}, %{{[a-z0-9_]+}} : i64
// EXACT: arith.addi {{.*}}, %{{[a-z0-9_]+}} : i64
func.func @split(%i: i32, %s: i64) -> i64 {
  %shape = fly.make_int_tuple() : () -> !fly.int_tuple<(4,8)>
  %stride = fly.make_int_tuple(%s) : (i64) -> !fly.int_tuple<(?{i64},1)>
  %layout = fly.make_layout(%shape, %stride) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<(?{i64},1)>) -> !fly.layout<(4,8):(?{i64},1)>
  %coord = fly.make_int_tuple(%i) : (i32) -> !fly.int_tuple<?>
  %index = fly.crd2idx(%coord, %layout) : (!fly.int_tuple<?>, !fly.layout<(4,8):(?{i64},1)>) -> !fly.int_tuple<?{i64}>
  %r = fly.get_scalar(%index) : (!fly.int_tuple<?{i64}>) -> i64
  return %r : i64
}
// A slice moves the pointer.
// CHECK-LABEL: func.func @slice(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG1:%[a-z0-9_]+]]: i32) -> f32 {
// CHECK-NEXT: [[C4_I32:%[a-z0-9_]+]] = arith.constant 4 : i32
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = arith.muli [[ARG1]], [[C4_I32]] : i32
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_int_tuple([[V0]]) : (i32) -> !fly.int_tuple<?{div=4}>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.add_offset([[ARG0]], [[V1]]) : (!fly.ptr<f32, global>, !fly.int_tuple<?{div=4}>) -> !fly.ptr<f32, global>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<2>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = fly.add_offset([[V2]], [[V3]]) : (!fly.ptr<f32, global>, !fly.int_tuple<2>) -> !fly.ptr<f32, global>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = fly.ptr.load([[V4]]) : (!fly.ptr<f32, global>) -> f32
// CHECK-NEXT: return [[V5]] : f32
// CHECK-NEXT: }
func.func @slice(%p: !fly.ptr<f32, global>, %i: i32) -> f32 {
  %layout = fly.static : !fly.layout<(4,8):(1,4)>
  %t = fly.make_view(%p, %layout) : (!fly.ptr<f32, global>, !fly.layout<(4,8):(1,4)>) -> !fly.memref<f32, global, (4,8):(1,4)>
  %c = fly.make_int_tuple(%i) : (i32) -> !fly.int_tuple<(*,?)>
  %column = fly.slice(%t, %c) : (!fly.memref<f32, global, (4,8):(1,4)>, !fly.int_tuple<(*,?)>) -> !fly.memref<f32, global, 4:1>
  %two = fly.make_int_tuple() : () -> !fly.int_tuple<2>
  %v = fly.memref.load(%column, %two) : (!fly.memref<f32, global, 4:1>, !fly.int_tuple<2>) -> f32
  return %v : f32
}
// Fragments are register allocations; a whole copy becomes one call of its atom for each rest index.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, global, align<16>>) -> vector<8xf32> {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.make_ptr() {dictAttrs = {allocSize = 8 : i64}} : () -> !fly.ptr<f32, register>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_copy_atom {valBits = 32 : i32} : !fly.copy_atom<!fly.universal_copy<128>, 32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<4>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<1>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = fly.make_layout([[V2]], [[V3]]) : (!fly.int_tuple<4>, !fly.int_tuple<1>) -> !fly.layout<4:1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = fly.make_view([[ARG0]], [[V4]]) : (!fly.ptr<f32, global, align<16>>, !fly.layout<4:1>) -> !fly.memref<f32, global, 4:1, align<16>>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = fly.make_view([[V0]], [[V4]]) : (!fly.ptr<f32, register>, !fly.layout<4:1>) -> !fly.memref<f32, register, 4:1>
// CHECK-NEXT: fly.copy_atom_call([[V1]], [[V5]], [[V6]]) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, 4:1, align<16>>, !fly.memref<f32, register, 4:1>) -> ()
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<16>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = fly.add_offset([[ARG0]], [[V7]]) : (!fly.ptr<f32, global, align<16>>, !fly.int_tuple<16>) -> !fly.ptr<f32, global, align<16>>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = fly.make_view([[V8]], [[V4]]) : (!fly.ptr<f32, global, align<16>>, !fly.layout<4:1>) -> !fly.memref<f32, global, 4:1, align<16>>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = fly.add_offset([[V0]], [[V2]]) : (!fly.ptr<f32, register>, !fly.int_tuple<4>) -> !fly.ptr<f32, register>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = fly.make_view([[V10]], [[V4]]) : (!fly.ptr<f32, register>, !fly.layout<4:1>) -> !fly.memref<f32, register, 4:1>
// CHECK-NEXT: fly.copy_atom_call([[V1]], [[V9]], [[V11]]) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, 4:1, align<16>>, !fly.memref<f32, register, 4:1>) -> ()
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = fly.ptr.load([[V0]]) : (!fly.ptr<f32, register>) -> vector<8xf32>
// CHECK-NEXT: return [[V12]] : vector<8xf32>
// CHECK-NEXT: }
func.func @copy(%p: !fly.ptr<f32, global, align<16>>) -> vector<8xf32> {
  %layout = fly.static : !fly.layout<(4,2):(1,16)>
  %src = fly.make_view(%p, %layout) : (!fly.ptr<f32, global, align<16>>, !fly.layout<(4,2):(1,16)>) -> !fly.memref<f32, global, (4,2):(1,16), align<16>>
  %dst = fly.make_fragment_like(%src) : (!fly.memref<f32, global, (4,2):(1,16), align<16>>) -> !fly.memref<f32, register, (4,2):(1,4)>
  %atom = fly.make_copy_atom {valBits = 32 : i32} : !fly.copy_atom<!fly.universal_copy<128>, 32>
  fly.copy(%atom, %src, %dst) : (!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.memref<f32, global, (4,2):(1,16), align<16>>, !fly.memref<f32, register, (4,2):(1,4)>) -> ()
  %v = fly.memref.load_vec(%dst) : (!fly.memref<f32, register, (4,2):(1,4)>) -> vector<8xf32>
  return %v : vector<8xf32>
}
// A product is unrolled: n fastest, then m, k last; later visits read d.
// CHECK-LABEL: func.func @gemm(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, register>, [[ARG1:%[a-z0-9_]+]]: !fly.ptr<f32, register>) {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.make_mma_atom : !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<1>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<0>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.make_layout([[V1]], [[V2]]) : (!fly.int_tuple<1>, !fly.int_tuple<0>) -> !fly.layout<1:0>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = fly.make_view([[ARG1]], [[V3]]) : (!fly.ptr<f32, register>, !fly.layout<1:0>) -> !fly.memref<f32, register, 1:0>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = fly.make_view([[ARG0]], [[V3]]) : (!fly.ptr<f32, register>, !fly.layout<1:0>) -> !fly.memref<f32, register, 1:0>
// CHECK-NEXT: fly.mma_atom_call([[V0]], [[V4]], [[V5]], [[V5]], [[V4]]) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>) -> ()
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<2>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = fly.add_offset([[ARG1]], [[V6]]) : (!fly.ptr<f32, register>, !fly.int_tuple<2>) -> !fly.ptr<f32, register>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = fly.make_view([[V7]], [[V3]]) : (!fly.ptr<f32, register>, !fly.layout<1:0>) -> !fly.memref<f32, register, 1:0>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = fly.add_offset([[ARG0]], [[V1]]) : (!fly.ptr<f32, register>, !fly.int_tuple<1>) -> !fly.ptr<f32, register>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = fly.make_view([[V9]], [[V3]]) : (!fly.ptr<f32, register>, !fly.layout<1:0>) -> !fly.memref<f32, register, 1:0>
// CHECK-NEXT: fly.mma_atom_call([[V0]], [[V8]], [[V5]], [[V10]], [[V8]]) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>) -> ()
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = fly.add_offset([[ARG1]], [[V1]]) : (!fly.ptr<f32, register>, !fly.int_tuple<1>) -> !fly.ptr<f32, register>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = fly.make_view([[V11]], [[V3]]) : (!fly.ptr<f32, register>, !fly.layout<1:0>) -> !fly.memref<f32, register, 1:0>
// CHECK-NEXT: fly.mma_atom_call([[V0]], [[V12]], [[V10]], [[V5]], [[V12]]) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>) -> ()
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<3>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = fly.add_offset([[ARG1]], [[V13]]) : (!fly.ptr<f32, register>, !fly.int_tuple<3>) -> !fly.ptr<f32, register>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = fly.make_view([[V14]], [[V3]]) : (!fly.ptr<f32, register>, !fly.layout<1:0>) -> !fly.memref<f32, register, 1:0>
// CHECK-NEXT: fly.mma_atom_call([[V0]], [[V15]], [[V10]], [[V10]], [[V15]]) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>, !fly.memref<f32, register, 1:0>) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @gemm(%p: !fly.ptr<f32, register>, %q: !fly.ptr<f32, register>) {
  %atom = fly.make_mma_atom : !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>
  %la = fly.static : !fly.layout<(1,2,1):(0,1,0)>
  %lc = fly.static : !fly.layout<(1,2,2):(0,1,2)>
  %a = fly.make_view(%p, %la) : (!fly.ptr<f32, register>, !fly.layout<(1,2,1):(0,1,0)>) -> !fly.memref<f32, register, (1,2,1):(0,1,0)>
  %c = fly.make_view(%q, %lc) : (!fly.ptr<f32, register>, !fly.layout<(1,2,2):(0,1,2)>) -> !fly.memref<f32, register, (1,2,2):(0,1,2)>
  fly.gemm(%atom, %c, %a, %a, %c) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.memref<f32, register, (1,2,2):(0,1,2)>, !fly.memref<f32, register, (1,2,1):(0,1,0)>, !fly.memref<f32, register, (1,2,1):(0,1,0)>, !fly.memref<f32, register, (1,2,2):(0,1,2)>) -> ()
  return
}
// Inside of structured control flow.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG1:%[a-z0-9_]+]]: index) {
// CHECK-NEXT: [[C8_I32:%[a-z0-9_]+]] = arith.constant 8 : i32
// CHECK-NEXT: [[C3_I32:%[a-z0-9_]+]] = arith.constant 3 : i32
// CHECK-NEXT: [[C0:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[C1:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[ARG2:%[a-z0-9_]+]] = [[C0]] to [[ARG1]] step [[C1]] {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = arith.index_cast [[ARG2]] : index to i32
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.muli [[V0]], [[C8_I32]] : i32
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.addi [[V1]], [[C3_I32]] : i32
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.make_int_tuple([[V2]]) : (i32) -> !fly.int_tuple<?>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = fly.add_offset([[ARG0]], [[V3]]) : (!fly.ptr<f32, global>, !fly.int_tuple<?>) -> !fly.ptr<f32, global>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = fly.ptr.load([[V4]]) : (!fly.ptr<f32, global>) -> f32
// CHECK-NEXT: fly.ptr.store([[V5]], [[V4]]) : (f32, !fly.ptr<f32, global>) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @in_a_loop(%p: !fly.ptr<f32, global>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %layout = fly.static : !fly.layout<(4,8):(8,1)>
  %t = fly.make_view(%p, %layout) : (!fly.ptr<f32, global>, !fly.layout<(4,8):(8,1)>) -> !fly.memref<f32, global, (4,8):(8,1)>
  scf.for %i = %zero to %n step %one {
    %j = arith.index_cast %i : index to i32
    %c = fly.make_int_tuple(%j) : (i32) -> !fly.int_tuple<(?,3)>
    %v = fly.memref.load(%t, %c) : (!fly.memref<f32, global, (4,8):(8,1)>, !fly.int_tuple<(?,3)>) -> f32
    fly.memref.store(%v, %t, %c) : (f32, !fly.memref<f32, global, (4,8):(8,1)>, !fly.int_tuple<(?,3)>) -> ()
  }
  return
}
// On the host, printing calls the C library.
// CHECK-LABEL: func.func @print(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: f32, [[ARG1:%[a-z0-9_]+]]: i32) {
// CHECK: [[V1:%[a-z0-9_]+]] = llvm.alloca {{.*}} x !llvm.array<14 x i8>
// CHECK-NEXT: [[T:%[a-z0-9_]+]] = llvm.mlir.constant(dense<[37, 102, 32, 97, 116, 32, 40, 52, 44, 37, 100, 41, 10, 0]>
// CHECK-NEXT: llvm.store [[T]], [[V1]]
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = arith.extf [[ARG0]] : f32 to f64
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = llvm.call @printf([[V1]], [[V0]], [[ARG1]]) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, f64, i32) -> i32
// CHECK: llvm.call @fflush(
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @print(%x: f32, %i: i32) {
  %t = fly.make_int_tuple(%i) : (i32) -> !fly.int_tuple<(4,?)>
  fly.print(%x, %t) {format = "{} at {}"} : (f32, !fly.int_tuple<(4,?)>) -> ()
  return
}
gpu.module @kernels {
  // In kernels it is an operation of gpu.
  // CHECK-LABEL: gpu.func @print_in_kernel(
  // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: f32) kernel {
  // CHECK-NEXT: [[V0:%[a-z0-9_]+]] = arith.extf [[ARG0]] : f32 to f64
  // CHECK-NEXT: gpu.printf "found [[F:%[a-z0-9_]+]]\0A", [[V0]] : f64
  // CHECK-NEXT: gpu.return
  // CHECK-NEXT: }
  gpu.func @print_in_kernel(%x: f32) kernel {
    fly.print(%x) {format = "found {}"} : (f32) -> ()
    gpu.return
  }
}
