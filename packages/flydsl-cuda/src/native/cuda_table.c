/* The FlyRuntimeApi of CUDA: the path of libcuda in, a table over its functions out.
 *
 * The driver's functions are looked up at run time and declared in driver.h, so neither its headers nor the library are
 * needed to build. Loading and launching is in C; memory, streams and events go through ctypes. Codes returned are
 * CUresult. Work runs in the primary contexts of the devices, which CUDA's own runtime and other frameworks use too.
 */
#include <fly_abi.h>

#include "code_object.h"
#include "driver.h"
#include "launch_failures.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLYCUDA_API __attribute__((visibility("default")))

/* A loaded module: `handles` is what the launcher sees, handles[i] points to kernel i. It is kept, emptied, when it is
 * unloaded: a launcher that still uses it gets an error. */
typedef struct Module {
  void *module, *context;
  uint32_t count;
  Kernel *kernels;
  void *handles[];
} Module;

/* Ask for more dynamic shared memory than a launch may have as it is. */
static int32_t allow_shared(Kernel *kernel, int64_t bytes) {
  int32_t code = CUDA_SUCCESS;
  pthread_mutex_lock(&guard);
  if (bytes > kernel->shared_bytes) {
    code = cuda.function_set(kernel->function, FUNCTION_MAX_DYNAMIC_SHARED_BYTES, (int)bytes);
    if (!code) kernel->shared_bytes = bytes;
  }
  pthread_mutex_unlock(&guard);
  return code ? fail_shared(code, kernel, bytes) : code;
}

static int32_t find_kernels(Module *module, Parts parts) {
  for (uint32_t i = 0; i < module->count; ++i) {
    Kernel *kernel = &module->kernels[i];
    int32_t code = cuda.module_get_function(&kernel->function, module->module, kernel->name);
    if (code) return check_kernel(code, "cuModuleGetFunction", kernel->name);
    int shared_bytes = 0;
    code = cuda.function_get(&shared_bytes, FUNCTION_SHARED_BYTES, kernel->function);
    if (code) return check_kernel(code, "cuFuncGetAttribute", kernel->name);
    kernel->static_bytes = shared_bytes;
    kernel->shared_bytes = SHARED_BYTES_WITHOUT_ASKING - shared_bytes;
    kernel->context = module->context;
    kernel->own_bytes = own_bytes(kernel->name, parts);
    if (kernel->own_bytes > kernel->shared_bytes) code = allow_shared(kernel, kernel->own_bytes);
    if (code) return code;
    module->handles[i] = kernel;
  }
  return CUDA_SUCCESS;
}

static void free_module(Module *module) {
  for (uint32_t i = 0; module && module->kernels && i < module->count; ++i) free(module->kernels[i].name);
  if (module) free(module->kernels);
  free(module);
}

/* A module with the names of its kernels, not loaded; NULL without memory. */
static Module *make_module(void *context, const char *const *names, uint32_t count) {
  Module *module = calloc(1, sizeof(Module) + (count + 1) * sizeof(void *));
  if (!module) return NULL;
  module->context = context;
  module->count = count;
  module->kernels = calloc(count + 1, sizeof(Kernel));
  int complete = module->kernels != NULL;
  for (uint32_t i = 0; complete && i < count; ++i) complete = (module->kernels[i].name = strdup(names[i])) != NULL;
  if (complete) return module;
  free_module(module);
  return NULL;
}

/* What to do about code that a driver does not take. */
static const char *advice_of(int32_t code) {
  if (code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    return "; the driver is older than the code: update it, or set FLYDSL_CUDA_PTXAS=none for code that is as old as "
           "the chip allows";
  if (code == CUDA_ERROR_NO_BINARY_FOR_GPU || code == CUDA_ERROR_INVALID_IMAGE)
    return "; it is for another chip: FLYDSL_COMPILE_ARCH chooses that, by default the device's own";
  return "";
}

static int32_t load_image(Module *module, const void *image) {
  char log[1024] = "";
  int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE};
  void *values[] = {log, (void *)(sizeof log - 1)};
  const int32_t code = cuda.module_load(&module->module, image, 2, options, values);
  if (!code) return code;
  if (is_sticky(code)) return check(code, "cuModuleLoadDataEx");
  return fly_fail(code, "cuModuleLoadDataEx: the code object cannot be loaded: %s%s%s%s", describe(code, NULL),
                  *log ? ": " : "", log, advice_of(code));
}

/* Load without a harm to captures: a stream that is captured takes no part in it. Machine code for another chip makes
 * way for its PTX. */
static int32_t load_in_context(Module *module, const void *image, uint64_t size) {
  const int mode = exchange_capture_mode(CAPTURE_RELAXED);
  int32_t code = load_image(module, image);
  const Parts parts = parts_of(image, size);
  if (parts.ptx && memcmp(image, "\177ELF", 4) == 0 &&
      (code == CUDA_ERROR_NO_BINARY_FOR_GPU || code == CUDA_ERROR_INVALID_IMAGE))
    code = load_image(module, parts.ptx);
  exchange_capture_mode(mode);
  if (code) return code;
  code = find_kernels(module, parts);
  if (code) cuda.module_unload(module->module);
  return code;
}

