/* The CUDA driver: its functions, which are looked up at run time, the explanation of failures, and primary contexts.
 */
#ifndef FLYCUDA_DRIVER_H
#define FLYCUDA_DRIVER_H

#include <fly_library.h>

#include "tensor_map.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_LAUNCH_FAILED = 719, /* the codes between are other faults of kernels */
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  ATTRIBUTE_COOPERATIVE = 2,
  ATTRIBUTE_CLUSTER_DIMENSION = 4,
  ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  FUNCTION_MAX_THREADS = 0,
  FUNCTION_SHARED_BYTES = 1,
  FUNCTION_REGISTERS = 4,
  FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,
  DEVICE_BLOCK_REGISTERS = 12,
  DEVICE_PROCESSORS = 16,
  DEVICE_BLOCK_SHARED_BYTES = 97,
  JIT_ERROR_LOG = 5,
  JIT_ERROR_LOG_SIZE = 6,
  CAPTURE_RELAXED = 2,
  SHARED_BYTES_WITHOUT_ASKING = 48 << 10,
  MOST_DEVICES = 64
};

/* The driver's own structs for launches with attributes. */
typedef struct CudaLaunchAttribute {
  uint32_t id;
  char padding[4];
  union {
    char padding[64];
    uint32_t cluster[3];
    int32_t is_on;
  } value;
} CudaLaunchAttribute;

typedef struct CudaLaunchConfig {
  uint32_t grid[3], block[3], shared_bytes;
  void *stream;
  CudaLaunchAttribute *attributes;
  uint32_t n_attributes;
} CudaLaunchConfig;

_Static_assert(sizeof(CudaLaunchAttribute) == 72 && sizeof(CudaLaunchConfig) == 56, "the driver's structs");

static struct {
  int (*init)(uint32_t flags);
  int (*device_get_count)(int *count);
  int (*device_get)(int *device, int ordinal);
  int (*device_get_attribute)(int *value, int attribute, int device);
  int (*get_error_string)(int code, const char **text);
  int (*get_error_name)(int code, const char **text);
  int (*primary_retain)(void **context, int device);
  int (*get_current)(void **context);
  int (*push_current)(void *context);
  int (*pop_current)(void **context);
  int (*get_device)(int *device);
  int (*exchange_capture_mode)(int *mode);
  int (*module_load)(void **module, const void *image, uint32_t n_options, int *options, void **values);
  int (*module_unload)(void *module);
  int (*module_get_function)(void **function, void *module, const char *name);
  int (*function_get)(int *value, int attribute, void *function);
  int (*function_set)(void *function, int attribute, int value);
  int (*occupancy)(int *blocks, void *function, int threads, size_t shared_bytes);
  int (*launch)(void *function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x, uint32_t block_y,
                uint32_t block_z, uint32_t shared_bytes, void *stream, void **params, void **extra);
  TensorMapEncode encode_tensor_map;
  int (*launch_ex)(const CudaLaunchConfig *config, void *function, void **params, void **extra);
} cuda;

static const FlySymbol symbols[] = {
    {&cuda.init, "cuInit", 0},
    {&cuda.device_get_count, "cuDeviceGetCount", 0},
    {&cuda.device_get, "cuDeviceGet", 0},
    {&cuda.device_get_attribute, "cuDeviceGetAttribute", 0},
    {&cuda.get_error_string, "cuGetErrorString", 0},
    {&cuda.get_error_name, "cuGetErrorName", 0},
    {&cuda.primary_retain, "cuDevicePrimaryCtxRetain", 0},
    {&cuda.get_current, "cuCtxGetCurrent", 0},
    {&cuda.push_current, "cuCtxPushCurrent_v2", 0},
    {&cuda.pop_current, "cuCtxPopCurrent_v2", 0},
    {&cuda.get_device, "cuCtxGetDevice", 0},
    {&cuda.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode", 0},
    {&cuda.module_load, "cuModuleLoadDataEx", 0},
    {&cuda.module_unload, "cuModuleUnload", 0},
    {&cuda.module_get_function, "cuModuleGetFunction", 0},
    {&cuda.function_get, "cuFuncGetAttribute", 0},
    {&cuda.function_set, "cuFuncSetAttribute", 0},
    {&cuda.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", 0},
    {&cuda.launch, "cuLaunchKernel", 0},
    {&cuda.encode_tensor_map, "cuTensorMapEncodeTiled", 1}, /* not before CUDA 12 */
    {&cuda.launch_ex, "cuLaunchKernelEx", 1}, /* not before CUDA 11.8: for clusters and flags */
};

#include "failures.h"

/* Change how calls of this thread are taken while a stream is captured; what it was, to go back to. -1: unchanged. */
static int exchange_capture_mode(int mode) {
  if (mode < 0 || !cuda.exchange_capture_mode || cuda.exchange_capture_mode(&mode) != CUDA_SUCCESS) return -1;
  return mode;
}

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static void *primaries[MOST_DEVICES]; /* kept until the process ends: others use them as well */

static int32_t retain_primary(int32_t ordinal, void **context) {
  int device = 0;
  const int32_t code = check(cuda.device_get(&device, ordinal), "cuDeviceGet");
  return code ? code : check(cuda.primary_retain(context, device), "cuDevicePrimaryCtxRetain");
}

/* The primary context of a device, retained once. */
static int32_t primary_of(int32_t ordinal, void **context) {
  if (ordinal < 0 || ordinal >= MOST_DEVICES)
    return fly_fail(CUDA_ERROR_INVALID_DEVICE, "there is no device %d", ordinal);
  int32_t code = CUDA_SUCCESS;
  pthread_mutex_lock(&guard);
  if (!primaries[ordinal]) code = retain_primary(ordinal, &primaries[ordinal]);
  *context = primaries[ordinal];
  pthread_mutex_unlock(&guard);
  return code;
}

/* Make a context current for a call; *entered says whether it has to be left. */
static int32_t enter(void *context, int *entered) {
  void *current = NULL;
  *entered = 0;
  int32_t code = check(cuda.get_current(&current), "cuCtxGetCurrent");
  if (code || current == context) return code;
  code = check(cuda.push_current(context), "cuCtxPushCurrent");
  *entered = !code;
  return code;
}

static void leave(int entered) {
  void *context;
  if (entered) cuda.pop_current(&context);
}

/* For calls that need a context and do not mind which: the current one, else that of a device which is in use. */
static int32_t enter_any(int *entered) {
  void *current = NULL, *used = NULL;
  *entered = 0;
  const int32_t code = check(cuda.get_current(&current), "cuCtxGetCurrent");
  if (code || current) return code;
  pthread_mutex_lock(&guard);
  for (int i = 0; i < MOST_DEVICES && !used; ++i) used = primaries[i];
  pthread_mutex_unlock(&guard);
  return used ? enter(used, entered) : CUDA_SUCCESS;
}

#endif
