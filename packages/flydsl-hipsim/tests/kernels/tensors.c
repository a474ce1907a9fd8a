// Moves of tensors of gfx1250 by descriptors that the host made: 20 words in four groups.
#include "kernel.h"
typedef i32 w4 __attribute__((vector_size(16)));
typedef i32 w8 __attribute__((vector_size(32)));
#define WORDS 8192
LDS u32 shared[WORDS];

#define DESCRIBED \
  const w4 a = {p[0], (i32)(u32)(__attribute__((address_space(3))) u32 *)shared + p[1], p[2], p[3]}, c = {p[12], p[13], p[14], p[15]}, d = {p[16], p[17], p[18], p[19]}; \
  const w8 b = {p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11]}
#define FILLED \
  for (u32 k = THREAD; k < WORDS; k += 32) shared[k] = lds[k]; \
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
  __builtin_amdgcn_s_barrier()

#define LOADED(NAME, LOAD, WAIT) \
  KERNEL NAME(const i32 *p, const void *tensor, u32 *lds) { \
    FILLED; \
    DESCRIBED; \
    LOAD; \
    WAIT; \
    for (u32 k = THREAD; k < WORDS; k += 32) lds[k] = ((volatile __attribute__((address_space(3))) u32 *)shared)[k]; \
  }
#define WAITED __builtin_amdgcn_s_wait_tensorcnt(0)
LOADED(loaded, __builtin_amdgcn_tensor_load_to_lds(a, b, c, d, 0), WAITED)
LOADED(loaded_two, __builtin_amdgcn_tensor_load_to_lds_d2(a, b, 0), WAITED)
LOADED(loaded_too_early, __builtin_amdgcn_tensor_load_to_lds(a, b, c, d, 0), )

KERNEL stored(const i32 *p, void *tensor, u32 *lds) {
  FILLED;
  DESCRIBED;
  __builtin_amdgcn_tensor_store_from_lds(a, b, c, d, 0);
  WAITED;
}
