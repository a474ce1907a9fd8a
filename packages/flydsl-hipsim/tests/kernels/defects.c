// Kernels with one defect each, and beside each the kernel without it.
#include "kernel.h"
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define NOTHING(X) __asm__ volatile("" : "=v"(X)) // X is a register that nothing was written to
LDS u32 shared[256];

// ---- LDS between waves ----
KERNEL unordered(u32 *a, u32 *c) {
  u32 i = THREAD;
  shared[i] = a[i];
  __builtin_amdgcn_wave_barrier();
  c[i] = shared[i ^ 64];
}
KERNEL ordered(u32 *a, u32 *c) {
  u32 i = THREAD;
  shared[i] = a[i];
  BARRIER;
  c[i] = shared[i ^ 64];
}
KERNEL used_again(u32 *a, u32 *c) { // the next round's writes meet this round's reads
  u32 i = THREAD;
  for (u32 k = 0; k < 2; ++k) {
    shared[i] = a[i] + k;
    BARRIER;
    c[i] = shared[i ^ 64];
  }
}
KERNEL same_value(u32 *a, u32 *c) {
  u32 i = THREAD;
  shared[0] = 7;
  BARRIER;
  c[i] = shared[0];
}
KERNEL counted(u32 *a, u32 *c) {
  u32 i = THREAD;
  shared[0] = 0;
  BARRIER;
  __hip_atomic_fetch_add(shared, a[i], __ATOMIC_RELAXED, 3);
  BARRIER;
  c[i] = shared[0];
}
KERNEL bytes(u8 *a, u8 *c) { // neighbours in one word are no race
  u32 i = THREAD, j = i * 64 % 255;
  ((__attribute__((address_space(3))) u8 *)shared)[j] = a[i];
  c[j] = a[i];
}

// ---- values that were never made ----
KERNEL unwritten_lds(u32 *a, u32 *c) {
  u32 i = THREAD;
  if (i < 100) shared[i] = a[i];
  BARRIER;
  c[i] = shared[i];
}
KERNEL unused_lds(u32 *a, u32 *c) {
  u32 i = THREAD;
  if (i < 100) shared[i] = a[i];
  BARRIER;
  u32 x = *(volatile __attribute__((address_space(3))) u32 *)(shared + i);
  if (i < 100) c[i] = x;
}
KERNEL stored(u32 *a, u32 *c) {
  u32 x;
  NOTHING(x);
  c[THREAD] = x + 1;
}
KERNEL addressed(u32 *a, u32 *c) {
  u32 x;
  NOTHING(x);
  c[THREAD] = a[x & 3];
}
KERNEL branched(u32 *a, u32 *c) {
  u32 x;
  NOTHING(x);
  if (__builtin_amdgcn_readfirstlane(x) > 4) c[THREAD] = a[THREAD];
}
KERNEL diverged(u32 *a, u32 *c) {
  u32 x;
  NOTHING(x);
  if (x > 4) c[THREAD] = __builtin_amdgcn_readfirstlane(a[THREAD]);
}
KERNEL masked(u32 *a, u32 *c) { // undefined bits that decide nothing
  u32 i = THREAD, x, y, z;
  NOTHING(x);
  NOTHING(y);
  NOTHING(z);
  y = i < 40 ? a[i] : y;
  if (i < 40) c[i] = y + (x & (a[i] & 0)) + ((z << 16 | a[i]) & 0xffff);
}
KERNEL lost_lane(u32 *a, u32 *c) {
  u32 i = THREAD, x;
  NOTHING(x);
  x = i < 40 ? a[i] : x;
  c[i] = x;
}
KERNEL halves(u16 *a, u32 *c) { // one half is loaded, then the other
  u32 i = THREAD, x;
  NOTHING(x);
  __asm__ volatile("global_load_short_d16 %0, %1, off\n\tglobal_load_short_d16_hi %0, %1, off offset:2\n\ts_waitcnt vmcnt(0)" : "+v"(x) : "v"(a + 2 * i));
  c[i] = x;
}
KERNEL one_half(u16 *a, u32 *c) {
  u32 i = THREAD, x;
  NOTHING(x);
  __asm__ volatile("global_load_short_d16 %0, %1, off\n\ts_waitcnt vmcnt(0)" : "+v"(x) : "v"(a + 2 * i));
  c[i] = x;
}

