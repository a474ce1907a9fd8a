// Malformed operations are refused before the pass begins.
// RUN: fly-opt %s --fly-canonicalize --split-input-file --verify-diagnostics

func.func @too_many_leaves(%i: i32) {
  // expected-error@+1 {{the dynamic leaves of !fly.int_tuple<(?,8)> take 1 operands, i32 or i64, found (i32, i32)}}
  %s = fly.make_shape(%i, %i) : (i32, i32) -> !fly.int_tuple<(?,8)>
  return
}

// -----

func.func @leaf_of_other_kind(%i: index) {
  // expected-error@+1 {{the dynamic leaves of !fly.int_tuple<(?,8)> take 1 operands, i32 or i64, found (index)}}
  %s = fly.make_shape(%i) : (index) -> !fly.int_tuple<(?,8)>
  return
}
