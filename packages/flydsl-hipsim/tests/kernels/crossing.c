// Lanes of a wave and address spaces: what builtins give that the language has not.
#include "kernel.h"
#define SWIZZLED(X, HOW) __builtin_amdgcn_ds_swizzle(X, HOW)
KERNEL moved(u32 *a, u32 *c) {
  u32 i = THREAD, x = a[i];
  c += i * 12;
  c[0] = __builtin_amdgcn_ds_permute(((i * 5 + 3) & 63) * 4, x);
  c[1] = __builtin_amdgcn_ds_bpermute(((i * 7 + 1) & 63) * 4, x);
  c[2] = SWIZZLED(x, 0x8000 | 0x1b); // quads turned over
  c[3] = SWIZZLED(x, 0x1f | 0x10 << 10); // lanes 16 apart
  c[4] = __builtin_amdgcn_update_dpp(x, x, 0x1b, 15, 15, 0); // quads turned over
  c[5] = __builtin_amdgcn_update_dpp(0x55, x, 0x118, 15, 15, 0); // row_shr:8
  c[6] = __builtin_amdgcn_update_dpp(0x55, x, 0x103, 15, 15, 1); // row_shl:3, 0 from outside
  c[7] = __builtin_amdgcn_update_dpp(0x55, x, 0x126, 15, 15, 0); // row_ror:6
  c[8] = __builtin_amdgcn_update_dpp(0x55, x, 0x140, 15, 15, 0); // row_mirror
  c[9] = __builtin_amdgcn_update_dpp(0x55, x, 0x141, 15, 3, 0); // row_half_mirror, half of the banks
  c[10] = __builtin_amdgcn_readlane(x, 9) ^ __builtin_amdgcn_readfirstlane(x);
  c[11] = __builtin_amdgcn_mbcnt_hi(a[64], __builtin_amdgcn_mbcnt_lo(a[65], i));
}
KERNEL odd_lanes(u32 *a, u32 *c) { // while half of the lanes are off
  u32 i = THREAD, x = a[i];
  c += i * 3;
  c[0] = c[1] = c[2] = 0;
  if (i & 1) {
    c[0] = __builtin_amdgcn_readfirstlane(x);
    c[1] = (u32)__builtin_popcountl(__builtin_amdgcn_ballot_w64(x & 2));
    c[2] = __builtin_amdgcn_ds_bpermute((i ^ 2) * 4, x);
  }
}
static u32 within(u32 x, u32 step) { return __builtin_amdgcn_ds_bpermute((THREAD ^ step) * 4, x); }
KERNEL reduced(u32 *a, u32 *c) {
  u32 sum = a[THREAD], most = sum, all = sum;
  for (u32 step = 1; step < __builtin_amdgcn_wavefrontsize(); step *= 2) {
    sum += within(sum, step);
    u32 other = within(most, step);
    most = other > most ? other : most;
    all &= within(all, step);
  }
  c[THREAD * 3] = sum, c[THREAD * 3 + 1] = most, c[THREAD * 3 + 2] = all;
}
typedef const __attribute__((address_space(0))) void NOWHERE;
LDS u32 spare[64];
__attribute__((noinline)) u32 through(u32 *p, u32 by) { return *p += by; } // generic: any of three address spaces
KERNEL spaces(u32 *a, u32 *c) {
  u32 own[4] = {THREAD, THREAD * 2, 3, 4};
  spare[THREAD] = a[THREAD];
  u32 *p = THREAD % 3 == 0 ? own + (THREAD & 3) : THREAD % 3 == 1 ? (u32 *)(spare + THREAD) : c + 4 * THREAD + 3;
  c[4 * THREAD] = through(p, 7);
  c[4 * THREAD + 1] = __builtin_amdgcn_is_shared((NOWHERE *)p) | __builtin_amdgcn_is_private((NOWHERE *)p) << 1;
  c[4 * THREAD + 2] = own[THREAD & 3] + spare[THREAD];
}
extern __attribute__((address_space(3))) u32 dynamic[];
KERNEL large(u32 *a, u32 *c, u32 words) { // all of the memory that the launch gives, more than 64 KB on gfx950
  for (u32 k = THREAD; k < words; k += 64) dynamic[k] = a[k & 1023] + k;
  BARRIER;
  u32 sum = 0;
  for (u32 k = THREAD; k < words; k += 64) sum += dynamic[words - 1 - k] * (k | 1);
  c[THREAD] = sum;
}
KERNEL modes(f32 *a, f32 *c) { // rounding up and down, set and read back
  u32 before = __builtin_amdgcn_s_getreg(1 | 0 << 6 | 3 << 11);
  f32 x = a[THREAD], up, down;
  c[THREAD * 4] = x / 3;
  __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\n\tv_add_f32 %0, %2, %3\n\t" // to +inf
                   "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2\n\tv_add_f32 %1, %2, %4\n\t"
                   "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0"
                   : "=&v"(up), "=&v"(down) : "v"(x), "v"(1e-9f), "v"(-1e-9f));
  c[THREAD * 4 + 1] = up, c[THREAD * 4 + 2] = down;
  c[THREAD * 4 + 3] = (f32)before;
}
KERNEL narrowed(f32 *a, f16 *c, u64 p, u64 q, u64 *product) { // two floats to the halves of a word; a product of scalars
  f16 __attribute__((ext_vector_type(2))) both = {(f16)a[THREAD * 2], (f16)a[THREAD * 2 + 1]};
  *(f16 __attribute__((ext_vector_type(2))) *)(c + THREAD * 2) = both;
  product[THREAD] = p * q;
}
#ifdef __gfx950__
KERNEL halves_of_the_wave(u32 *a, u32 *c) {
  u32 __attribute__((ext_vector_type(2))) r = __builtin_amdgcn_permlane16_swap(a[THREAD], a[64 + THREAD], 0, 0);
  c[THREAD] = r.x, c[64 + THREAD] = r.y;
}
#elif defined(__GFX11__)
KERNEL halves_of_the_wave(u32 *a, u32 *c) { c[THREAD] = __builtin_amdgcn_permlane64(a[THREAD]); }
#endif
