// Every type converted to every other.
#include "kernel.h"
#define CONVERT(FROM, TO) \
  KERNEL FROM##_##TO(FROM *a, TO *c) { c[THREAD] = (TO)a[THREAD]; }
#define TO_ALL(FROM) \
  CONVERT(FROM, u8) CONVERT(FROM, i8) CONVERT(FROM, u16) CONVERT(FROM, i16) CONVERT(FROM, u32) CONVERT(FROM, i32) \
  CONVERT(FROM, u64) CONVERT(FROM, i64) CONVERT(FROM, f16) CONVERT(FROM, f32) CONVERT(FROM, f64)
TO_ALL(u8) TO_ALL(i8) TO_ALL(u16) TO_ALL(i16) TO_ALL(u32) TO_ALL(i32) TO_ALL(u64) TO_ALL(i64) TO_ALL(f16) TO_ALL(f32) TO_ALL(f64)
KERNEL round_bf16(f32 *a, bf16 *c) { c[THREAD] = (bf16)a[THREAD]; }
KERNEL widen_bf16(bf16 *a, f32 *c) { c[THREAD] = (f32)a[THREAD]; }
