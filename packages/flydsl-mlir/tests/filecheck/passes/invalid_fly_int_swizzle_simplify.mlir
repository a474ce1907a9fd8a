// Malformed swizzles are refused before the pass begins.
// RUN: fly-opt %s --fly-int-swizzle-simplify --split-input-file --verify-diagnostics

func.func @types_differ(%x: i32, %y: i64) {
  // expected-error@+1 {{'arith.xori' op requires the same type for all operands and results}}
  %r = "arith.xori"(%x, %y) : (i32, i64) -> i32
  return
}
