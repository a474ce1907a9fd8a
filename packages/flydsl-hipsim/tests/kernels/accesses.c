// Loads and stores of every width at places that the host chooses, for the lanes that it chooses.
#include "kernel.h"
#define GLOBAL __attribute__((address_space(1)))
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x3 __attribute__((ext_vector_type(3)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
LDS __attribute__((aligned(16))) u8 pool[4096];
static u32 lane(void) { return THREAD; }
static void fill(u8 *a) {
  for (u32 k = lane(); k < sizeof pool; k += 64) pool[k] = a[k];
  BARRIER;
}
static void empty(u8 *a) {
  BARRIER;
  for (u32 k = lane(); k < sizeof pool; k += 64) a[k] = pool[k];
}
#define ACCESSES(BITS, T, BUFFER)                                                                                   \
  typedef T any##BITS __attribute__((aligned(1)));                                                                  \
  KERNEL load_##BITS(u8 *a, u32 *at, u32 *on, T *c) { if (on[lane()]) c[lane()] = *(any##BITS *)(a + at[lane()]); }  \
  KERNEL store_##BITS(u8 *a, u32 *at, u32 *on, T *c) { if (on[lane()]) *(any##BITS *)(a + at[lane()]) = c[lane()]; } \
  KERNEL far_load_##BITS(u8 *a, u8 *b, u64 *at, u32 *on, T *c) { if (on[lane()]) c[lane()] = *(GLOBAL any##BITS *)at[lane()]; }  \
  KERNEL far_store_##BITS(u8 *a, u8 *b, u64 *at, u32 *on, T *c) { if (on[lane()]) *(GLOBAL any##BITS *)at[lane()] = c[lane()]; } \
  KERNEL lds_load_##BITS(u8 *a, u32 *at, u32 *on, T *c) {                                                           \
    fill(a);                                                                                                        \
    if (on[lane()]) c[lane()] = *(__attribute__((address_space(3))) T *)(pool + at[lane()]);                        \
  }                                                                                                                 \
  KERNEL lds_store_##BITS(u8 *a, u32 *at, u32 *on, T *c) {                                                          \
    fill(a);                                                                                                        \
    if (on[lane()]) *(__attribute__((address_space(3))) T *)(pool + at[lane()]) = c[lane()];                        \
    empty(a);                                                                                                       \
  }                                                                                                                 \
  KERNEL buffer_load_##BITS(u8 *a, u32 n, u32 *at, u32 *on, T *c) {                                                 \
    if (on[lane()]) c[lane()] = __builtin_amdgcn_raw_buffer_load_##BUFFER(__builtin_amdgcn_make_buffer_rsrc(a, 0, n, 0x27000), at[lane()], 0, 0); \
  }                                                                                                                 \
  KERNEL buffer_store_##BITS(u8 *a, u32 n, u32 *at, u32 *on, T *c) {                                                \
    if (on[lane()]) __builtin_amdgcn_raw_buffer_store_##BUFFER(c[lane()], __builtin_amdgcn_make_buffer_rsrc(a, 0, n, 0x27000), at[lane()], 0, 0); \
  }
ACCESSES(8, u8, b8)
ACCESSES(16, u16, b16)
ACCESSES(32, u32, b32)
ACCESSES(64, u32x2, b64)
ACCESSES(96, u32x3, b96)
ACCESSES(128, u32x4, b128)
// Pairs of places: 512 bytes apart.
#define POOL(T) ((__attribute__((address_space(3))) T *)(pool + at[lane()]))
KERNEL lds_load_pairs(u8 *a, u32 *at, u64 *c) {
  fill(a);
  c[lane() * 2] = POOL(u64)[0], c[lane() * 2 + 1] = POOL(u64)[64];
}
KERNEL lds_store_pairs(u8 *a, u32 *at, u64 *c) {
  u64 low = c[lane() * 2], high = c[lane() * 2 + 1];
  fill(a);
  POOL(u64)[0] = low, POOL(u64)[64] = high;
  empty(a);
}
// The address in the registers that the data go to.
#ifdef __GFX9__
#define WIDE_LOAD "global_load_dwordx4 v[8:11], v[8:9], off\n s_waitcnt vmcnt(0)\n"
#elif __GFX11__
#define WIDE_LOAD "global_load_b128 v[8:11], v[8:9], off\n s_waitcnt vmcnt(0)\n"
#else
#define WIDE_LOAD "global_load_b128 v[8:11], v[8:9], off\n s_wait_loadcnt 0x0\n"
#endif
KERNEL load_over_address(u8 *a, u32 *at, u32x4 *c) {
  u64 from = (u64)(a + at[lane()]);
  u32 x, y, z, w;
  __asm__ volatile("v_mov_b32 v8, %4\n v_mov_b32 v9, %5\n" WIDE_LOAD
                   "v_mov_b32 %0, v8\n v_mov_b32 %1, v9\n v_mov_b32 %2, v10\n v_mov_b32 %3, v11"
                   : "=&v"(x), "=&v"(y), "=&v"(z), "=&v"(w) : "v"((u32)from), "v"((u32)(from >> 32)) : "v8", "v9", "v10", "v11", "memory");
  c[lane()] = (u32x4){x, y, z, w};
}
