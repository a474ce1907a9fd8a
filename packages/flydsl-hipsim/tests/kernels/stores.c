// Writes that other waves read: with their waits before the barrier, behind it, and without.
#include "kernel.h"
LDS u32 shared[256];
#if defined(__gfx942__)
#define LDS_WRITE "ds_write_b32 %0, %1"
#define LDS_WAIT "s_waitcnt lgkmcnt(0)"
#define STORE "global_store_dword %0, %1, off"
#define STORE_WAIT "s_waitcnt vmcnt(0)"
#define SYNC "s_barrier"
#elif defined(__GFX11__)
#define LDS_WRITE "ds_store_b32 %0, %1"
#define LDS_WAIT "s_waitcnt lgkmcnt(0)"
#define STORE "global_store_b32 %0, %1, off"
#define STORE_WAIT "s_waitcnt_vscnt null, 0x0"
#define SYNC "s_barrier"
#else
#define LDS_WRITE "ds_store_b32 %0, %1"
#define LDS_WAIT "s_wait_dscnt 0x0"
#define STORE "global_store_b32 %0, %1, off"
#define STORE_WAIT "s_wait_storecnt 0x0"
#define SYNC "s_barrier_signal -1\n\ts_barrier_wait -1"
#endif
#define AT(P) ((u32)(u64)(P))
#define LOOK(P) (*(volatile __attribute__((address_space(3))) u32 *)(P))

#define LDS_KERNEL(NAME, BEFORE, BEHIND, READ) \
  KERNEL NAME(u32 *a, u32 *c) { \
    u32 i = THREAD, x = a[i]; \
    __asm__ volatile("s_nop 0" ::"v"(x)); \
    __asm__ volatile(LDS_WRITE "\n\t" BEFORE "\n\t" SYNC "\n\t" BEHIND ::"v"(AT(shared + i)), "v"(x) : "memory"); \
    c[i] = LOOK(shared + (READ)); \
  }
LDS_KERNEL(lds_waited, LDS_WAIT, "", i ^ 64)
LDS_KERNEL(lds_not_waited, "", "", i ^ 64)
LDS_KERNEL(lds_waited_behind, "", LDS_WAIT, i ^ 64)
LDS_KERNEL(lds_own, "", "", i)
LDS_KERNEL(lds_second_barrier, "", LDS_WAIT "\n\t" SYNC, i ^ 64)

#define MEMORY_KERNEL(NAME, BEFORE, BEHIND, READ) \
  KERNEL NAME(u32 *a, u32 *c) { \
    u32 i = THREAD, x = a[i]; \
    __asm__ volatile("s_nop 0" ::"v"(x)); \
    __asm__ volatile(STORE "\n\t" BEFORE "\n\t" SYNC "\n\t" BEHIND ::"v"(c + 256 + i), "v"(x) : "memory"); \
    c[i] = c[256 + (READ)]; \
  }
MEMORY_KERNEL(memory_waited, STORE_WAIT, "", i ^ 64)
MEMORY_KERNEL(memory_not_waited, "", "", i ^ 64)
MEMORY_KERNEL(memory_waited_behind, "", STORE_WAIT, i ^ 64)
MEMORY_KERNEL(memory_second_barrier, "", STORE_WAIT "\n\t" SYNC, i ^ 64)
MEMORY_KERNEL(memory_own, "", "", i)

// The first workgroup writes, and tells the second one by a flag.
#define TOLD(NAME, WRITE, ORDER) \
  KERNEL NAME(u32 *a, u32 *c) { \
    u32 i = THREAD; \
    if (__builtin_amdgcn_workgroup_id_x() == 0) { \
      u32 x = a[i]; \
      WRITE; \
      __hip_atomic_fetch_add(c, 1, ORDER, AGENT); \
    } else { \
      while (__hip_atomic_load(c, __ATOMIC_ACQUIRE, AGENT) != __builtin_amdgcn_workgroup_size_x()) __builtin_amdgcn_s_sleep(1); \
      c[2048 + i] = c[1024 + i]; \
    } \
  }
TOLD(told_in_order, c[1024 + i] = x, __ATOMIC_RELEASE)
TOLD(told_too_early, __asm__ volatile(STORE ::"v"(c + 1024 + i), "v"(x) : "memory"), __ATOMIC_RELAXED)

#if defined(__gfx942__)
#define LOAD_KERNEL(NAME, BEFORE, READ) \
  KERNEL NAME(u32 *a, u32 *c) { \
    u32 i = THREAD, base = i & ~63u, first = __builtin_amdgcn_readfirstlane(base * 4 + AT(shared)); \
    __asm__ volatile("s_mov_b32 m0, %1\n\ts_nop 0\n\tglobal_load_lds_dword %0, off\n\t" BEFORE ::"v"(a + i), "s"(first) : "m0", "memory"); \
    c[i] = LOOK(shared + (READ)); \
  }
LOAD_KERNEL(load_waited, "s_waitcnt vmcnt(0)\n\ts_barrier", i ^ 64)
LOAD_KERNEL(load_not_waited, "s_barrier\n\ts_waitcnt vmcnt(0)", i ^ 64)
LOAD_KERNEL(load_own_waited, "s_waitcnt vmcnt(0)", i)
LOAD_KERNEL(load_own_not_waited, "s_nop 0", i)
#endif
