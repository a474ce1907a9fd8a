// Atomics, LDS, scratch arrays, constant tables, grids.
#include "kernel.h"
#define ATOMIC(OP, PLACE, VALUE) __hip_atomic_fetch_##OP(PLACE, VALUE, __ATOMIC_RELAXED, AGENT)
KERNEL atomics(u32 *a, u32 *old) {
  u32 i = THREAD, expected = i;
  ATOMIC(add, a, i);
  ATOMIC(max, a + 1, i);
  ATOMIC(or, a + 2, 1u << (i & 31));
  old[i] = __hip_atomic_fetch_add(a + 3, 1u, __ATOMIC_SEQ_CST, AGENT);
  __hip_atomic_compare_exchange_strong(a + 4 + i, &expected, 777u, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, AGENT);
  ATOMIC(add, (f32 *)(a + 300), 1.0f);
  ATOMIC(add, (u64 *)(a + 302), (u64)i << 20);
  ATOMIC(add, (f64 *)(a + 304), 0.5);
}
LDS u32 shared[256];
KERNEL through_lds(u32 *a, u32 *c) {
  u32 i = THREAD;
  shared[i] = a[i];
  BARRIER;
  c[i] = shared[255 - i] + shared[(i * 7) & 255];
}
KERNEL without_barrier(u32 *c) {
  u32 i = THREAD;
  shared[i] = i + 1;
  __builtin_amdgcn_wave_barrier();
  c[i] = shared[255 - i];
}
LDS u32 sums[4];
KERNEL lds_atomics(u32 *a, u32 *c) {
  u32 i = THREAD;
  if (i < 4) sums[i] = 0;
  BARRIER;
  __hip_atomic_fetch_add(sums + (i & 3), a[i], __ATOMIC_RELAXED, 3);
  BARRIER;
  if (i < 4) c[i] = sums[i];
}
KERNEL scratch(u32 *a, u32 *c) {
  u32 i = THREAD, t[32], s = 0;
  for (int k = 0; k < 32; ++k) t[k] = a[(i + k) & 255];
  for (int k = 0; k < 32; ++k) s = s * 3 + t[(a[i] + k * 5) & 31];
  c[i] = s;
}
const u32 squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
u32 counter = 5;
u32 *place = &counter;
KERNEL globals(u32 *a, u32 *c) { c[THREAD] = squares[a[THREAD] & 15] + *place; }
KERNEL grid(u32 *c, u32 *sizes) {
  u32 x = __builtin_amdgcn_workgroup_id_x(), y = __builtin_amdgcn_workgroup_id_y(), z = __builtin_amdgcn_workgroup_id_z();
  u32 nx = __builtin_amdgcn_workgroup_size_x(), ny = __builtin_amdgcn_workgroup_size_y(), nz = __builtin_amdgcn_workgroup_size_z();
  u32 t = THREAD + nx * (__builtin_amdgcn_workitem_id_y() + ny * __builtin_amdgcn_workitem_id_z());
  u32 group = x + 2 * (y + 3 * z);
  c[group * nx * ny * nz + t] = group * 1000 + t;
  if (t == 0 && group == 0) {
    sizes[0] = __builtin_amdgcn_grid_size_x();
    sizes[1] = nx * 100 + ny * 10 + nz;
  }
}
KERNEL out_of_bounds(u32 *a, u32 *c) { c[THREAD] = a[THREAD + 8]; }
KERNEL structs(struct { u8 a; u64 b; f32 c[3]; } s, u16 d, f64 *out) {
  out[0] = s.a;
  out[1] = s.b;
  out[2] = s.c[2];
  out[3] = d;
}
