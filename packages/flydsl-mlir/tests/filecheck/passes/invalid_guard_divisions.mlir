// Malformed input is refused before the pass begins.
// RUN: fly-opt %s --guard-divisions --split-input-file --verify-diagnostics

func.func @of_floats(%x: f32) {
  // expected-error@+1 {{'arith.divsi' op operand #0 must be signless-integer-like, but got 'f32'}}
  %y = arith.divsi %x, %x : f32
  return
}
