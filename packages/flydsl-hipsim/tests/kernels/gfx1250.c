// Copies, transposed loads and barriers of gfx12 and gfx1250, by builtins and by name.
#include "kernel.h"
typedef u32 u2 __attribute__((ext_vector_type(2)));
typedef u32 u3 __attribute__((ext_vector_type(3)));
typedef u32 u4 __attribute__((ext_vector_type(4)));
typedef i32 w4 __attribute__((vector_size(16)));
#define LOCAL __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))
#define TRANSPOSED(NAME, TYPE, LOAD) TRANSPOSED_TO(NAME, TYPE, TYPE, LOAD)
#define TRANSPOSED_TO(NAME, FROM, TYPE, LOAD) \
  KERNEL NAME(FROM *tiles, TYPE *out) { \
    TYPE y; \
    __asm__ volatile(LOAD " %0, %1, off\n s_wait_loadcnt 0" : "=v"(y) : "v"(tiles + THREAD)); \
    out[THREAD] = y; \
  }

#ifdef __gfx1250__
TRANSPOSED(tr16, u4, "global_load_tr16_b128")
TRANSPOSED(tr8, u2, "global_load_tr8_b64")
TRANSPOSED(tr4, u2, "global_load_tr4_b64")
KERNEL tr6(u32 *tiles, u32 *out) {
  u3 y;
  __asm__ volatile("global_load_tr6_b96 %0, %1, off\n s_wait_loadcnt 0" : "=v"(y) : "v"(tiles + 3 * THREAD));
  for (int k = 0; k < 3; ++k) out[3 * THREAD + k] = y[k];
}
LDS u4 shared[64];
KERNEL local_tr16(u4 *tiles, u4 *out) {
  u4 y;
  shared[THREAD] = tiles[THREAD];
  __asm__ volatile("s_wait_dscnt 0\n ds_load_tr16_b128 %0, %1\n s_wait_dscnt 0" : "=v"(y) : "v"((u32)(LOCAL u4 *)&shared[THREAD]) : "memory");
  out[THREAD] = y;
}
// Through LDS and back, never through registers; `waits` is left out where the check should see it.
#define COPIED(NAME, WAIT) \
  KERNEL NAME(u4 *from, u4 *to, u32 *seen) { \
    LOCAL u4 *place = (LOCAL u4 *)&shared[THREAD ^ 1]; \
    __builtin_amdgcn_global_load_async_to_lds_b128((GLOBAL w4 *)(from + THREAD), (LOCAL w4 *)place, 0, 0); \
    WAIT; \
    seen[THREAD] = ((volatile LOCAL u32 *)place)[0]; \
    __builtin_amdgcn_global_store_async_from_lds_b128((GLOBAL w4 *)(to + THREAD), (LOCAL w4 *)place, 0, 0); \
    __builtin_amdgcn_s_wait_asynccnt(0); \
  }
COPIED(copied, __builtin_amdgcn_s_wait_asynccnt(0))
COPIED(copied_too_early, )
KERNEL stored_undefined(u4 *to) {
  __builtin_amdgcn_global_store_async_from_lds_b128((GLOBAL w4 *)(to + THREAD), (LOCAL w4 *)&shared[THREAD], 0, 0);
}
// The second wave's copies are read by the first one, with a barrier between them or not.
#define HANDED(NAME, MEETING) \
  KERNEL NAME(u4 *from, u32 *seen) { \
    LOCAL w4 *place = (LOCAL w4 *)&shared[THREAD & 31]; \
    if (THREAD >= 32) { \
      __builtin_amdgcn_global_load_async_to_lds_b128((GLOBAL w4 *)(from + THREAD), place, 0, 0); \
      __builtin_amdgcn_s_wait_asynccnt(0); \
    } \
    MEETING; \
    if (THREAD < 32) seen[THREAD] = ((volatile LOCAL u32 *)place)[0]; \
  }
HANDED(handed, BARRIER)
HANDED(handed_too_early, )
// Arrivals at a barrier in LDS: what each saw.
LDS u64 cell;
KERNEL arrived(u64 *out) {
  LOCAL u64 *at = (LOCAL u64 *)&cell;
  if (THREAD == 0) *at = (2ul << 32) | 2;
  BARRIER;
  for (u32 k = 0; k < 6; ++k)
    if (THREAD == k) out[k] = __builtin_amdgcn_ds_atomic_barrier_arrive_rtn_b64((LOCAL i64 *)at, 1);
  BARRIER;
  if (THREAD == 0) out[6] = *at;
}
KERNEL clustered(u32 *from, u32 *out) {
  u32 y;
  __asm__ volatile("cluster_load_b32 %0, %1, off\n s_wait_loadcnt 0" : "=v"(y) : "v"(from + THREAD));
  out[THREAD] = y;
}
#else
#ifdef WAVE_64
TRANSPOSED_TO(tr16, u4, u2, "global_load_tr_b128")
#else
TRANSPOSED(tr16, u4, "global_load_tr_b128")
TRANSPOSED(tr8, u2, "global_load_tr_b64")
#endif
#endif
// One wave makes, another takes, through a barrier that only they join; a third wave goes its way.
LDS u32 box[32];
KERNEL named(u32 *out) {
  volatile LOCAL u32 *slot = (volatile LOCAL u32 *)&box[THREAD & 31];
  u32 wave = THREAD / 32;
  if (wave == 0) __asm__ volatile("s_mov_b32 m0, 0x20001\n s_barrier_init m0" ::: "memory");
  BARRIER;
  if (wave < 2) __asm__ volatile("s_barrier_join 1" ::: "memory");
  for (u32 k = 0; k < 3; ++k) {
    if (wave == 0) *slot = 100 * k + THREAD;
    if (wave < 2) __asm__ volatile("s_wait_dscnt 0\n s_barrier_signal 1\n s_barrier_wait 1" ::: "memory");
    if (wave == 1) out[32 * k + (THREAD & 31)] = *slot;
    if (wave < 2) __asm__ volatile("s_wait_dscnt 0\n s_barrier_signal 1\n s_barrier_wait 1" ::: "memory");
  }
}
KERNEL first(u32 *out) {
  u32 is_first;
  __asm__ volatile("s_barrier_signal_isfirst -1\n s_cselect_b32 %0, 1, 0\n s_barrier_wait -1" : "=s"(is_first)::"memory");
  out[THREAD] = is_first;
}
KERNEL never(u32 *out) {
  __asm__ volatile("s_mov_b32 m0, 0x20001\n s_barrier_init m0\n s_barrier_join 1\n s_barrier_signal 1\n s_barrier_wait 1" ::: "memory");
  out[0] = 1;
}
