// Functions of the device libraries: c = f(a) or f(a, b).
#include "kernel.h"
#define ONE(NAME, TYPE, SUFFIX) \
  TYPE __ocml_##NAME##_##SUFFIX(TYPE); \
  KERNEL NAME##_##SUFFIX(TYPE *a, TYPE *c) { c[__builtin_amdgcn_workgroup_id_x() * 64 + THREAD] = __ocml_##NAME##_##SUFFIX(a[__builtin_amdgcn_workgroup_id_x() * 64 + THREAD]); }
#define BOTH(NAME) ONE(NAME, f32, f32) ONE(NAME, f64, f64)
BOTH(exp) BOTH(exp2) BOTH(log) BOTH(log2) BOTH(sin) BOTH(cos) BOTH(tan) BOTH(tanh) BOTH(sinh) BOTH(asin) BOTH(atan) BOTH(erf) BOTH(rsqrt) BOTH(cbrt) BOTH(expm1) BOTH(log1p)
