// Programs of whole workgroups in HIP's C++, with templates and without HIP's headers.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(N) __attribute__((amdgpu_flat_work_group_size(1, N)))
typedef unsigned int u32;
typedef unsigned long u64;
typedef _Float16 f16;
__device__ inline u32 thread() { return __builtin_amdgcn_workitem_id_x(); }
__device__ inline u32 group() { return __builtin_amdgcn_workgroup_id_x(); }
__device__ inline u32 threads() { return __builtin_amdgcn_workgroup_size_x(); }
__device__ inline void sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
struct Add { template <class T> __device__ T operator()(T x, T y) const { return x + y; } };
struct Max { template <class T> __device__ T operator()(T x, T y) const { return x > y ? x : y; } };

template <class T> __device__ void bitonic(T *data, T *shared) {
  const u32 t = thread();
  shared[t] = data[group() * 256 + t];
  sync();
  for (u32 size = 2; size <= 256; size *= 2)
    for (u32 step = size / 2; step; step /= 2) {
      const u32 other = t ^ step;
      if (other > t) {
        const bool up = (t & size) == 0;
        const T x = shared[t], y = shared[other];
        if ((x > y) == up) shared[t] = y, shared[other] = x;
      }
      sync();
    }
  data[group() * 256 + t] = shared[t];
}
#define SORT(NAME, T) \
  extern "C" __global__ void __launch_bounds__(256) NAME(T *data) { \
    __shared__ T shared[256]; \
    bitonic<T>(data, shared); \
  }
SORT(sort_u32, u32)
SORT(sort_f32, float)
SORT(sort_i64, long)
SORT(sort_f16, f16)

