// Every upstream operation that lowering emits, in generic form.
"builtin.module"() ({
 "gpu.module"() <{sym_name = "kernels"}> ({
  "llvm.mlir.global"() <{addr_space = 3 : i32, global_type = !llvm.array<0 x i8>, linkage = #llvm.linkage<external>, sym_name = "smem", alignment = 1024 : i64, dso_local, visibility_ = 0 : i64}> ({}) : () -> ()
  "gpu.func"() <{function_type = (!llvm.ptr<1>, i32, f32, vector<4xf32>, !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>) -> ()}> ({
    ^bb0(%p: !llvm.ptr<1>, %i: i32, %f: f32, %v: vector<4xf32>, %s: !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>):
      %tid = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %bid = "gpu.block_id"() <{dimension = #gpu<dim y>}> : () -> index
      %bd = "gpu.block_dim"() <{dimension = #gpu<dim z>}> : () -> index
      %lane = "gpu.lane_id"() : () -> index
      "gpu.barrier"() : () -> ()
      %ic = "arith.index_cast"(%tid) : (index) -> i32
      %o = "arith.addi"(%i, %ic) <{overflowFlags = #arith.overflow<nsw>}> : (i32,i32)->i32
      %o2 = "arith.addi"(%i, %o) : (i32,i32)->i32
      %c = "arith.constant"() <{value = dense<1.5> : vector<4xf32>}> : () -> vector<4xf32>
      %cf = "arith.constant"() <{value = 1.0e-7 : bf16}> : () -> bf16
      %f8 = "arith.truncf"(%f) : (f32) -> f8E4M3FNUZ
      %f4 = "arith.truncf"(%f) : (f32) -> f4E2M1FN
      %nan = "arith.constant"() <{value = 0x7FC00000 : f32}> : () -> f32
      %ci1 = "arith.constant"() <{value = true}> : () -> i1
      %cmp = "arith.cmpi"(%i, %o) <{predicate = 2 : i64}> : (i32, i32) -> i1
      %cmpf = "arith.cmpf"(%f, %nan) <{predicate = 4 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
      %sel = "arith.select"(%cmp, %f, %nan) : (i1, f32, f32) -> f32
      %add = "arith.addf"(%f, %sel) <{fastmath = #arith.fastmath<contract,nnan>}> : (f32,f32) -> f32
      %maxf = "arith.maxnumf"(%f, %sel) <{fastmath = #arith.fastmath<fast>}> : (f32,f32) -> f32
      %cd = "arith.ceildivsi"(%i, %o) : (i32,i32) -> i32
      %ucast = "arith.index_castui"(%i) : (i32) -> index
      %ex = "vector.extract"(%v) <{static_position = array<i64: 1>}> : (vector<4xf32>) -> f32
      %exd = "vector.extract"(%v, %tid) <{static_position = array<i64: -9223372036854775808>}> : (vector<4xf32>, index) -> f32
      %ins = "vector.insert"(%f, %v) <{static_position = array<i64: 2>}> : (f32, vector<4xf32>) -> vector<4xf32>
      %es = "vector.extract_strided_slice"(%v) <{offsets = [2], sizes = [2], strides = [1]}> : (vector<4xf32>) -> vector<2xf32>
      %is = "vector.insert_strided_slice"(%es, %v) <{offsets = [0], strides = [1]}> : (vector<2xf32>, vector<4xf32>) -> vector<4xf32>
      %sh = "vector.shuffle"(%v, %is) <{mask = array<i64: 0, 4, 1, 5>}> : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
      %red = "vector.reduction"(%v) <{kind = #vector.kind<add>, fastmath = #arith.fastmath<none>}> : (vector<4xf32>) -> f32
      %bc = "vector.bitcast"(%v) : (vector<4xf32>) -> vector<4xi32>
      %fe = "vector.from_elements"(%f, %red) : (f32, f32) -> vector<2xf32>
      %te:2 = "vector.to_elements"(%fe) : (vector<2xf32>) -> (f32, f32)
      %br = "vector.broadcast"(%f) : (f32) -> vector<4xf32>
      %vf = "vector.fma"(%br, %v, %is) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
      %sc = "vector.shape_cast"(%v) : (vector<4xf32>) -> vector<2x2xf32>
      %tr = "vector.transpose"(%sc) <{permutation = array<i64: 1, 0>}> : (vector<2x2xf32>) -> vector<2x2xf32>
      %po = "ub.poison"() : () -> vector<4xf32>
      %m1 = "math.exp2"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %m2 = "math.rsqrt"(%v) : (vector<4xf32>) -> vector<4xf32>
      %m3 = "math.fma"(%f, %m1, %red) : (f32, f32, f32) -> f32
      %m4 = "math.clampf"(%f, %m1, %red) : (f32, f32, f32) -> f32
      %m5 = "math.isnan"(%f) : (f32) -> i1
      %m6 = "math.ctpop"(%i) : (i32) -> i32
      %shf:2 = "gpu.shuffle"(%f, %i, %o) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
      "gpu.printf"(%i) <{format = "x %d\0A"}> : (i32) -> ()
      %one = "llvm.mlir.constant"() <{value = 1 : i32}> : () -> i32
      %al = "llvm.alloca"(%one) <{elem_type = vector<4xf32>, alignment = 16 : i64}> : (i32) -> !llvm.ptr<5>
      %ld = "llvm.load"(%p) <{ordering = 0 : i64, alignment = 4 : i64}> : (!llvm.ptr<1>) -> f32
      "llvm.store"(%f, %p) <{ordering = 0 : i64, alignment = 4 : i64}> : (f32, !llvm.ptr<1>) -> ()
      %gep = "llvm.getelementptr"(%p, %i) <{elem_type = f32, rawConstantIndices = array<i32: -2147483648>, noWrapFlags = 0 : i32}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
      %gep2 = "llvm.getelementptr"(%p) <{elem_type = f32, rawConstantIndices = array<i32: 4>, noWrapFlags = 0 : i32}> : (!llvm.ptr<1>) -> !llvm.ptr<1>
      %ad = "llvm.mlir.addressof"() <{global_name = @smem}> : () -> !llvm.ptr<3>
      %ev = "llvm.extractvalue"(%s) <{position = array<i64: 0, 1>}> : (!llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>) -> i32
      %iv = "llvm.insertvalue"(%s, %i) <{position = array<i64: 0, 1>}> : (!llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>, i32) -> !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>
      %ar = "llvm.atomicrmw"(%p, %f) <{bin_op = 11 : i64, ordering = 2 : i64, syncscope = "agent"}> : (!llvm.ptr<1>, f32) -> f32
      "llvm.fence"() <{ordering = 7 : i64, syncscope = "agent"}> : () -> ()
      %pi = "llvm.ptrtoint"(%p) : (!llvm.ptr<1>) -> i64
      %ip = "llvm.inttoptr"(%pi) : (i64) -> !llvm.ptr<1>
      %ac = "llvm.addrspacecast"(%p) : (!llvm.ptr<1>) -> !llvm.ptr
      %z = "llvm.mlir.zero"() : () -> !llvm.struct<(i32, ptr<8>)>
      %u = "llvm.mlir.undef"() : () -> !llvm.struct<(i32, ptr<8>)>
      %u2 = "llvm.mlir.poison"() : () -> !llvm.struct<()>
      %ci = "llvm.call_intrinsic"(%f) <{intrin = "llvm.exp2", operandSegmentSizes = array<i32: 1, 0>, op_bundle_sizes = array<i32>, fastmathFlags = #llvm.fastmath<none>}> : (f32) -> f32
      %c0 = "arith.constant"() <{value = 0 : index}> : () -> index
      %c1 = "arith.constant"() <{value = 1 : index}> : () -> index
      %loop = "scf.for"(%c0, %tid, %c1, %v) ({
        ^bb1(%k: index, %acc: vector<4xf32>):
          %n = "arith.addf"(%acc, %v) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
          "scf.yield"(%n) : (vector<4xf32>) -> ()
      }) : (index, index, index, vector<4xf32>) -> vector<4xf32>
      %if = "scf.if"(%cmp) ({
        "scf.yield"(%f) : (f32) -> ()
      }, {
        "scf.yield"(%ld) : (f32) -> ()
      }) : (i1) -> f32
      %w = "scf.while"(%i) ({
        ^bb2(%x: i32):
        "scf.condition"(%cmp, %x) : (i1, i32) -> ()
      }, {
        ^bb3(%x2: i32):
        "scf.yield"(%x2) : (i32) -> ()
      }) : (i32) -> i32
      "cf.cond_br"(%cmp)[^bb5, ^bb6] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
    ^bb5:
      "cf.br"()[^bb6] : () -> ()
    ^bb6:
      "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.kernel, gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
 }) : () -> ()
 "func.func"() <{function_type = (!llvm.ptr<1>, i32, f32, vector<4xf32>, !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>, !gpu.async.token) -> (), sym_name = "host"}> ({
   ^bb0(%p: !llvm.ptr<1>, %i: i32, %f: f32, %v: vector<4xf32>, %s: !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>, %st: !gpu.async.token):
     %c1 = "arith.constant"() <{value = 1 : index}> : () -> index
     %c0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
     %t = "gpu.launch_func"(%st, %c1, %c1, %c1, %c1, %c1, %c1, %c0, %p, %i, %f, %v, %s) <{kernel = @kernels::@k, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 5, 0>}> : (!gpu.async.token, index, index, index, index, index, index, i32, !llvm.ptr<1>, i32, f32, vector<4xf32>, !llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>) -> !gpu.async.token
     "func.return"() : () -> ()
 }) : () -> ()
}) {gpu.container_module} : () -> ()
