// What gfx950 adds.
#include "kernel.h"
#define VECTOR(NAME, TYPE, N) typedef TYPE NAME __attribute__((ext_vector_type(N)))
VECTOR(h8, f16, 8);
VECTOR(f4, f32, 4);
VECTOR(i8s, i32, 8);
VECTOR(s4, i16, 4);
KERNEL f32_16x16x32_f16(h8 *a, h8 *b, f4 *c) {
  c[THREAD] = __builtin_amdgcn_mfma_f32_16x16x32_f16(a[THREAD], b[THREAD], c[THREAD], 0, 0, 0);
}
KERNEL scaled(i8s *a, i8s *b, f4 *c, i32 *sa, i32 *sb) {
  c[THREAD] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[THREAD], b[THREAD], c[THREAD], 0, 0, 0, sa[THREAD], 0, sb[THREAD]);
}
KERNEL fp4(i8s *a, i8s *b, f4 *c) {
  c[THREAD] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[THREAD], b[THREAD], c[THREAD], 4, 4, 0, 127, 0, 127);
}
LDS s4 tile[64];
KERNEL transposed(s4 *a, s4 *c) {
  tile[THREAD] = a[THREAD];
  BARRIER;
  c[THREAD] = __builtin_amdgcn_ds_read_tr16_b64_v4i16((__attribute__((address_space(3))) s4 *)tile + THREAD);
}
KERNEL swapped(u32 *a, u32 *c) {
  u32 __attribute__((ext_vector_type(2))) r = __builtin_amdgcn_permlane32_swap(a[THREAD], a[64 + THREAD], 0, 0);
  c[THREAD] = r.x;
  c[64 + THREAD] = r.y;
}
KERNEL three(u32 *a, u32 *b, u32 *c) { c[THREAD] = (a[THREAD] ^ b[THREAD]) | (~a[THREAD] & c[THREAD]); }
