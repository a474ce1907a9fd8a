// Malformed operations are refused before the pass begins.
// RUN: fly-opt %s --fly-canonicalize --split-input-file --verify-diagnostics

func.func @too_many_leaves(%i: i32) {
  // expected-error@+1 {{the dynamic leaves of !fly.int_tuple<(?,8)> take (i32), found (i32, i32)}}
  %s = fly.make_shape(%i, %i) : (i32, i32) -> !fly.int_tuple<(?,8)>
  return
}

// -----

func.func @leaf_of_other_width(%i: i64) {
  // expected-error@+1 {{the dynamic leaves of !fly.int_tuple<(?,8)> take (i32), found (i64)}}
  %s = fly.make_shape(%i) : (i64) -> !fly.int_tuple<(?,8)>
  return
}
