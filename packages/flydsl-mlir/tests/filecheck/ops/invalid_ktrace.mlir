// Trace annotations of kernels. What is refused.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

func.func @mark_label() {
  // expected-error@+1 {{fly_ktrace.mark needs the attribute 'label'}}
  fly_ktrace.mark() : () -> ()
  return
}

// -----

func.func @mark_payload(%arg0: f32) {
  // expected-error@+1 {{operand 0 of fly_ktrace.mark must be i32 or i64, found f32}}
  fly_ktrace.mark(%arg0) {label = "x"} : (f32) -> ()
  return
}

// -----

func.func @range_push_payloads(%arg0: i32) {
  // expected-error@+1 {{fly_ktrace.range_push takes (payload), found 2 operands}}
  fly_ktrace.range_push(%arg0, %arg0) {label = "x"} : (i32, i32) -> ()
  return
}

// -----

func.func @range_pop_operand(%arg0: i32) {
  // expected-error@+1 {{fly_ktrace.range_pop takes (), found 1 operands}}
  fly_ktrace.range_pop(%arg0) : (i32) -> ()
  return
}

// -----

func.func @range_start_result() {
  // expected-error@+1 {{the result of fly_ktrace.range_start must be a token, found i64}}
  %t = fly_ktrace.range_start() {label = "x"} : () -> i64
  return
}

// -----

func.func @range_stop_operand(%arg0: i64) {
  // expected-error@+1 {{operand 0 of fly_ktrace.range_stop must be a token, found i64}}
  fly_ktrace.range_stop(%arg0) : (i64) -> ()
  return
}

// -----

func.func @inactive_token_result() {
  // expected-error@+1 {{the result of fly_ktrace.inactive_token must be a token, found i32}}
  %t = fly_ktrace.inactive_token() : () -> i32
  return
}
