/* The FlyRuntimeApi of HIP: the path of libamdhip64 in, a table over its functions out.
 *
 * HIP's functions are looked up at run time and declared here, so neither its headers nor the library are needed to
 * build. Only launching is in C; memory, streams and events go through hip-python. Codes returned are hipError_t.
 */
#include <fly_abi.h>

#include <dlfcn.h>
#include <stdarg.h>
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
  HIP_ATTRIBUTE_CLUSTER_DIMENSION = 4
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
  int (*module_load_data)(void **module, const void *image);
  int (*module_unload)(void *module);
  int (*module_get_function)(void **function, void *module, const char *name);
  int (*module_launch_kernel)(void *function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x,
                              uint32_t block_y, uint32_t block_z, uint32_t shared_bytes, void *stream, void **params,
                              void **extra);
  int (*launch_kernel_ex)(const HipLaunchConfig *config, void *function, void **params, void **extra);
} hip;

static const struct {
  void *slot;
  const char *name;
  int optional;
} symbols[] = {
    {&hip.get_device_count, "hipGetDeviceCount", 0},
    {&hip.get_device, "hipGetDevice", 0},
    {&hip.set_device, "hipSetDevice", 0},
    {&hip.get_error_string, "hipGetErrorString", 0},
    {&hip.module_load_data, "hipModuleLoadData", 0},
    {&hip.module_unload, "hipModuleUnload", 0},
    {&hip.module_get_function, "hipModuleGetFunction", 0},
    {&hip.module_launch_kernel, "hipModuleLaunchKernel", 0},
    {&hip.launch_kernel_ex, "hipDrvLaunchKernelEx", 1}, /* not in older releases: only clusters need it */
};

/* The explanation of this thread's last failure. */
static _Thread_local struct {
  int32_t code;
  char text[512];
} last;

__attribute__((format(printf, 2, 3))) static int32_t fail(int32_t code, const char *format, ...) {
  last.code = code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(last.text, sizeof last.text, format, arguments);
  va_end(arguments);
  return code;
}

static int32_t check(int32_t code, const char *what, const char *subject) {
  return code == HIP_SUCCESS ? code : fail(code, "%s%s: %s", what, subject, hip.get_error_string(code));
}

/* Make a device current for a call; *previous is what to go back to, -1 for nothing. */
static int32_t enter_device(int32_t ordinal, int *previous) {
  int current = -1;
  *previous = -1;
  int32_t code = check(hip.get_device(&current), "hipGetDevice", "");
  if (code || current == ordinal) return code;
  code = check(hip.set_device(ordinal), "hipSetDevice", "");
  if (!code) *previous = current;
  return code;
}

static void leave_device(int previous) {
  if (previous >= 0) hip.set_device(previous);
}

typedef struct Kernel {
  void *function;
  int32_t ordinal;
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

static int32_t find_kernels(Module *module, const char *const *names, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t code =
        check(hip.module_get_function(&module->kernels[i].function, module->module, names[i]), "kernel ", names[i]);
    if (code) return code;
    module->kernels[i].ordinal = module->ordinal;
    module->handles[i] = &module->kernels[i];
  }
  return HIP_SUCCESS;
}

/* Whether a code is what every call returns after a kernel has failed. */
static int is_sticky(int32_t code) {
  return code == HIP_ERROR_ILLEGAL_ADDRESS || code == HIP_ERROR_ASSERT || code == HIP_ERROR_LAUNCH_FAILURE;
}

static int32_t load_on_current_device(Module *module, const void *image, const char *const *names, uint32_t count) {
  int32_t code = hip.module_load_data(&module->module, image);
  code = check(code,
               is_sticky(code) ? "an earlier kernel failed; the device does nothing more until hipDeviceReset"
                               : "the code object cannot be loaded",
               "");
  if (code) return code;
  code = find_kernels(module, names, count);
  if (code) hip.module_unload(module->module);
  return code;
}

static int32_t module_load(void *self, int32_t ordinal, const void *image, uint64_t size, const char *const *names,
                           uint32_t count, void **result) {
  (void)self, (void)size;
  if (!hip.module_load_data) return fail(HIP_ERROR_NOT_INITIALIZED, "the HIP library is not open");
  if (!image || !result || (count && !names))
    return fail(HIP_ERROR_INVALID_VALUE, "module_load: a null pointer was passed");
  Module *module = calloc(1, sizeof(Module) + (count + 1) * sizeof(void *));
  Kernel *kernels = calloc(count + 1, sizeof(Kernel));
  if (!module || !kernels) {
    free(module), free(kernels);
    return fail(HIP_ERROR_OUT_OF_MEMORY, "no host memory for a module is left");
  }
  module->ordinal = ordinal;
  module->count = count;
  module->kernels = kernels;
  int previous;
  int32_t code = enter_device(ordinal, &previous);
  if (!code) {
    code = load_on_current_device(module, image, names, count);
    leave_device(previous);
  }
  if (code) free(module), free(kernels);
  else *result = module->handles;
  return code;
}