static int32_t module_load(void *self, int32_t ordinal, const void *image, uint64_t size, const char *const *names,
                           uint32_t count, void **result) {
  (void)self;
  if (!cuda.module_load) return fly_fail(CUDA_ERROR_NOT_INITIALIZED, "the CUDA driver is not open");
  if (!image || !result || (count && !names))
    return fly_fail(CUDA_ERROR_INVALID_VALUE, "module_load: a null pointer was passed");
  void *context = NULL;
  int32_t code = primary_of(ordinal, &context);
  if (code) return code;
  Module *module = make_module(context, names, count);
  if (!module) return fly_fail(CUDA_ERROR_OUT_OF_MEMORY, "no host memory for a module is left");
  int entered;
  code = enter(context, &entered);
  if (!code) {
    code = load_in_context(module, image, size);
    leave(entered);
  }
  if (code) free_module(module);
  else *result = module->handles;
  return code;
}

static int32_t module_unload(void *self, void *handles) {
  (void)self;
  if (!handles) return fly_fail(CUDA_ERROR_INVALID_VALUE, "module_unload: a null pointer was passed");
  Module *module = (Module *)((char *)handles - offsetof(Module, handles));
  if (!module->module) return fly_fail(CUDA_ERROR_INVALID_HANDLE, "module_unload: the module is unloaded already");
  int entered;
  int32_t code = enter(module->context, &entered);
  if (code) return code;
  code = check(cuda.module_unload(module->module), "cuModuleUnload");
  leave(entered);
  module->module = NULL;
  for (uint32_t i = 0; i < module->count; ++i) module->kernels[i].function = NULL;
  return code;
}

static int has_clusters(const FlyLaunchConfig *config) {
  return config->cluster[0] > 1 || config->cluster[1] > 1 || config->cluster[2] > 1;
}

static uint32_t flags_of(const FlyLaunchConfig *config) {
  return config->struct_size >= offsetof(FlyLaunchConfig, flags) + sizeof config->flags ? config->flags : 0;
}

static int32_t launch_with_attributes(const Kernel *kernel, const FlyLaunchConfig *config, void *stream,
                                      void **params) {
  if (!cuda.launch_ex)
    return fly_fail(CUDA_ERROR_NOT_SUPPORTED,
                    "kernel '%s': this driver cannot launch clusters of blocks, nor with use_pdl", kernel->name);
  CudaLaunchAttribute attributes[3] = {{.id = 0}};
  uint32_t count = 0;
  if (has_clusters(config)) {
    attributes[count].id = ATTRIBUTE_CLUSTER_DIMENSION;
    memcpy(attributes[count++].value.cluster, config->cluster, sizeof config->cluster);
  }
  if (flags_of(config) & FLY_LAUNCH_COOPERATIVE)
    attributes[count++] = (CudaLaunchAttribute){.id = ATTRIBUTE_COOPERATIVE, .value.is_on = 1};
  if (flags_of(config) & FLY_LAUNCH_DEPENDENT)
    attributes[count++] = (CudaLaunchAttribute){.id = ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .value.is_on = 1};
  CudaLaunchConfig driver_config = {.shared_bytes = config->shared_bytes + (uint32_t)kernel->own_bytes,
                                    .stream = stream,
                                    .attributes = attributes,
                                    .n_attributes = count};
  memcpy(driver_config.grid, config->grid, sizeof config->grid);
  memcpy(driver_config.block, config->block, sizeof config->block);
  return check_launch(cuda.launch_ex(&driver_config, kernel->function, params, NULL), "cuLaunchKernelEx", kernel,
                      config);
}

static int32_t launch_in_context(Kernel *kernel, const FlyLaunchConfig *config, void *stream, void **params) {
  const uint32_t *grid = config->grid, *block = config->block;
  if (config->shared_bytes > INT32_MAX)
    return fly_fail(CUDA_ERROR_INVALID_VALUE, "kernel '%s': a launch asks for %d bytes of shared memory", kernel->name,
                    (int32_t)config->shared_bytes);
  const int64_t shared_bytes = config->shared_bytes + kernel->own_bytes;
  if (shared_bytes > kernel->shared_bytes) {
    const int32_t code = allow_shared(kernel, shared_bytes);
    if (code) return code;
  }
  if (has_clusters(config) || flags_of(config)) return launch_with_attributes(kernel, config, stream, params);
  return check_launch(cuda.launch(kernel->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                  (uint32_t)shared_bytes, stream, params, NULL),
                      "cuLaunchKernel", kernel, config);
}

static int32_t launch(void *self, void *handle, const FlyLaunchConfig *config, void *stream, void **params) {
  (void)self;
  if (!handle || !config || config->struct_size < FLY_LAUNCH_CONFIG_LEAST)
    return fly_fail(CUDA_ERROR_INVALID_VALUE, "launch: the kernel or the configuration is missing");
  Kernel *kernel = handle;
  if (!kernel->function) return fly_fail(CUDA_ERROR_INVALID_HANDLE, "launch: the kernel's module is unloaded");
  int entered;
  int32_t code = enter(kernel->context, &entered);
  if (code) return code;
  code = launch_in_context(kernel, config, stream, params);
  leave(entered);
  return code;
}

