// Malformed input is refused before the pass begins.
// RUN: fly-opt %s --cse --split-input-file --verify-diagnostics

func.func @defined_twice(%p: !fly.ptr<f32, global>) {
  %x = fly.static : !fly.layout<4:1>
  // expected-error@+1 {{SSA value %x is already defined}}
  %x = fly.static : !fly.layout<4:1>
  return
}
