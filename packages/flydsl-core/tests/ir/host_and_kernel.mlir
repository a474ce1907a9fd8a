// A kernel and its launches, in MLIR's own syntax.
builtin.module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%p: !llvm.ptr<1>, %n: i32) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id y
      %bd = gpu.block_dim z
      %gd = gpu.grid_dim x
      gpu.barrier
      gpu.return
    }
    gpu.func @helper(%n: i32) -> (i32) {
      gpu.return %n : i32
    }
  }
  func.func @host(%p: !llvm.ptr<1>, %n: i32, %s: !gpu.async.token) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 1024 : i32
    %t = gpu.launch_func async [%s] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) dynamic_shared_memory_size %bytes args(%p : !llvm.ptr<1>, %n : i32)
    gpu.launch_func @kernels::@scale clusters in (%c1, %c1, %c1) blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%p : !llvm.ptr<1>, %n : i32)
    func.return
  }
}