typedef f16 h4 __attribute__((ext_vector_type(4)));
typedef f32 f4 __attribute__((ext_vector_type(4)));
KERNEL product(h4 *a, f32 *c, u32 m, u32 kept) { // rows from m on are never loaded
  u32 lane = THREAD;
  h4 x;
  NOTHING(x);
  if ((lane & 15) < m) x = a[lane];
  f4 sum = {};
  sum = __builtin_amdgcn_mfma_f32_16x16x16f16(x, a[lane], sum, 0, 0, 0);
  for (u32 v = 0; v < 4; ++v)
    if (lane / 16 * 4 + v < kept) c[(lane / 16 * 4 + v) * 16 + (lane & 15)] = sum[v];
}

// ---- global memory ----
KERNEL shared_result(u32 *a, u32 *c) { if (THREAD == 0) c[0] = GROUP; }
KERNEL neighbours(u32 *a, u32 *c) { c[(GROUP + THREAD) & 255] = a[(GROUP + THREAD + 1) & 255] + GROUP; }
KERNEL own_results(u32 *a, u32 *c) { c[GROUP * 128 + THREAD] = a[THREAD]; }
KERNEL added(u32 *a, u32 *c) { __hip_atomic_fetch_add(c, a[THREAD], __ATOMIC_RELAXED, AGENT); }
KERNEL last_adds(u32 *a, u32 *c) { // the last workgroup reads what the others wrote
  if (THREAD) return;
  c[1 + GROUP] = a[GROUP];
  if (__hip_atomic_fetch_add(c, 1u, __ATOMIC_ACQ_REL, AGENT) != 3) return;
  u32 sum = 0;
  for (u32 k = 0; k < 4; ++k) sum += c[1 + k];
  c[5] = sum;
}
KERNEL any_adds(u32 *a, u32 *c) {
  if (THREAD) return;
  c[1 + GROUP] = a[GROUP];
  u32 sum = 0;
  for (u32 k = 0; k < 4; ++k) sum += ((volatile u32 *)c)[1 + k];
  a[GROUP] = sum;
}
KERNEL between_waves(u32 *a, u32 *c) {
  u32 i = THREAD;
  c[i] = a[i];
  __builtin_amdgcn_wave_barrier();
  a[i] = c[i ^ 64];
}
KERNEL between_waves_ordered(u32 *a, u32 *c) {
  u32 i = THREAD;
  c[i] = a[i];
  BARRIER;
  a[i] = c[i ^ 64];
}

// ---- loads that nothing waits for: the compiler does not see into these ----
#define LOAD(WAIT) "global_load_dword %0, %1, off\n\t" WAIT "v_add_u32_e32 %0, 1, %0\n\ts_waitcnt vmcnt(0)"
KERNEL hasty(u32 *a, u32 *c) {
  u32 x;
  __asm__ volatile(LOAD("") : "=&v"(x) : "v"(a + THREAD));
  c[THREAD] = x;
}
KERNEL patient(u32 *a, u32 *c) {
  u32 x;
  __asm__ volatile(LOAD("s_waitcnt vmcnt(0)\n\t") : "=&v"(x) : "v"(a + THREAD));
  c[THREAD] = x;
}
#define TWO(WAIT) "global_load_dword %0, %2, off\n\tglobal_load_dword %1, %2, off offset:4\n\ts_waitcnt vmcnt(1)\n\t" WAIT
KERNEL first_of_two(u32 *a, u32 *c) {
  u32 x, y;
  __asm__ volatile(TWO("v_add_u32_e32 %0, 1, %0\n\ts_waitcnt vmcnt(0)") : "=&v"(x), "=&v"(y) : "v"(a + THREAD));
  c[THREAD] = x;
}
KERNEL second_of_two(u32 *a, u32 *c) {
  u32 x, y;
  __asm__ volatile(TWO("v_add_u32_e32 %1, 1, %1\n\ts_waitcnt vmcnt(0)") : "=&v"(x), "=&v"(y) : "v"(a + THREAD));
  c[THREAD] = y;
}
KERNEL hasty_lds(u32 *a, u32 *c) {
  u32 x, i = THREAD * 4;
  shared[THREAD] = a[THREAD];
  __asm__ volatile("s_waitcnt lgkmcnt(0)\n\tds_read_b32 %0, %1\n\ts_waitcnt vmcnt(0)\n\tv_add_u32_e32 %0, 1, %0\n\ts_waitcnt lgkmcnt(0)" : "=&v"(x) : "v"(i) : "memory");
  c[THREAD] = x;
}
KERNEL hasty_scalar(u32 *a, u32 *c) { // scalar loads come in any order: a wait that leaves one says nothing
  u32 x, y;
  __asm__ volatile("s_load_dword %0, %2, 0x0\n\ts_load_dword %1, %2, 0x4\n\ts_waitcnt lgkmcnt(1)\n\ts_add_u32 %0, %0, 1\n\ts_waitcnt lgkmcnt(0)" : "=&s"(x), "=&s"(y) : "s"(a) : "scc");
  c[THREAD] = x;
}
KERNEL overwritten(u32 *a, u32 *c) {
  u32 x;
  __asm__ volatile("global_load_dword %0, %1, off\n\tv_mov_b32_e32 %0, 1\n\ts_waitcnt vmcnt(0)" : "=&v"(x) : "v"(a + THREAD));
  c[THREAD] = x;
}

