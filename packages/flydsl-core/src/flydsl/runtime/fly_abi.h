/* The launcher ABI, version 1: what a host launcher, a device runtime and the CPU backend's kernels agree on.
 *
 * A launcher is a shared object made for one `@jit` function. It embeds its device code object and exports fly_load,
 * fly_launch and fly_launch_packed. It calls the device only through the FlyRuntimeApi that it is handed, so it links
 * against no vendor library. Every function returns 0 or an error code: positive codes are the runtime's own, negative
 * ones are FLY_ERROR_* below. Structs may grow at the end; struct_size tells how much of one the caller knows.
 */
#ifndef FLY_ABI_H
#define FLY_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FLY_ABI_VERSION 1

/* The launcher's own errors. */
#define FLY_ERROR_ABI (-1)       /* the table or the context is of another ABI version, or too small */
#define FLY_ERROR_DIMENSION (-2) /* a grid, block or cluster dimension is negative or does not fit in 32 bits */
#define FLY_ERROR_FLAGS (-3)      /* a launch has flags that the runtime's table does not know */
#define FLY_ERROR_TENSOR_MAP (-4) /* a kernel takes tensor maps, and the runtime's table makes none */
/* A block is of another size than the kernel is made for: this, less 4096 times the threads of that block, less the
 * threads of the launch's block (at most 4095). */
#define FLY_ERROR_BLOCK (-16777216)

/* How a kernel is launched: bits of FlyLaunchConfig.flags and FlyRuntimeApi.launch_flags. */
#define FLY_LAUNCH_COOPERATIVE 1u /* all blocks run at a time, so that they can wait for one another */
#define FLY_LAUNCH_DEPENDENT 2u /* may start before the kernel in front of it has ended, for whose results it waits */

/* What each struct had at first. */
#define FLY_LAUNCH_CONFIG_LEAST 56
#define FLY_RUNTIME_API_LEAST 40

#define FLY_TENSOR_MAP_BYTES 128
#define FLY_TENSOR_MAP_ALIGNMENT 64
#define FLY_TENSOR_MAP_RANK 5

typedef struct FlyLaunchConfig {
  uint32_t struct_size;
  uint32_t grid[3]; /* in blocks (clusters of blocks do not change the unit) */
  uint32_t block[3]; /* in threads */
  uint32_t cluster[3]; /* in blocks; 1, 1, 1 when unused */
  uint32_t shared_bytes; /* dynamic shared memory */
  uint32_t n_params;
  const uint32_t *param_sizes; /* bytes of each parameter */
  uint32_t flags; /* FLY_LAUNCH_*; not in a config that is smaller, which means 0 */
} FlyLaunchConfig;

/* A tensor in the device's memory, of which hardware copies boxes: what is known when a launch is made. */
typedef struct FlyTensorMapSpec {
  uint32_t struct_size;
  uint32_t rank;
  void *address;
  int64_t shape[FLY_TENSOR_MAP_RANK]; /* in elements, the contiguous dimension first */
  int64_t strides[FLY_TENSOR_MAP_RANK]; /* in bytes, of the same dimensions */
  const void *recipe; /* what the backend's compiler wrote for the runtime of the same plugin */
  uint64_t recipe_size;
} FlyTensorMapSpec;

/* What a device runtime gives to launchers; valid for the life of the process and callable from any thread. */
typedef struct FlyRuntimeApi {
  uint32_t struct_size, abi_version;
  void *self; /* handed back as the first argument of each function */
  /* Load a code object on a device. *module points to an array of n_kernels kernel handles in the order of
   * kernel_names; the runtime owns it. May allocate: never called during graph capture. */
  int32_t (*module_load)(void *self, int32_t ordinal, const void *image, uint64_t size, const char *const *kernel_names,
                         uint32_t n_kernels, void **module);
  int32_t (*module_unload)(void *self, void *module);
  /* Enqueue a kernel; params[i] points to parameter i, copied before the call returns. Only enqueues. */
  int32_t (*launch)(void *self, void *kernel, const FlyLaunchConfig *config, void *stream, void **params);
  /* From here on a table may end earlier, by its struct_size. */
  uint64_t launch_flags; /* the FLY_LAUNCH_* that launch heeds */
  /* Optional (null): write a tensor map, of FLY_TENSOR_MAP_BYTES at an address that is a multiple of
   * FLY_TENSOR_MAP_ALIGNMENT, which is then a parameter of a launch. Called for each launch: it must be quick. */
  int32_t (*encode_tensor_map)(void *self, const FlyTensorMapSpec *spec, void *map);
} FlyRuntimeApi;

typedef struct FlyLaunchCtx {
  uint32_t struct_size, abi_version;
  int32_t ordinal;
  void *stream; /* used by launches that name no stream of their own; null: the runtime's default stream */
  void *module; /* from fly_load on the same ordinal */
  const FlyRuntimeApi *rt;
} FlyLaunchCtx;

/* What each launcher exports. */
typedef int32_t (*FlyLoadFn)(const FlyRuntimeApi *rt, int32_t ordinal, void **module);
typedef int32_t (*FlyLaunchFn)(const FlyLaunchCtx *ctx, void **argv); /* argv[i] points to the value of slot i */
typedef int32_t (*FlyLaunchPackedFn)(const FlyRuntimeApi *rt, void *module, int32_t ordinal, void *stream,
                                     const void *packed); /* slots at the offsets of the artifact's slot table */

/* A CPU code object is a shared object that exports, for each kernel NAME, a FlyCpuKernelFn `NAME`, which runs all
 * threads of one block, and a FlyCpuKernelInfo `NAME_info`. */
typedef struct FlyCpuBlock {
  int32_t block_id[3], grid_dim[3], block_dim[3];
  int32_t dynamic_shared_bytes;
  /* End the launch with an error that says `text` of thread (x, y, z) of this block. Does not return: called by a
   * kernel that holds nothing that must be released. */
  void (*stop)(const struct FlyCpuBlock *block, const char *text, int32_t x, int32_t y, int32_t z);
} FlyCpuBlock;

typedef struct FlyCpuKernelInfo {
  int64_t scratch_bytes_per_thread;
  int64_t static_shared_bytes;
  int64_t scratch_bytes_per_block; /* at the start of scratch memory */
  int64_t stack_bytes; /* of its own arrays on the stack */
} FlyCpuKernelInfo;

/* scratch: 4096-byte aligned, room for what the block needs and after it for every per-thread array of all threads of
 * the block, each array rounded up to 64 bytes; shared: 16384-byte aligned, the static part followed by the dynamic
 * part. Contents are undefined on entry. */
typedef void (*FlyCpuKernelFn)(void **params, const FlyCpuBlock *block, void *scratch, void *shared);

#ifdef __cplusplus
}
#endif

#endif
