// Malformed input is refused before the pass begins.
// RUN: fly-opt %s --canonicalize --split-input-file --verify-diagnostics

func.func @not_defined(%p: !fly.ptr<f32, global>) {
  %y = arith.addi %x, %x : i32
  return
}
  // expected-error@+1 {{values used but not defined: [%x]}}

// -----

func.func @types_differ(%p: !fly.ptr<f32, global>, %i: i32) {
  // expected-error@+1 {{operand is used with type i64, but has been previously used or defined with type i32}}
  %y = arith.addi %i, %i : i64
  return
}
