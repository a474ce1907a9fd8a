// What only builtins and assembly reach on gfx9: cube maps, masked sums of differences, bytes collected, loads to LDS.
#include "kernel.h"
typedef u32 u4 __attribute__((ext_vector_type(4)));
KERNEL cubes(f32 *a, f32 *c) {
  f32 x = a[THREAD * 3], y = a[THREAD * 3 + 1], z = a[THREAD * 3 + 2];
  c += THREAD * 4;
  c[0] = __builtin_amdgcn_cubeid(x, y, z);
  c[1] = __builtin_amdgcn_cubema(x, y, z);
  c[2] = __builtin_amdgcn_cubesc(x, y, z);
  c[3] = __builtin_amdgcn_cubetc(x, y, z);
}
KERNEL masked_sums(u64 *a, u32 *b, u4 *c) { c[THREAD] = __builtin_amdgcn_mqsad_u32_u8(a[THREAD], b[THREAD], c[THREAD]); }
KERNEL collected(f32 *a, u32 *which, u32 *c) {
  u32 made = c[THREAD];
  __asm__ volatile("v_cvt_pkaccum_u8_f32 %0, %1, %2" : "+v"(made) : "v"(a[THREAD]), "v"(which[THREAD]));
  c[THREAD] = made;
}
KERNEL quotients(u32 *a, u32 *b, u32 *c) { // with upper halves: one keeps that of its destination, one clears it
  u32 kept = 0xabcd0000, cleared = 0xabcd0000;
  __asm__ volatile("v_div_fixup_f16 %0, %2, %3, %2\n\tv_div_fixup_legacy_f16 %1, %2, %3, %2"
                   : "+v"(kept), "+v"(cleared)
                   : "v"(a[THREAD]), "v"(b[THREAD]));
  c[THREAD * 2] = kept;
  c[THREAD * 2 + 1] = cleared;
}
#ifdef __OPTIMIZE__
LDS i32 landed[64];
KERNEL small_to_lds(i8 *a, i32 *c) {
  i8 mine[64];
  for (u32 k = 0; k < 64; ++k) mine[k] = a[k] ^ THREAD;
  u32 place = (u32)(__attribute__((address_space(5))) i8 *)mine + (THREAD * 7 & 63);
  u32 start = (u32)(__attribute__((address_space(3))) i32 *)landed;
  __asm__ volatile("s_mov_b32 m0, %1\n\tglobal_load_lds_sbyte %0, off\n\ts_waitcnt vmcnt(0)"
                   : : "v"(a + THREAD), "s"(start) : "memory");
  c[THREAD * 2] = landed[THREAD];
  __asm__ volatile("s_mov_b32 m0, %1\n\tscratch_load_lds_sbyte %0, off\n\ts_waitcnt vmcnt(0)" : : "v"(place), "s"(start) : "memory");
  c[THREAD * 2 + 1] = landed[THREAD];
}
#endif
