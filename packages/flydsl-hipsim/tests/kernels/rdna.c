// What only RDNA has: lanes of rows, dual instructions, half registers, scalar floats, clocks, and on gfx12 8-bit floats.
#include "kernel.h"
#define OLD 0xdeadu
typedef f16 h2 __attribute__((ext_vector_type(2)));
typedef i16 s2 __attribute__((ext_vector_type(2)));

KERNEL rows(u32 *a, u32 *c) {
  u32 i = THREAD, x = a[i];
  c += i * 9;
  c[0] = __builtin_amdgcn_permlane16(OLD, x, 0x76543210, 0x01234567, 0, 0);
  c[1] = __builtin_amdgcn_permlanex16(OLD, x, 0xfedcba98, 0x89abcdef, 0, 0);
  c[2] = __builtin_amdgcn_mov_dpp8(x, 0x53977); // eight lanes turned over
  c[3] = __builtin_amdgcn_update_dpp(OLD, x, 0x153, 15, 15, 0);  // row_share:3
  c[4] = __builtin_amdgcn_update_dpp(OLD, x, 0x165, 15, 15, 0);  // row_xmask:5
  c[5] = __builtin_amdgcn_update_dpp(OLD, x, 0x141, 15, 15, 0);  // row_half_mirror
  c[6] = __builtin_amdgcn_update_dpp(OLD, x, 0x111, 5, 15, 0);   // row_shr:1, two of four rows
  c[7] = OLD;
  c[8] = OLD;
  if (i & 1) {
    c[7] = __builtin_amdgcn_permlane16(OLD, x, 0, 0, 0, 1);      // lane 0 is off: 0
    c[8] = __builtin_amdgcn_permlane16(OLD, x, 0, 0, 1, 0);      // it is read all the same
  }
}
KERNEL permutes(u32 *a, u32 *c) {
  u32 i = THREAD;
  c[i * 2] = __builtin_amdgcn_ds_bpermute((i + 40) * 4, a[i]);
  c[i * 2 + 1] = __builtin_amdgcn_ds_permute((i + 40) * 4, a[i]);
}
#ifndef WAVE_64
KERNEL dual(f32 *a, f32 *b, f32 *c) { // the halves read what the other one writes
  f32 x = a[THREAD], y = b[THREAD], s, t;
  __asm__ volatile("v_mov_b32 v4, %2\n\tv_mov_b32 v5, %3\n\tv_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v5, v4\n\t"
                   "v_dual_add_f32 v4, v4, v5 :: v_dual_mul_f32 v5, v5, v4\n\tv_mov_b32 %0, v4\n\tv_mov_b32 %1, v5"
                   : "=v"(s), "=v"(t) : "v"(x), "v"(y) : "v4", "v5");
  c[THREAD * 2] = s;
  c[THREAD * 2 + 1] = t;
}
#endif
KERNEL halves(f16 *a, f16 *b, f16 *c) { // eight values a thread: registers hold two each
  f16 x[8], y[8];
  for (int k = 0; k < 8; ++k) x[k] = a[THREAD * 8 + k], y[k] = b[THREAD * 8 + k];
  for (int k = 0; k < 8; ++k) {
    f16 z = x[k] * y[7 - k] + x[(k + 3) & 7];
    c[THREAD * 8 + k] = z < y[k] ? -z : __builtin_fabsf16(x[k] - z);
  }
}
KERNEL dots(u32 *a, u32 *b, i32 *c) {
  u32 x = a[THREAD], y = b[THREAD];
  c += THREAD * 5;
  c[0] = __builtin_amdgcn_sudot4(1, x, 1, y, 100, 0);
  c[1] = __builtin_amdgcn_sudot4(0, x, 1, y, -100, 0);
  c[2] = __builtin_amdgcn_sudot4(1, x, 1, y, 0x7fffff00, 1);
  c[3] = __builtin_amdgcn_sudot8(1, x, 0, y, 7, 0);
  c[4] = __builtin_amdgcn_udot4(x, y, 5, 0);
}
#ifndef __gfx1250__
KERNEL dots_f16(h2 *a, h2 *b, f32 *c) { c[THREAD] = __builtin_amdgcn_fdot2(a[THREAD], b[THREAD], c[THREAD], 0); }
#endif
KERNEL mixed(f16 *a, f32 *b, f32 *c) { c[THREAD] = __builtin_fmaf((f32)a[THREAD], b[THREAD], (f32)a[THREAD + 1]); }
KERNEL between(i32 *a, f32 *b, i32 *c, f32 *d) {
  i32 x = a[THREAD];
  f32 y = b[THREAD];
  c[THREAD] = x < -50 ? -50 : x > 70 ? 70 : x;
  d[THREAD] = __builtin_fminf(__builtin_fmaxf(y, -1.5f), 2.5f);
}
KERNEL uniform(f32 x, f32 y, i32 n, f32 *c, i32 *d) { // in scalar registers where the chip can
  f32 z = __builtin_fmaf(x, y, 1.5f) - x * 3.0f;
  z = z > y ? __builtin_floorf(z) : __builtin_ceilf(z) + (f32)n;
  c[0] = z;
  c[1] = __builtin_fminf(x, y) + __builtin_truncf(y) - __builtin_roundevenf(x);
  d[0] = (i32)(x * y);
  d[1] = (u32)n * 7 > 100 ? n : -n;
  c[2] = (f32)((f16)x + (f16)y * (f16)2);
}
KERNEL uniform_roots(f32 x, f32 *c) {
  c[0] = __builtin_amdgcn_sqrtf(x);
  c[1] = __builtin_amdgcn_rcpf(x);
  c[2] = __builtin_amdgcn_exp2f(x);
}
KERNEL clocks(u64 *c) {
  u64 start = __builtin_readcyclecounter();
  u32 part = __builtin_amdgcn_s_getreg(29 | 31 << 11);
  c[0] = start;
  c[1] = __builtin_readcyclecounter();
  c[2] = part;
}
KERNEL votes(u32 *a, u32 *c) {
  u32 i = THREAD, x = a[i];
  u64 odd = __builtin_amdgcn_ballot_w64(x & 1);
  c[i * 3] = (u32)odd;
  c[i * 3 + 1] = __builtin_amdgcn_readlane(x, 5) + __builtin_amdgcn_readfirstlane(x);
  c[i * 3 + 2] = __builtin_amdgcn_sbfe(x, 3, 9);
}
#ifdef __GFX12__
KERNEL eight_bits(f32 *a, u32 *codes, f32 *c) {
  u32 i = THREAD, code = __builtin_amdgcn_cvt_pk_fp8_f32(a[i * 4], a[i * 4 + 1], 0, 0);
  code = __builtin_amdgcn_cvt_pk_fp8_f32(a[i * 4 + 2], a[i * 4 + 3], code, 1);
  codes[i] = code;
  c[i * 4] = __builtin_amdgcn_cvt_f32_fp8(code, 0);
  c[i * 4 + 1] = __builtin_amdgcn_cvt_f32_fp8(code, 1);
  c[i * 4 + 2] = __builtin_amdgcn_cvt_f32_fp8(code, 2);
  c[i * 4 + 3] = __builtin_amdgcn_cvt_pk_f32_fp8(code, 1)[1];
}
KERNEL rows_each(u32 *a, u32 *which, u32 *c) {
  u32 i = THREAD;
  c[i * 2] = __builtin_amdgcn_permlane16_var(OLD, a[i], which[i], 0, 0);
  c[i * 2 + 1] = __builtin_amdgcn_permlanex16_var(OLD, a[i], which[i], 0, 0);
}
#endif
LDS u32 shared[1024];
KERNEL buffers(u32 *a, u32 *c, u32 bytes) {
  __amdgpu_buffer_rsrc_t from = __builtin_amdgcn_make_buffer_rsrc(a, 0, bytes, 0x31004000);
  u32 i = THREAD;
  typedef u32 u4 __attribute__((ext_vector_type(4)));
  u4 four = __builtin_amdgcn_raw_buffer_load_b128(from, i * 16, 0, 0);
  c[i * 6] = four.x ^ four.w;
  c[i * 6 + 1] = four.y + four.z;
  c[i * 6 + 2] = __builtin_amdgcn_raw_buffer_load_b8(from, i, 4, 0);
  c[i * 6 + 3] = __builtin_amdgcn_raw_buffer_load_b16(from, i * 2, 0, 0);
  shared[i * 4] = four.x;
  shared[i * 4 + 3] = four.y;
  BARRIER;
  c[i * 6 + 4] = shared[(i ^ 33) * 4] + shared[(i ^ 33) * 4 + 3];
  u8 *bytes_of = (u8 *)(c + i * 6 + 5);
  bytes_of[0] = four.x, bytes_of[1] = four.y, bytes_of[2] = four.z, bytes_of[3] = four.w;
}
