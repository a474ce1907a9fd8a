/* The FlyRuntimeApi of HIP: the path of libamdhip64 in, a table over its functions out.
 *
 * HIP's functions are looked up at run time and declared here, so neither its headers nor the library are needed to
 * build. Only launching is in C; memory, streams and events go through hip-python. Codes returned are hipError_t.
 */
#include <fly_abi.h>
#include <fly_library.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLYROCM_API __attribute__((visibility("default")))

enum {
  HIP_SUCCESS = 0,
  HIP_ERROR_INVALID_VALUE = 1,
  HIP_ERROR_OUT_OF_MEMORY = 2,
  HIP_ERROR_NOT_INITIALIZED = 3,
  HIP_ERROR_INVALID_HANDLE = 400,
  HIP_ERROR_ILLEGAL_ADDRESS = 700,
  HIP_ERROR_ASSERT = 710,
  HIP_ERROR_LAUNCH_FAILURE = 719,
  HIP_ERROR_NOT_SUPPORTED = 801,
  HIP_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  HIP_CAPTURE_RELAXED = 2
};

/* HIP's own structs for launches with attributes. */
typedef struct HipLaunchAttribute {
  uint32_t id;
  char padding[4];
  union {
    char padding[64];
    uint32_t cluster[3];
  } value;
} HipLaunchAttribute;

typedef struct HipLaunchConfig {
  uint32_t grid[3], block[3], shared_bytes;
  void *stream;
  HipLaunchAttribute *attributes;
  uint32_t n_attributes;
} HipLaunchConfig;

_Static_assert(sizeof(HipLaunchAttribute) == 72 && sizeof(HipLaunchConfig) == 56, "HIP's structs");

static struct {
  int (*get_device_count)(int *count);
  int (*get_device)(int *ordinal);
  int (*set_device)(int ordinal);
  const char *(*get_error_string)(int code);
  const char *(*get_error_name)(int code);
  int (*exchange_capture_mode)(int *mode);
  int (*module_load_data)(void **module, const void *image);
  int (*module_unload)(void *module);
  int (*module_get_function)(void **function, void *module, const char *name);
  int (*module_launch_kernel)(void *function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x,
                              uint32_t block_y, uint32_t block_z, uint32_t shared_bytes, void *stream, void **params,
                              void **extra);
  int (*launch_kernel_ex)(const HipLaunchConfig *config, void *function, void **params, void **extra);
} hip;

static const FlySymbol symbols[] = {
    {&hip.get_device_count, "hipGetDeviceCount", 0},
    {&hip.get_device, "hipGetDevice", 0},
    {&hip.set_device, "hipSetDevice", 0},
    {&hip.get_error_string, "hipGetErrorString", 0},
    {&hip.get_error_name, "hipGetErrorName", 0},
    {&hip.exchange_capture_mode, "hipThreadExchangeStreamCaptureMode", 1},
    {&hip.module_load_data, "hipModuleLoadData", 0},
    {&hip.module_unload, "hipModuleUnload", 0},
    {&hip.module_get_function, "hipModuleGetFunction", 0},
    {&hip.module_launch_kernel, "hipModuleLaunchKernel", 0},
    {&hip.launch_kernel_ex, "hipDrvLaunchKernelEx", 1}, /* not in older releases: only clusters need it */
};

/* HIP's name of a code and its text. */
static const char *describe(int32_t code) {
  static _Thread_local char text[256];
  snprintf(text, sizeof text, "%s: %s", hip.get_error_name(code), hip.get_error_string(code));
  return text;
}

static int32_t check(int32_t code, const char *what) {
  return code == HIP_SUCCESS ? code : fly_fail(code, "%s: %s", what, describe(code));
}

static int32_t check_kernel(int32_t code, const char *what, const char *kernel) {
  return code == HIP_SUCCESS ? code : fly_fail(code, "kernel '%s': %s: %s", kernel, what, describe(code));
}

/* Change how calls of this thread are taken while a stream is captured; what it was, to go back to. -1: unchanged. */
static int exchange_capture_mode(int mode) {
  if (mode < 0 || !hip.exchange_capture_mode || hip.exchange_capture_mode(&mode) != HIP_SUCCESS) return -1;
  return mode;
}

