// Atomics of each kind and type, in memory, in LDS and through generic pointers, with and without their result.
#include "kernel.h"
typedef f16 h2 __attribute__((ext_vector_type(2)));
typedef i16 s2 __attribute__((ext_vector_type(2)));
#define GENERIC(T, SPACE) ((T *)(SPACE))
// `place`: four that all threads share, then one for each; `old`: what was in the thread's own.
#define BODY(T, OP, TO) \
  T x = data[THREAD]; \
  OP(TO + (THREAD & 3), x, __ATOMIC_RELAXED, AGENT); \
  old[THREAD] = OP(TO + 4 + THREAD, x, __ATOMIC_SEQ_CST, 5);
#define GLOBAL(NAME, T, OP) \
  KERNEL NAME##_##T##_global(__attribute__((address_space(1))) T *place, T *old, T *data) { BODY(T, OP, place) }
#define LOCAL(NAME, T, OP) \
  KERNEL NAME##_##T##_local(T *place, T *old, T *data) { \
    LDS T own[4 + 128]; \
    own[THREAD] = place[THREAD]; \
    if (THREAD < 4) own[128 + THREAD] = place[128 + THREAD]; \
    BARRIER; \
    BODY(T, OP, own) \
    BARRIER; \
    place[THREAD] = own[THREAD]; \
    if (THREAD < 4) place[128 + THREAD] = own[128 + THREAD]; \
  }
#define ANYWHERE(NAME, T, OP) \
  KERNEL NAME##_##T##_anywhere(T *place, T *old, T *data, u32 in_lds) { \
    LDS T own[4 + 128]; \
    own[THREAD] = place[THREAD]; \
    if (THREAD < 4) own[128 + THREAD] = place[128 + THREAD]; \
    BARRIER; \
    T *to = in_lds ? GENERIC(T, own) : place; \
    BODY(T, OP, to) \
    BARRIER; \
    place[THREAD] = to[THREAD]; \
    if (THREAD < 4) place[128 + THREAD] = to[128 + THREAD]; \
  }
#define EVERYWHERE(NAME, T, OP) GLOBAL(NAME, T, OP) LOCAL(NAME, T, OP) ANYWHERE(NAME, T, OP)
#define ALL_TYPES(NAME, OP) EVERYWHERE(NAME, u32, OP) EVERYWHERE(NAME, i32, OP) EVERYWHERE(NAME, u64, OP) EVERYWHERE(NAME, i64, OP)
ALL_TYPES(add, __hip_atomic_fetch_add)
ALL_TYPES(sub, __hip_atomic_fetch_sub)
ALL_TYPES(min, __hip_atomic_fetch_min)
ALL_TYPES(max, __hip_atomic_fetch_max)
ALL_TYPES(and, __hip_atomic_fetch_and)
ALL_TYPES(or, __hip_atomic_fetch_or)
ALL_TYPES(xor, __hip_atomic_fetch_xor)
EVERYWHERE(add, f32, __hip_atomic_fetch_add)
EVERYWHERE(add, f64, __hip_atomic_fetch_add)
EVERYWHERE(min, f32, __hip_atomic_fetch_min)
EVERYWHERE(max, f32, __hip_atomic_fetch_max)
EVERYWHERE(min, f64, __hip_atomic_fetch_min)
EVERYWHERE(max, f64, __hip_atomic_fetch_max)
#define EXCHANGED(TO, VALUE, ORDER, SCOPE) __hip_atomic_exchange(TO, VALUE, ORDER, SCOPE)
#define SWAP(T) \
  KERNEL swap_##T(T *place, T *old, T *data) { old[THREAD] = EXCHANGED(place + 4 + THREAD, data[THREAD], __ATOMIC_ACQ_REL, AGENT); } \
  KERNEL taken_##T(T *place, T *old, T *data) { /* a product by a loop of exchanges that may fail */ \
    T seen = __hip_atomic_load(place + (THREAD & 3), __ATOMIC_RELAXED, AGENT), made; \
    do made = (T)(seen * 3 + 1); \
    while (!__hip_atomic_compare_exchange_weak(place + (THREAD & 3), &seen, made, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED, AGENT)); \
    __hip_atomic_store(old + THREAD, seen, __ATOMIC_RELEASE, 5); \
  }
SWAP(u32)
SWAP(u64)
KERNEL narrow(u8 *bytes, u16 *halves, u32 *old) { // by loops on the words around them
  u32 x = __hip_atomic_fetch_add(bytes + (THREAD & 7), (u8)3, __ATOMIC_RELAXED, AGENT);
  __hip_atomic_fetch_xor(halves + (THREAD & 3), (u16)(THREAD * 257), __ATOMIC_RELAXED, AGENT);
  old[THREAD] = x & 0;
}
KERNEL wrapped(u32 *place, u32 *old, u32 *data) {
  old[THREAD * 2] = __builtin_amdgcn_atomic_inc32(place + 4 + THREAD, data[THREAD], __ATOMIC_RELAXED, "agent");
  old[THREAD * 2 + 1] = __builtin_amdgcn_atomic_dec32(place + 4 + THREAD, data[THREAD] / 2, __ATOMIC_RELAXED, "agent");
}
#if defined(__gfx942__) || defined(__gfx950__) || defined(__GFX12__)
KERNEL pairs(h2 *place, s2 *brains, h2 *data, s2 *more, h2 *old) {
  __builtin_amdgcn_global_atomic_fadd_v2f16((__attribute__((address_space(1))) h2 *)place + (THREAD & 3), data[THREAD]);
  old[THREAD] = __builtin_amdgcn_flat_atomic_fadd_v2f16(place + 4 + THREAD, data[THREAD]);
  __builtin_amdgcn_global_atomic_fadd_v2bf16((__attribute__((address_space(1))) s2 *)brains + (THREAD & 3), more[THREAD]);
}
#endif
