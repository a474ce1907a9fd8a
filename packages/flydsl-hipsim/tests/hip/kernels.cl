// Kernels for tests of HIP's functions. Without a library: built-in functions only.
typedef struct { char c; short s; int i; double d; } Mixed;

global int table[4] = {1, 20, 300, 4000};

#define THREAD __builtin_amdgcn_workitem_id_x()
#define BLOCK __builtin_amdgcn_workgroup_id_x()

kernel void fill(global int *out, int value, int n, int block) {
  const int i = BLOCK * block + THREAD;
  if (i < n) out[i] = value + i;
}

kernel void pack(global double *out, char a, long b, Mixed m, float4 v, short e) {
  if (THREAD) return;
  out[0] = a, out[1] = b, out[2] = m.c, out[3] = m.s, out[4] = m.i, out[5] = m.d;
  out[6] = v.x, out[7] = v.w, out[8] = e;
}

kernel void scaled_table(global int *out, int factor) {
  if (THREAD < 4) out[THREAD] = table[THREAD] * factor;
}

kernel void store_at(global int *out, long distance) { out[distance + THREAD] = 1; }

kernel __attribute__((amdgpu_flat_work_group_size(1, 64))) void small(global int *out) { out[THREAD] = THREAD; }

kernel void staged(global int *out) {
  local int shared[4096];
  shared[THREAD] = THREAD * 3;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[THREAD] = shared[63 - THREAD];
}

// As `staged`, with what one forgets: the waves' order decides what is read.
kernel void forgetful(global int *out) {
  local int shared[128];
  shared[THREAD] = THREAD;
  out[THREAD] = shared[127 - THREAD];
}
