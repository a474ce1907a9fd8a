// Malformed input is refused before the pass begins.
// RUN: fly-opt %s --expand-math --split-input-file --verify-diagnostics

func.func @of_an_integer(%x: i32) {
  // expected-error@+1 {{'math.exp' op operand #0 must be floating-point-like, but got 'i32'}}
  %y = math.exp %x : i32
  return
}
