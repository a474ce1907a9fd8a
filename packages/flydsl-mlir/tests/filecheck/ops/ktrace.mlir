// Trace annotations of kernels.
// RUN: fly-opt %s | filecheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | filecheck %s

// CHECK-LABEL: func.func @mark(
// CHECK: fly_ktrace.mark(%arg0) {label = "tile loaded"} : (i32) -> ()
func.func @mark(%arg0: i32) {
  fly_ktrace.mark(%arg0) {label = "tile loaded"} : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @nested_ranges(
// CHECK: fly_ktrace.range_push() {label = "main loop"} : () -> ()
// CHECK: fly_ktrace.range_pop() : () -> ()
func.func @nested_ranges() {
  fly_ktrace.range_push() {label = "main loop"} : () -> ()
  fly_ktrace.range_pop() : () -> ()
  return
}

// CHECK-LABEL: func.func @range_by_token(
// CHECK: [[T:%[a-z0-9_]+]] = fly_ktrace.range_start(%arg0) {label = "copy"} : (i64) -> !fly_ktrace.token
// CHECK: fly_ktrace.range_stop([[T]]) : (!fly_ktrace.token) -> ()
// CHECK: [[N:%[a-z0-9_]+]] = fly_ktrace.inactive_token() : () -> !fly_ktrace.token
// CHECK: fly_ktrace.range_stop([[N]]) : (!fly_ktrace.token) -> ()
func.func @range_by_token(%arg0: i64) {
  %t = fly_ktrace.range_start(%arg0) {label = "copy"} : (i64) -> !fly_ktrace.token
  fly_ktrace.range_stop(%t) : (!fly_ktrace.token) -> ()
  %n = fly_ktrace.inactive_token() : () -> !fly_ktrace.token
  fly_ktrace.range_stop(%n) : (!fly_ktrace.token) -> ()
  return
}