/* Make a device current for a call; *previous is what to go back to, -1 for nothing. */
static int32_t enter_device(int32_t ordinal, int *previous) {
  int current = -1;
  *previous = -1;
  int32_t code = check(hip.get_device(&current), "hipGetDevice");
  if (code || current == ordinal) return code;
  code = check(hip.set_device(ordinal), "hipSetDevice");
  if (!code) *previous = current;
  return code;
}

static void leave_device(int previous) {
  if (previous >= 0) hip.set_device(previous);
}

typedef struct Kernel {
  void *function;
  int32_t ordinal;
  char *name;
} Kernel;

/* A loaded module: `handles` is what the launcher sees, handles[i] points to kernel i. It is kept, emptied, when it is
 * unloaded: a launcher that still uses it gets an error. */
typedef struct Module {
  void *module;
  int32_t ordinal;
  uint32_t count;
  Kernel *kernels;
  void *handles[];
} Module;

static int32_t find_kernels(Module *module) {
  for (uint32_t i = 0; i < module->count; ++i) {
    Kernel *kernel = &module->kernels[i];
    const int32_t code = hip.module_get_function(&kernel->function, module->module, kernel->name);
    if (code) return check_kernel(code, "hipModuleGetFunction", kernel->name);
    kernel->ordinal = module->ordinal;
    module->handles[i] = kernel;
  }
  return HIP_SUCCESS;
}

static void free_module(Module *module) {
  for (uint32_t i = 0; module && module->kernels && i < module->count; ++i) free(module->kernels[i].name);
  if (module) free(module->kernels);
  free(module);
}

/* A module with the names of its kernels, not loaded; NULL without memory. */
static Module *make_module(int32_t ordinal, const char *const *names, uint32_t count) {
  Module *module = calloc(1, sizeof(Module) + (count + 1) * sizeof(void *));
  if (!module) return NULL;
  module->ordinal = ordinal;
  module->count = count;
  module->kernels = calloc(count + 1, sizeof(Kernel));
  int complete = module->kernels != NULL;
  for (uint32_t i = 0; complete && i < count; ++i) complete = (module->kernels[i].name = strdup(names[i])) != NULL;
  if (complete) return module;
  free_module(module);
  return NULL;
}

/* Whether a code is what every call returns after a kernel has failed. */
static int is_sticky(int32_t code) {
  return code == HIP_ERROR_ILLEGAL_ADDRESS || code == HIP_ERROR_ASSERT || code == HIP_ERROR_LAUNCH_FAILURE;
}

/* Load without a harm to captures: a stream that is captured takes no part in it. */
static int32_t load_on_current_device(Module *module, const void *image) {
  const int mode = exchange_capture_mode(HIP_CAPTURE_RELAXED);
  int32_t code = hip.module_load_data(&module->module, image);
  exchange_capture_mode(mode);
  code = check(code,
               is_sticky(code) ? "an earlier kernel failed; the device does nothing more until hipDeviceReset"
                               : "hipModuleLoadData: the code object cannot be loaded");
  if (code) return code;
  code = find_kernels(module);
  if (code) hip.module_unload(module->module);
  return code;
}

static int32_t module_load(void *self, int32_t ordinal, const void *image, uint64_t size, const char *const *names,
                           uint32_t count, void **result) {
  (void)self, (void)size;
  if (!hip.module_load_data) return fly_fail(HIP_ERROR_NOT_INITIALIZED, "the HIP library is not open");
  if (!image || !result || (count && !names))
    return fly_fail(HIP_ERROR_INVALID_VALUE, "module_load: a null pointer was passed");
  Module *module = make_module(ordinal, names, count);
  if (!module) return fly_fail(HIP_ERROR_OUT_OF_MEMORY, "no host memory for a module is left");
  int previous;
  int32_t code = enter_device(ordinal, &previous);
  if (!code) {
    code = load_on_current_device(module, image);
    leave_device(previous);
  }
  if (code) free_module(module);
  else *result = module->handles;
  return code;
}

