/* Kernels of the CPU kernel ABI, written by hand: what the runtime promises to kernels, seen from inside. */
#include <fly_abi.h>
#include <stdatomic.h>
#include <time.h>

#define KERNEL(name, scratch, shared) \
  const FlyCpuKernelInfo name##_info = {scratch, shared}; \
  void name(void **params, const FlyCpuBlock *block, void *scratch_memory, void *shared_memory)
#define PARAM(type, index) (*(type *)params[index])

static int64_t threads(const FlyCpuBlock *block) {
  return (int64_t)block->block_dim[0] * block->block_dim[1] * block->block_dim[2];
}
static int64_t linear(const FlyCpuBlock *block) {
  return block->block_id[0] +
      (int64_t)block->grid_dim[0] * (block->block_id[1] + (int64_t)block->grid_dim[1] * block->block_id[2]);
}
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* counts[block] += 1 */
KERNEL(count, 0, 0) { atomic_fetch_add(&PARAM(atomic_int *, 0)[linear(block)], 1); }

/* out[block] = what the block was told about itself */
KERNEL(describe, 0, 0) { PARAM(FlyCpuBlock *, 0)[linear(block)] = *block; }

/* c[i] = a[i] + b[i] */
KERNEL(add, 0, 0) {
  const float *a = PARAM(const float *, 0), *b = PARAM(const float *, 1);
  const int64_t n = PARAM(int64_t, 3);
  for (int64_t i = linear(block) * threads(block), t = 0; t < threads(block) && i < n; ++t, ++i)
    PARAM(float *, 2)[i] = a[i] + b[i];
}

/* x = 3 * x + value, one block: order matters */
KERNEL(chain, 0, 0) { *PARAM(uint64_t *, 0) = 3 * *PARAM(uint64_t *, 0) + PARAM(uint64_t, 1); }

/* out[block] = 1 when scratch and shared memory are aligned, large enough and not written by another block meanwhile */
KERNEL(memory, 48, 256) {
  const int64_t scratch_bytes = 48 * threads(block), shared_bytes = 256 + block->dynamic_shared_bytes;
  unsigned char *scratch = scratch_memory, *shared = shared_memory;
  const unsigned char tag = (unsigned char)(linear(block) * 7 + 1);
  int good = (uintptr_t)scratch % 64 == 0 && (uintptr_t)shared % 1024 == 0;
  for (int64_t i = 0; i < scratch_bytes; ++i) scratch[i] = tag;
  for (int64_t i = 0; i < shared_bytes; ++i) shared[i] = tag;
  for (int64_t i = 0; i < scratch_bytes; ++i) good &= scratch[i] == tag;
  for (int64_t i = 0; i < shared_bytes; ++i) good &= shared[i] == tag;
  PARAM(int *, 0)[linear(block)] = good;
}

/* wait until *flag is set, then *out = 1; gives up after 20 s */
KERNEL(wait_for, 0, 0) {
  const double start = seconds();
  while (!atomic_load(PARAM(atomic_int *, 0)))
    if (seconds() - start > 20) return;
  *PARAM(int *, 1) = 1;
}

/* *flag = 1 */
KERNEL(set, 0, 0) { atomic_store(PARAM(atomic_int *, 0), 1); }

/* out = the bytes of a 32-byte parameter; its address is as aligned as vector loads want */
KERNEL(wide, 0, 0) {
  typedef struct { _Alignas(32) char bytes[32]; } Wide;
  *PARAM(int *, 0) = (uintptr_t)params[1] % 32 == 0;
  for (int i = 0; i < 32; ++i) PARAM(char *, 2)[i] = ((Wide *)params[1])->bytes[i];
}

/* until *flag is set */
KERNEL(endless, 0, 0) { while (!atomic_load(PARAM(atomic_int *, 0))); }

/* what the number says goes wrong in block 3 */
KERNEL(failing, 0, 0) {
  static char text[] = "file.c:7: assertion failed";
  volatile int zero = 0, seven = 7;
  if (block->block_id[0] != 3) return;
  switch (PARAM(int64_t, 0)) {
  case 0: block->stop(block, text, 1, 2, 3);
  case 1: *(volatile int *)16 = 1; break;
  case 2: __builtin_trap();
  case 3: zero = seven / zero; break;
  case 4:
    while (1) *(volatile char *)__builtin_alloca(1024) = 1; // less than a page: the guard below the stack is met
  }
}

KERNEL(greedy, 0, 100000) { (void)params; }

/* No info beside it. */
void lonely(void **params, const FlyCpuBlock *block, void *scratch_memory, void *shared_memory) {}
