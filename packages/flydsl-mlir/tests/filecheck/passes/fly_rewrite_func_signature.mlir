// What crosses function boundaries: static values vanish, dynamic leaves travel in packed structs.
// RUN: fly-opt %s --fly-rewrite-func-signature | filecheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // A tensor is a pointer, and a struct of the dynamic leaves of its layout.
    // CHECK-LABEL: gpu.func @tensor(
    // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG1:%[a-z0-9_]+]]: !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>, [[ARG2:%[a-z0-9_]+]]: i32) kernel {
    // CHECK-NEXT: [[V0:%[a-z0-9_]+]] = llvm.extractvalue [[ARG1]][0] : !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>
    // CHECK-NEXT: [[V1:%[a-z0-9_]+]] = llvm.extractvalue [[V0]][0] : !llvm.struct<packed (i32, i32)>
    // CHECK-NEXT: [[V2:%[a-z0-9_]+]] = llvm.extractvalue [[V0]][1] : !llvm.struct<packed (i32, i32)>
    // CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.make_int_tuple([[V1]], [[V2]]) : (i32, i32) -> !fly.int_tuple<(?,?)>
    // CHECK-NEXT: [[V4:%[a-z0-9_]+]] = llvm.extractvalue [[ARG1]][1] : !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>
    // CHECK-NEXT: [[V5:%[a-z0-9_]+]] = llvm.extractvalue [[V4]][0] : !llvm.struct<packed (i64)>
    // CHECK-NEXT: [[V6:%[a-z0-9_]+]] = fly.make_int_tuple([[V5]]) : (i64) -> !fly.int_tuple<(?{i64},1)>
    // CHECK-NEXT: [[V7:%[a-z0-9_]+]] = fly.make_layout([[V3]], [[V6]]) : (!fly.int_tuple<(?,?)>, !fly.int_tuple<(?{i64},1)>) -> !fly.layout<(?,?):(?{i64},1)>
    // CHECK-NEXT: [[V8:%[a-z0-9_]+]] = fly.make_view([[ARG0]], [[V7]]) : (!fly.ptr<f32, global>, !fly.layout<(?,?):(?{i64},1)>) -> !fly.memref<f32, global, (?,?):(?{i64},1)>
    // CHECK-NEXT: [[V9:%[a-z0-9_]+]] = fly.make_int_tuple([[ARG2]], [[ARG2]]) : (i32, i32) -> !fly.int_tuple<(?,?)>
    // CHECK-NEXT: [[V10:%[a-z0-9_]+]] = fly.memref.load([[V8]], [[V9]]) : (!fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,?)>) -> f32
    // CHECK-NEXT: fly.memref.store([[V10]], [[V8]], [[V9]]) : (f32, !fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,?)>) -> ()
    // CHECK-NEXT: gpu.return
    // CHECK-NEXT: }
    gpu.func @tensor(%t: !fly.memref<f32, global, (?,?):(?{i64},1)>, %i: i32) kernel {
      %c = fly.make_int_tuple(%i, %i) : (i32, i32) -> !fly.int_tuple<(?,?)>
      %v = fly.memref.load(%t, %c) : (!fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,?)>) -> f32
      fly.memref.store(%v, %t, %c) : (f32, !fly.memref<f32, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,?)>) -> ()
      gpu.return
    }
    // Static values are made again in the body.
    // CHECK-LABEL: gpu.func @static(
    // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, global>) kernel {
    // CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.static : !fly.layout<(4,8):(1,4)>
    // CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.static : !fly.copy_atom<!fly.universal_copy<128>, 32>
    // CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.static : !fly.layout<8:1>
    // CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.make_view([[ARG0]], [[V2]]) : (!fly.ptr<f32, global>, !fly.layout<8:1>) -> !fly.memref<f32, global, 8:1>
    // CHECK-NEXT: [[V4:%[a-z0-9_]+]] = fly.size([[V0]]) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<32>
    // CHECK-NEXT: [[V5:%[a-z0-9_]+]] = fly.get_iter([[V3]]) : (!fly.memref<f32, global, 8:1>) -> !fly.ptr<f32, global>
    // CHECK-NEXT: [[V6:%[a-z0-9_]+]] = fly.ptr.load([[V5]]) : (!fly.ptr<f32, global>) -> f32
    // CHECK-NEXT: fly.ptr.store([[V6]], [[V5]]) : (f32, !fly.ptr<f32, global>) -> ()
    // CHECK-NEXT: gpu.return
    // CHECK-NEXT: }
    gpu.func @static(%s: !fly.layout<(4,8):(1,4)>, %a: !fly.copy_atom<!fly.universal_copy<128>, 32>, %m: !fly.memref<f32, global, 8:1>) kernel {
      %n = fly.size(%s) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<32>
      %p = fly.get_iter(%m) : (!fly.memref<f32, global, 8:1>) -> !fly.ptr<f32, global>
      %v = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32
      fly.ptr.store(%v, %p) : (f32, !fly.ptr<f32, global>) -> ()
      gpu.return
    }
  }
  // A launch passes what the kernel takes.
  // CHECK-LABEL: func.func @launch(
  // CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG1:%[a-z0-9_]+]]: !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>, [[ARG2:%[a-z0-9_]+]]: i32, [[ARG3:%[a-z0-9_]+]]: !gpu.async.token) {
  // CHECK-NEXT: [[V0:%[a-z0-9_]+]] = llvm.extractvalue [[ARG1]][0] : !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>
  // CHECK-NEXT: [[V1:%[a-z0-9_]+]] = llvm.extractvalue [[V0]][0] : !llvm.struct<packed (i32, i32)>
  // CHECK-NEXT: [[V2:%[a-z0-9_]+]] = llvm.extractvalue [[V0]][1] : !llvm.struct<packed (i32, i32)>
  // CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.make_int_tuple([[V1]], [[V2]]) : (i32, i32) -> !fly.int_tuple<(?,?)>
  // CHECK-NEXT: [[V4:%[a-z0-9_]+]] = llvm.extractvalue [[ARG1]][1] : !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>
  // CHECK-NEXT: [[V5:%[a-z0-9_]+]] = llvm.extractvalue [[V4]][0] : !llvm.struct<packed (i64)>
  // CHECK-NEXT: [[V6:%[a-z0-9_]+]] = fly.make_int_tuple([[V5]]) : (i64) -> !fly.int_tuple<(?{i64},1)>
  // CHECK-NEXT: [[V7:%[a-z0-9_]+]] = fly.make_layout([[V3]], [[V6]]) : (!fly.int_tuple<(?,?)>, !fly.int_tuple<(?{i64},1)>) -> !fly.layout<(?,?):(?{i64},1)>
  // CHECK-NEXT: [[V8:%[a-z0-9_]+]] = fly.make_view([[ARG0]], [[V7]]) : (!fly.ptr<f32, global>, !fly.layout<(?,?):(?{i64},1)>) -> !fly.memref<f32, global, (?,?):(?{i64},1)>
  // CHECK-NEXT: [[C1:%[a-z0-9_]+]] = arith.constant 1 : index
  // CHECK-NEXT: [[V9:%[a-z0-9_]+]] = gpu.launch_func async [[[ARG3]]] @kernels::@tensor blocks in ([[C1]], [[C1]], [[C1]]) threads in ([[C1]], [[C1]], [[C1]])  args([[ARG0]] : !fly.ptr<f32, global>, [[ARG1]] : !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>, [[ARG2]] : i32)
  // CHECK-NEXT: return
  // CHECK-NEXT: }
  func.func @launch(%t: !fly.memref<f32, global, (?,?):(?{i64},1)>, %i: i32, %token: !gpu.async.token) {
    %one = arith.constant 1 : index
    %0 = gpu.launch_func async [%token] @kernels::@tensor blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%t : !fly.memref<f32, global, (?,?):(?{i64},1)>, %i : i32)
    return
  }
}
// Tuples and layouts, through calls and results.
// CHECK-LABEL: func.func @callee(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !llvm.struct<packed (i32)>, [[ARG1:%[a-z0-9_]+]]: !llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>) -> !llvm.struct<packed (i32)> {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = llvm.extractvalue [[ARG0]][0] : !llvm.struct<packed (i32)>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_int_tuple([[V0]]) : (i32) -> !fly.int_tuple<(4,?)>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = llvm.extractvalue [[ARG1]][0] : !llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = llvm.extractvalue [[V2]][0] : !llvm.struct<packed (i32)>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = fly.make_int_tuple([[V3]]) : (i32) -> !fly.int_tuple<(?,8)>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = llvm.extractvalue [[ARG1]][1] : !llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = llvm.extractvalue [[V5]][0] : !llvm.struct<packed (i64)>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = fly.make_int_tuple([[V6]]) : (i64) -> !fly.int_tuple<(1,?{i64})>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = fly.make_layout([[V4]], [[V7]]) : (!fly.int_tuple<(?,8)>, !fly.int_tuple<(1,?{i64})>) -> !fly.layout<(?,8):(1,?{i64})>
// CHECK-NEXT: return [[ARG0]] : !llvm.struct<packed (i32)>
// CHECK-NEXT: }
func.func @callee(%t: !fly.int_tuple<(4,?)>, %l: !fly.layout<(?,8):(1,?{i64})>) -> !fly.int_tuple<(4,?)> {
  return %t : !fly.int_tuple<(4,?)>
}
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !llvm.struct<packed (i32)>, [[ARG1:%[a-z0-9_]+]]: !llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>) -> !llvm.struct<packed (i32)> {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = llvm.extractvalue [[ARG0]][0] : !llvm.struct<packed (i32)>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_int_tuple([[V0]]) : (i32) -> !fly.int_tuple<(4,?)>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = llvm.extractvalue [[ARG1]][0] : !llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = llvm.extractvalue [[V2]][0] : !llvm.struct<packed (i32)>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = fly.make_int_tuple([[V3]]) : (i32) -> !fly.int_tuple<(?,8)>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = llvm.extractvalue [[ARG1]][1] : !llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = llvm.extractvalue [[V5]][0] : !llvm.struct<packed (i64)>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = fly.make_int_tuple([[V6]]) : (i64) -> !fly.int_tuple<(1,?{i64})>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = fly.make_layout([[V4]], [[V7]]) : (!fly.int_tuple<(?,8)>, !fly.int_tuple<(1,?{i64})>) -> !fly.layout<(?,8):(1,?{i64})>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = call @callee([[ARG0]], [[ARG1]]) : (!llvm.struct<packed (i32)>, !llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>) -> !llvm.struct<packed (i32)>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = llvm.extractvalue [[V9]][0] : !llvm.struct<packed (i32)>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = fly.make_int_tuple([[V10]]) : (i32) -> !fly.int_tuple<(4,?)>
// CHECK-NEXT: return [[V9]] : !llvm.struct<packed (i32)>
// CHECK-NEXT: }
func.func @caller(%t: !fly.int_tuple<(4,?)>, %l: !fly.layout<(?,8):(1,?{i64})>) -> !fly.int_tuple<(4,?)> {
  %r = func.call @callee(%t, %l) : (!fly.int_tuple<(4,?)>, !fly.layout<(?,8):(1,?{i64})>) -> !fly.int_tuple<(4,?)>
  return %r : !fly.int_tuple<(4,?)>
}
// A tensor that a loop carries.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: [[ARG0:%[a-z0-9_]+]]: !fly.ptr<f32, global>, [[ARG1:%[a-z0-9_]+]]: index) -> f32 {
// CHECK-NEXT: [[V0:%[a-z0-9_]+]] = fly.static : !fly.layout<64:1>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = fly.make_view([[ARG0]], [[V0]]) : (!fly.ptr<f32, global>, !fly.layout<64:1>) -> !fly.memref<f32, global, 64:1>
// CHECK-NEXT: [[C0:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[C1:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = fly.make_int_tuple() : () -> !fly.int_tuple<8>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = fly.get_layout([[V1]]) : (!fly.memref<f32, global, 64:1>) -> !fly.layout<64:1>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = fly.get_iter([[V1]]) : (!fly.memref<f32, global, 64:1>) -> !fly.ptr<f32, global>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = scf.for [[ARG2:%[a-z0-9_]+]] = [[C0]] to [[ARG1]] step [[C1]] iter_args([[ARG3:%[a-z0-9_]+]] = [[V4]]) -> (!fly.ptr<f32, global>) {
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = fly.static : !fly.layout<64:1>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = fly.make_view([[ARG3]], [[V9]]) : (!fly.ptr<f32, global>, !fly.layout<64:1>) -> !fly.memref<f32, global, 64:1>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = fly.get_iter([[V10]]) : (!fly.memref<f32, global, 64:1>) -> !fly.ptr<f32, global>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = fly.add_offset([[V11]], [[V2]]) : (!fly.ptr<f32, global>, !fly.int_tuple<8>) -> !fly.ptr<f32, global>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = fly.static : !fly.layout<64:1>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = fly.make_view([[V12]], [[V13]]) : (!fly.ptr<f32, global>, !fly.layout<64:1>) -> !fly.memref<f32, global, 64:1>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = fly.get_layout([[V14]]) : (!fly.memref<f32, global, 64:1>) -> !fly.layout<64:1>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = fly.get_iter([[V14]]) : (!fly.memref<f32, global, 64:1>) -> !fly.ptr<f32, global>
// CHECK-NEXT: scf.yield [[V16]] : !fly.ptr<f32, global>
// CHECK-NEXT: }
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = fly.static : !fly.layout<64:1>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = fly.make_view([[V5]], [[V6]]) : (!fly.ptr<f32, global>, !fly.layout<64:1>) -> !fly.memref<f32, global, 64:1>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = fly.memref.load([[V7]], [[V2]]) : (!fly.memref<f32, global, 64:1>, !fly.int_tuple<8>) -> f32
// CHECK-NEXT: return [[V8]] : f32
// CHECK-NEXT: }
func.func @loop(%t: !fly.memref<f32, global, 64:1>, %n: index) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %step = fly.make_int_tuple() : () -> !fly.int_tuple<8>
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %t) -> !fly.memref<f32, global, 64:1> {
    %it = fly.get_iter(%p) : (!fly.memref<f32, global, 64:1>) -> !fly.ptr<f32, global>
    %next = fly.add_offset(%it, %step) : (!fly.ptr<f32, global>, !fly.int_tuple<8>) -> !fly.ptr<f32, global>
    %l = fly.static : !fly.layout<64:1>
    %q = fly.make_view(%next, %l) : (!fly.ptr<f32, global>, !fly.layout<64:1>) -> !fly.memref<f32, global, 64:1>
    scf.yield %q : !fly.memref<f32, global, 64:1>
  }
  %v = fly.memref.load(%r, %step) : (!fly.memref<f32, global, 64:1>, !fly.int_tuple<8>) -> f32
  return %v : f32
}