static int32_t module_unload(void *self, void *handles) {
  (void)self;
  if (!handles) return fly_fail(HIP_ERROR_INVALID_VALUE, "module_unload: a null pointer was passed");
  Module *module = (Module *)((char *)handles - offsetof(Module, handles));
  if (!module->module) return fly_fail(HIP_ERROR_INVALID_HANDLE, "module_unload: the module is unloaded already");
  int previous;
  int32_t code = enter_device(module->ordinal, &previous);
  if (code) return code;
  code = check(hip.module_unload(module->module), "hipModuleUnload");
  leave_device(previous);
  module->module = NULL;
  for (uint32_t i = 0; i < module->count; ++i) module->kernels[i].function = NULL;
  return code;
}

static int32_t launch_clusters(const Kernel *kernel, const FlyLaunchConfig *config, void *stream, void **params) {
  if (!hip.launch_kernel_ex)
    return fly_fail(HIP_ERROR_NOT_SUPPORTED, "kernel '%s': this HIP library cannot launch clusters of blocks",
                    kernel->name);
  HipLaunchAttribute attribute = {.id = HIP_ATTRIBUTE_CLUSTER_DIMENSION};
  memcpy(attribute.value.cluster, config->cluster, sizeof config->cluster);
  HipLaunchConfig hip_config = {
      .shared_bytes = config->shared_bytes, .stream = stream, .attributes = &attribute, .n_attributes = 1};
  memcpy(hip_config.grid, config->grid, sizeof config->grid);
  memcpy(hip_config.block, config->block, sizeof config->block);
  const int32_t code = hip.launch_kernel_ex(&hip_config, kernel->function, params, NULL);
  return check_kernel(code, "hipDrvLaunchKernelEx", kernel->name);
}

static int32_t launch(void *self, void *handle, const FlyLaunchConfig *config, void *stream, void **params) {
  (void)self;
  if (!handle || !config || config->struct_size < FLY_LAUNCH_CONFIG_LEAST)
    return fly_fail(HIP_ERROR_INVALID_VALUE, "launch: the kernel or the configuration is missing");
  const Kernel *kernel = handle;
  if (!kernel->function) return fly_fail(HIP_ERROR_INVALID_HANDLE, "launch: the kernel's module is unloaded");
  const uint32_t *grid = config->grid, *block = config->block, *cluster = config->cluster;
  int previous;
  int32_t code = enter_device(kernel->ordinal, &previous);
  if (code) return code;
  if (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1) code = launch_clusters(kernel, config, stream, params);
  else
    code = check_kernel(hip.module_launch_kernel(kernel->function, grid[0], grid[1], grid[2], block[0], block[1],
                                                 block[2], config->shared_bytes, stream, params, NULL),
                        "hipModuleLaunchKernel", kernel->name);
  leave_device(previous);
  return code;
}

static const FlyRuntimeApi table = {.struct_size = sizeof(FlyRuntimeApi),
                                    .abi_version = FLY_ABI_VERSION,
                                    .module_load = module_load,
                                    .module_unload = module_unload,
                                    .launch = launch};

/* Open the HIP library; 0, or hipErrorNotInitialized with the reason. Not to be called by two threads at once. */
FLYROCM_API int32_t flyrocm_open(const char *path) {
  if (hip.launch_kernel_ex || hip.module_launch_kernel) return HIP_SUCCESS;
  return fly_open_library(path, symbols, sizeof symbols / sizeof *symbols, HIP_ERROR_NOT_INITIALIZED);
}

FLYROCM_API const FlyRuntimeApi *flyrocm_api(void) { return &table; }

FLYROCM_API int32_t flyrocm_device_count(int32_t *count) {
  *count = 0;
  return check(hip.get_device_count(count), "hipGetDeviceCount");
}

FLYROCM_API int32_t flyrocm_current_device(int32_t *ordinal) { return check(hip.get_device(ordinal), "hipGetDevice"); }

FLYROCM_API int32_t flyrocm_exchange_capture_mode(int32_t mode) { return exchange_capture_mode(mode); }

/* HIP's own name and text for a code; valid until this thread asks again. */
FLYROCM_API const char *flyrocm_error_string(int32_t code) {
  return hip.get_error_string ? describe(code) : "the HIP library is not open";
}

/* The explanation of this thread's last failure of that code, else HIP's own text. */
FLYROCM_API const char *flyrocm_error_message(int32_t code) {
  const char *kept = fly_failure(code);
  return kept ? kept : flyrocm_error_string(code);
}