template <class T, class Op> __device__ T scanned(T value, T *shared, Op op) {
  const u32 t = thread();
  shared[t] = value;
  sync();
  for (u32 step = 1; step < threads(); step *= 2) {
    const T before = t >= step ? shared[t - step] : T();
    sync();
    if (t >= step) shared[t] = op(before, shared[t]);
    sync();
  }
  return shared[t];
}
extern "C" __global__ void scan_add(const u32 *in, u32 *out) {
  __shared__ u32 shared[256];
  out[group() * threads() + thread()] = scanned(in[group() * threads() + thread()], shared, Add());
}
extern "C" __global__ void scan_max(const double *in, double *out) {
  __shared__ double shared[256];
  out[group() * threads() + thread()] = scanned(in[group() * threads() + thread()], shared, Max());
}
extern "C" __global__ void histogram(const unsigned char *in, u32 *out, u32 n) {
  __shared__ u32 bins[64];
  if (thread() < 64) bins[thread()] = 0;
  sync();
  for (u32 k = group() * threads() + thread(); k < n; k += threads() * __builtin_amdgcn_grid_size_x() / threads())
    __hip_atomic_fetch_add(bins + (in[k] & 63), 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  sync();
  if (thread() < 64) __hip_atomic_fetch_add(out + thread(), bins[thread()], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T, int Pad> __device__ void transpose(const T *in, T *out, u32 rows, u32 columns) {
  __shared__ T tile[16][16 + Pad];
  const u32 x = thread() & 15, y = thread() / 16, tiles = (columns + 15) / 16, tx = group() % tiles * 16, ty = group() / tiles * 16;
  if (tx + x < columns && ty + y < rows) tile[y][x] = in[(ty + y) * columns + tx + x];
  sync();
  if (ty + x < rows && tx + y < columns) out[(tx + y) * rows + ty + x] = tile[x][y];
}
extern "C" __global__ void transpose_f32(const float *in, float *out, u32 rows, u32 columns) { transpose<float, 1>(in, out, rows, columns); }
extern "C" __global__ void transpose_f16(const f16 *in, f16 *out, u32 rows, u32 columns) { transpose<f16, 0>(in, out, rows, columns); }

template <int Waves> __device__ float summed(float x, float *shared) { // within waves, then between them
  const u32 lanes = __builtin_amdgcn_wavefrontsize(), t = thread();
  for (u32 step = lanes / 2; step; step /= 2)
    x += __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(((t ^ step) & (lanes - 1)) * 4, __builtin_bit_cast(int, x)));
  if (t % lanes == 0) shared[t / lanes] = x;
  sync();
  float sum = 0;
  for (u32 k = 0; k < threads() / lanes; ++k) sum += shared[k];
  return sum;
}
extern "C" __global__ void reduce(const float *in, float *out, u32 n) {
  __shared__ float shared[16];
  float x = 0;
  for (u32 k = group() * threads() + thread(); k < n; k += __builtin_amdgcn_grid_size_x()) x += in[k];
  x = summed<8>(x, shared);
  if (thread() == 0) __hip_atomic_fetch_add(out, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
extern "C" __global__ void radix_pass(const u32 *in, u32 *out, u32 shift) { // one workgroup, stable, four bits
  __shared__ u32 counts[16][256];
  __shared__ u32 starts[16];
  const u32 t = thread(), key = in[t], digit = key >> shift & 15;
  for (u32 d = 0; d < 16; ++d) counts[d][t] = d == digit;
  sync();
  if (t < 16) {
    u32 sum = 0;
    for (u32 k = 0; k < threads(); ++k) {
      const u32 n = counts[t][k];
      counts[t][k] = sum;
      sum += n;
    }
    starts[t] = sum;
  }
  sync();
  u32 place = counts[digit][t];
  for (u32 d = 0; d < digit; ++d) place += starts[d];
  out[place] = key;
}
template <int R> __device__ float convolved(const float *tile, const float *weights, u32 width) {
  float sum = 0;
  for (int y = -R; y <= R; ++y)
    for (int x = -R; x <= R; ++x) sum += tile[int(y * int(width)) + x] * weights[(y + R) * (2 * R + 1) + x + R];
  return sum;
}
extern "C" __global__ void conv2d(const float *in, const float *weights, float *out, u32 width, u32 height) {
  __shared__ float tile[20 * 20];
  const u32 x0 = group() % (width / 16) * 16, y0 = group() / (width / 16) * 16;
  for (u32 k = thread(); k < 400; k += threads()) {
    const int x = int(x0 + k % 20) - 2, y = int(y0 + k / 20) - 2;
    tile[k] = x >= 0 && y >= 0 && x < int(width) && y < int(height) ? in[y * width + x] : 0;
  }
  sync();
  const u32 x = thread() & 15, y = thread() / 16;
  out[(y0 + y) * width + x0 + x] = convolved<2>(tile + (y + 2) * 20 + x + 2, weights, 20);
}
extern "C" __global__ void bodies(const double *place, double *force, u32 n) { // gravity, tile by tile
  __shared__ double tile[64][4];
  const u32 mine = group() * threads() + thread();
  double sum[3] = {}, at[3];
  for (int k = 0; k < 3; ++k) at[k] = mine < n ? place[mine * 4 + k] : 0;
  for (u32 first = 0; first < n; first += threads()) {
    sync();
    for (int k = 0; k < 4; ++k) tile[thread()][k] = first + thread() < n ? place[(first + thread()) * 4 + k] : 0;
    sync();
    for (u32 j = 0; j < threads(); ++j) {
      double d[3], r = 1e-3;
      for (int k = 0; k < 3; ++k) d[k] = tile[j][k] - at[k], r += d[k] * d[k];
      const double scale = tile[j][3] / (r * __builtin_sqrt(r));
      for (int k = 0; k < 3; ++k) sum[k] += d[k] * scale;
    }
  }
  if (mine < n)
    for (int k = 0; k < 3; ++k) force[mine * 3 + k] = sum[k];
}
extern "C" __global__ void heat(float *a, float *b, u32 n, u32 steps) { // in place, with two buffers in LDS
  __shared__ float now[258], next[258];
  const u32 t = thread() + 1;
  now[t] = a[thread()];
  if (thread() == 0) now[0] = now[n + 1] = next[0] = next[n + 1] = 0;
  sync();
  for (u32 k = 0; k < steps; ++k) {
    float *from = k & 1 ? next : now, *to = k & 1 ? now : next;
    to[t] = from[t] + 0.25f * (from[t - 1] - 2 * from[t] + from[t + 1]);
    sync();
  }
  b[thread()] = (steps & 1 ? next : now)[t];
}
extern "C" __global__ void tickets(u32 *lock, u32 *order, u32 *sum) { // a lock that is taken in turn, between workgroups
  if (thread() == 0) {
    const u32 mine = __hip_atomic_fetch_add(lock, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(lock + 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != mine) __builtin_amdgcn_s_sleep(1);
    order[mine] = group();
    *sum = *sum * 3 + mine;
    __hip_atomic_store(lock + 1, mine + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}
