// Malformed atom calls are refused before the pass begins.
// RUN: fly-opt %s --fly-convert-atom-call-to-ssa-form --split-input-file --verify-diagnostics

func.func @no_place(%a: !fly.copy_atom<!fly.universal_copy<32>, 32>, %p: !fly.ptr<f32, global>, %x: !fly.int_tuple<3>) {
  // expected-error@+1 {{operand 1 of fly.copy_atom_call must be a tensor, found !fly.ptr<f32, global>}}
  fly.copy_atom_call(%a, %p, %x) : (!fly.copy_atom<!fly.universal_copy<32>, 32>, !fly.ptr<f32, global>, !fly.int_tuple<3>) -> ()
  return
}

// -----

func.func @other_atom(%a: !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, %p: !fly.ptr<f32, global>) {
  // expected-error@+1 {{operand 0 of fly.copy_atom_call must be a copy_atom, found !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>}}
  fly.copy_atom_call(%a, %p, %p) : (!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.ptr<f32, global>, !fly.ptr<f32, global>) -> ()
  return
}
