// What cannot cross a function boundary.
// RUN: fly-opt %s --fly-rewrite-func-signature --split-input-file --verify-diagnostics

// expected-error@+1 {{func.func: Fly values cannot be arguments of branch targets: use structured control flow}}
func.func @branch_target(%t: !fly.int_tuple<(?,4)>) {
  cf.br ^next(%t : !fly.int_tuple<(?,4)>)
^next(%u: !fly.int_tuple<(?,4)>):
  return
}

// -----

// expected-error@+1 {{func.func: !fly.tile<[?|4]> cannot be passed to a function: a tile must be static there}}
func.func @dynamic_tile(%t: !fly.tile<[?|4]>) {
  fly.print(%t) : (!fly.tile<[?|4]>) -> ()
  return
}
