// A trace buffer that cannot be written to.
// RUN: fly-opt %s --convert-fly-ktrace --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error@+1 {{fly_ktrace.buffer must be the number of one of 1 arguments, found 3}}
  gpu.func @no_argument(%x: i32) kernel attributes {fly_ktrace.buffer = 3 : i64} {
    fly_ktrace.mark(%x) {label = "begin"} : (i32) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{fly_ktrace.buffer = 0 must name a pointer to i64 in global memory, found i32}}
  gpu.func @no_pointer(%x: i32) kernel attributes {fly_ktrace.buffer = 0 : i64} {
    fly_ktrace.mark(%x) {label = "begin"} : (i32) -> ()
    gpu.return
  }
}