// ---- places that are not there ----
KERNEL past_lds(u32 *a, u32 *c) { shared[THREAD + 2 * a[THREAD]] = 1; c[THREAD] = shared[0]; }
KERNEL past_scratch(u32 *a, u32 *c) {
  volatile u32 t[4] = {};
  t[a[THREAD]] = 1;
  c[THREAD] = t[1];
}

// ---- for counts ----
KERNEL columns(u32 *a, u32 *c) {
  u32 i = THREAD;
  shared[i * 4 % 256] = a[i * 32];
  BARRIER;
  if (i < 16) c[i] = shared[i];
}
// Of a flat load only the counter of the memory that it is in has to be waited for.
#define FLAT(NAME, PLACE, WAIT) \
  KERNEL NAME(u32 *a, u32 *c) { \
    u32 x, y; \
    PLACE; \
    __asm__ volatile("s_waitcnt vmcnt(0) lgkmcnt(0)\n\tflat_load_dword %0, %2\n\tflat_load_dword %1, %2 offset:4\n\t" WAIT "\n\tv_add_u32_e32 %0, 1, %0\n\ts_waitcnt vmcnt(0) lgkmcnt(0)" : "=&v"(x), "=&v"(y) : "v"(place) : "memory"); \
    c[THREAD] = x + y; \
  }
#define IN_SCRATCH volatile u32 own[2]; own[0] = a[THREAD]; own[1] = 5; u32 *place = (u32 *)own
#define IN_LDS shared[2 * THREAD] = a[THREAD]; shared[2 * THREAD + 1] = 5; u32 *place = (u32 *)(shared + 2 * THREAD)
FLAT(flat_in_scratch, IN_SCRATCH, "s_waitcnt vmcnt(1)")
FLAT(flat_in_scratch_too_early, IN_SCRATCH, "s_waitcnt lgkmcnt(0)")
FLAT(flat_in_lds, IN_LDS, "s_waitcnt lgkmcnt(0)")
FLAT(flat_in_lds_too_early, IN_LDS, "s_waitcnt vmcnt(0)")

// ---- scalar loads that are longer than what is read ----
typedef u32 words4 __attribute__((ext_vector_type(4)));
#define LONGER(NAME, OFFSET, USED)                                                                                     \
  KERNEL NAME(u32 *a, u32 *c) {                                                                                        \
    words4 x;                                                                                                          \
    __asm__ volatile("s_load_dwordx4 %0, %1, " OFFSET "\n s_waitcnt lgkmcnt(0)" : "=s"(x) : "s"(a));                   \
    c[THREAD] = USED;                                                                                                  \
  }
LONGER(longer_load, "0x0", x[0] + x[1] + x[2])
LONGER(longer_load_used, "0x0", x[0] + x[3])
LONGER(too_long_load, "0x4", x[0] + x[1])