static int32_t encode_tensor_map(void *self, const FlyTensorMapSpec *spec, void *map) {
  (void)self;
  TensorMapRecipe recipe;
  if (!spec || !map || spec->rank < 1 || spec->rank > FLY_TENSOR_MAP_RANK || spec->recipe_size != sizeof recipe)
    return fly_fail(CUDA_ERROR_INVALID_VALUE, "a tensor map: what the compiler wrote of it is of another version");
  if (!cuda.encode_tensor_map)
    return fly_fail(CUDA_ERROR_NOT_SUPPORTED, "this driver makes no tensor maps: update it to CUDA 12 or newer");
  memcpy(&recipe, spec->recipe, sizeof recipe);
  for (uint32_t i = 0; i < spec->rank; ++i)
    if (spec->shape[i] == 0) { /* strides of nothing may be 0 */
      memset(map, 0, FLY_TENSOR_MAP_BYTES); /* no kernel copies through it */
      return CUDA_SUCCESS;
    }
  char problem[160];
  check_tensor_map(spec, &recipe, problem, sizeof problem);
  if (*problem) return fly_fail(CUDA_ERROR_INVALID_VALUE, "a tensor map: %s", problem);
  int entered;
  int32_t code = enter_any(&entered);
  if (code) return code;
  code = check(write_tensor_map(cuda.encode_tensor_map, spec, &recipe, map), "cuTensorMapEncodeTiled");
  leave(entered);
  return code;
}

static const FlyRuntimeApi table = {.struct_size = sizeof(FlyRuntimeApi),
                                    .abi_version = FLY_ABI_VERSION,
                                    .module_load = module_load,
                                    .module_unload = module_unload,
                                    .launch = launch,
                                    .launch_flags = FLY_LAUNCH_COOPERATIVE | FLY_LAUNCH_DEPENDENT,
                                    .encode_tensor_map = encode_tensor_map};

/* Open and start the driver; 0, or the code with its reason. Not to be called by two threads at once. */
FLYCUDA_API int32_t flycuda_open(const char *path) {
  if (!cuda.launch) {
    const int32_t code = fly_open_library(path, symbols, sizeof symbols / sizeof *symbols, CUDA_ERROR_NOT_INITIALIZED);
    if (code) return code;
  }
  return check(cuda.init(0), "cuInit");
}

FLYCUDA_API const FlyRuntimeApi *flycuda_api(void) { return &table; }

FLYCUDA_API int32_t flycuda_device_count(int32_t *count) {
  *count = 0;
  return check(cuda.device_get_count(count), "cuDeviceGetCount");
}

/* The device of this thread's context, whose handle is its number; the first one when there is no context. */
FLYCUDA_API int32_t flycuda_current_device(int32_t *ordinal) {
  void *context = NULL;
  *ordinal = 0;
  const int32_t code = check(cuda.get_current(&context), "cuCtxGetCurrent");
  return code || !context ? code : check(cuda.get_device(ordinal), "cuCtxGetDevice");
}

FLYCUDA_API int32_t flycuda_primary_context(int32_t ordinal, void **context) { return primary_of(ordinal, context); }

/* Enter the primary context of a device for calls of this thread. */
FLYCUDA_API int32_t flycuda_enter(int32_t ordinal, int32_t *entered) {
  void *context = NULL;
  *entered = 0;
  const int32_t code = primary_of(ordinal, &context);
  return code ? code : enter(context, entered);
}

FLYCUDA_API void flycuda_leave(int32_t entered) { leave(entered); }

FLYCUDA_API int32_t flycuda_exchange_capture_mode(int32_t mode) { return exchange_capture_mode(mode); }

/* Blocks of so many threads, of a kernel of the table, that a multiprocessor runs at a time. */
FLYCUDA_API int32_t flycuda_max_blocks(void *handle, int32_t threads, int32_t *blocks) {
  const Kernel *kernel = handle;
  int entered;
  *blocks = 0;
  int32_t code = enter(kernel->context, &entered);
  if (code) return code;
  code = check_kernel(cuda.occupancy(blocks, kernel->function, threads, (size_t)kernel->own_bytes),
                      "cuOccupancyMaxActiveBlocksPerMultiprocessor", kernel->name);
  leave(entered);
  return code;
}

/* CUDA's own name and text for a code; valid until this thread asks again. */
FLYCUDA_API const char *flycuda_error_string(int32_t code) {
  return cuda.get_error_string ? describe(code, NULL) : "the CUDA driver is not open";
}

/* The explanation of this thread's last failure of that code, else CUDA's own text. */
FLYCUDA_API const char *flycuda_error_message(int32_t code) {
  const char *kept = fly_failure(code);
  return kept ? kept : flycuda_error_string(code);
}
