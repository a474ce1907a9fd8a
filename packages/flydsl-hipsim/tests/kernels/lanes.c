// Values between lanes.
#include "kernel.h"
KERNEL shuffles(u32 *a, u32 *c) {
  u32 i = THREAD;
  c[i * 6] = __builtin_amdgcn_ds_bpermute((i ^ 5) * 4, a[i]);
  c[i * 6 + 1] = __builtin_amdgcn_mov_dpp(a[i], 0xB1, 15, 15, 1);
  c[i * 6 + 2] = __builtin_amdgcn_ds_swizzle(a[i], 0x041F);
  c[i * 6 + 3] = __builtin_amdgcn_readfirstlane(a[i]) + __builtin_popcountl(__builtin_amdgcn_ballot_w64(a[i] & 1));
  c[i * 6 + 4] = __builtin_amdgcn_update_dpp(7, a[i], 0x111, 15, 15, 0);
  c[i * 6 + 5] = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
