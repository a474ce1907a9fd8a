// Elementary functions of f32 become arithmetic; f64 is left to a library.
// RUN: fly-opt %s --expand-math | filecheck %s

// CHECK-LABEL: func.func @narrow(
// CHECK-NOT: math.exp2
// CHECK: math.roundeven
// CHECK: return %{{.*}} : f32
func.func @narrow(%x: f32) -> f32 {
  %y = math.exp2 %x : f32
  return %y : f32
}
// CHECK-LABEL: func.func @wide(
// CHECK-NEXT: math.exp %{{.*}} : f64
func.func @wide(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}
