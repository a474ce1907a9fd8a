// Register accesses that make no sense.
// RUN: fly-opt %s --fly-promote-regmem-to-vectorssa --split-input-file --verify-diagnostics

func.func @no_size(%x: f32) {
  // expected-error@+1 {{fly.make_ptr: a register allocation needs a positive allocSize, found {allocSize = 0 : i64}}}
  %r = fly.make_ptr() {dictAttrs = {allocSize = 0 : i64}} : () -> !fly.ptr<f32, register>
  fly.ptr.store(%x, %r) : (f32, !fly.ptr<f32, register>) -> ()
  return
}
