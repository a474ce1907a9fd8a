/* A launcher table over the CUDA driver: as much of a device runtime as calls inside of jax.jit need. */
#include <cuda.h>
#include <fly_abi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEVICES = 16 };

atomic_int cuda_loads[DEVICES], cuda_launches[DEVICES], cuda_recorded;

typedef struct Kernel {
  CUfunction function;
  int32_t ordinal;
} Kernel;

/* Make the context that XLA uses current. */
static int32_t enter(int32_t ordinal) {
  CUcontext context;
  CUdevice device;
  int32_t code = cuInit(0);
  if (!code) code = cuDeviceGet(&device, ordinal);
  if (!code) code = cuDevicePrimaryCtxRetain(&context, device);
  return code ? code : (int32_t)cuCtxPushCurrent(context);
}

static void leave(void) {
  CUcontext context;
  cuCtxPopCurrent(&context);
}

static int32_t module_load(void *self, int32_t ordinal, const void *image, uint64_t size, const char *const *names,
                           uint32_t count, void **result) {
  (void)self, (void)size;
  void **handles = calloc(count, sizeof(void *));
  Kernel *kernels = calloc(count, sizeof(Kernel));
  if (!handles || !kernels) return CUDA_ERROR_OUT_OF_MEMORY;
  int32_t code = enter(ordinal);
  if (code) return code;
  CUmodule module;
  code = cuModuleLoadData(&module, image);
  for (uint32_t i = 0; !code && i < count; ++i) {
    code = cuModuleGetFunction(&kernels[i].function, module, names[i]);
    kernels[i].ordinal = ordinal;
    handles[i] = &kernels[i];
  }
  leave();
  *result = handles;
  if (!code) atomic_fetch_add(&cuda_loads[ordinal], 1);
  return code;
}

static int32_t launch(void *self, void *handle, const FlyLaunchConfig *config, void *stream, void **params) {
  (void)self;
  const Kernel *kernel = handle;
  const uint32_t *grid = config->grid, *block = config->block;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  int32_t code = enter(kernel->ordinal);
  if (code) return code;
  code = cuStreamIsCapturing(stream, &status);
  if (!code && status != CU_STREAM_CAPTURE_STATUS_NONE) atomic_fetch_add(&cuda_recorded, 1);
  if (!code)
    code = cuLaunchKernel(kernel->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                          config->shared_bytes, stream, params, NULL);
  leave();
  atomic_fetch_add(&cuda_launches[kernel->ordinal], 1);
  return code;
}

const FlyRuntimeApi cuda_table = {
    .struct_size = sizeof(FlyRuntimeApi), .abi_version = FLY_ABI_VERSION, .module_load = module_load, .launch = launch};