static int32_t module_unload(void *self, void *handles) {
  (void)self;
  if (!handles) return fail(HIP_ERROR_INVALID_VALUE, "module_unload: a null pointer was passed");
  Module *module = (Module *)((char *)handles - offsetof(Module, handles));
  if (!module->module) return fail(HIP_ERROR_INVALID_HANDLE, "module_unload: the module is unloaded already");
  int previous;
  int32_t code = enter_device(module->ordinal, &previous);
  if (code) return code;
  code = check(hip.module_unload(module->module), "the code object cannot be unloaded", "");
  leave_device(previous);
  module->module = NULL;
  for (uint32_t i = 0; i < module->count; ++i) module->kernels[i].function = NULL;
  return code;
}

static int32_t launch_clusters(void *function, const FlyLaunchConfig *config, void *stream, void **params) {
  if (!hip.launch_kernel_ex) return fail(HIP_ERROR_NOT_SUPPORTED, "this HIP library cannot launch clusters of blocks");
  HipLaunchAttribute attribute = {.id = HIP_ATTRIBUTE_CLUSTER_DIMENSION};
  memcpy(attribute.value.cluster, config->cluster, sizeof config->cluster);
  HipLaunchConfig hip_config = {
      .shared_bytes = config->shared_bytes, .stream = stream, .attributes = &attribute, .n_attributes = 1};
  memcpy(hip_config.grid, config->grid, sizeof config->grid);
  memcpy(hip_config.block, config->block, sizeof config->block);
  return check(hip.launch_kernel_ex(&hip_config, function, params, NULL), "hipDrvLaunchKernelEx", "");
}

static int32_t launch(void *self, void *handle, const FlyLaunchConfig *config, void *stream, void **params) {
  (void)self;
  if (!handle || !config || config->struct_size < sizeof(FlyLaunchConfig))
    return fail(HIP_ERROR_INVALID_VALUE, "launch: the kernel or the configuration is missing");
  const Kernel *kernel = handle;
  if (!kernel->function) return fail(HIP_ERROR_INVALID_HANDLE, "launch: the kernel's module is unloaded");
  const uint32_t *grid = config->grid, *block = config->block, *cluster = config->cluster;
  int previous;
  int32_t code = enter_device(kernel->ordinal, &previous);
  if (code) return code;
  if (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1)
    code = launch_clusters(kernel->function, config, stream, params);
  else
    code = check(hip.module_launch_kernel(kernel->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                          config->shared_bytes, stream, params, NULL),
                 "hipModuleLaunchKernel", "");
  leave_device(previous);
  return code;
}

static const FlyRuntimeApi table = {sizeof(FlyRuntimeApi), FLY_ABI_VERSION, NULL, module_load, module_unload, launch};

/* Open the HIP library; 0, or hipErrorNotInitialized with the reason. Not to be called by two threads at once. */
FLYROCM_API int32_t flyrocm_open(const char *path) {
  if (hip.launch_kernel_ex || hip.module_launch_kernel) return HIP_SUCCESS;
  void *library = dlopen(path, RTLD_NOW);
  if (!library) return fail(HIP_ERROR_NOT_INITIALIZED, "%s", dlerror());
  void *found[sizeof symbols / sizeof *symbols];
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    found[i] = dlsym(library, symbols[i].name);
    if (!found[i] && !symbols[i].optional) {
      dlclose(library);
      return fail(HIP_ERROR_NOT_INITIALIZED, "%s has no function %s", path, symbols[i].name);
    }
  }
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i) memcpy(symbols[i].slot, &found[i], sizeof(void *));
  return HIP_SUCCESS;
}

FLYROCM_API const FlyRuntimeApi *flyrocm_api(void) { return &table; }

FLYROCM_API int32_t flyrocm_device_count(int32_t *count) {
  *count = 0;
  return check(hip.get_device_count(count), "hipGetDeviceCount", "");
}

FLYROCM_API int32_t flyrocm_current_device(int32_t *ordinal) {
  return check(hip.get_device(ordinal), "hipGetDevice", "");
}

/* HIP's own text for a code. */
FLYROCM_API const char *flyrocm_error_string(int32_t code) {
  return hip.get_error_string ? hip.get_error_string(code) : "the HIP library is not open";
}

/* The explanation of this thread's last failure of that code, else HIP's own text. */
FLYROCM_API const char *flyrocm_error_message(int32_t code) {
  if (code != HIP_SUCCESS && code == last.code) return last.text;
  return flyrocm_error_string(code);
}
