/* A CUDA driver that only keeps a log: one line a call, arguments in order. Memory is host memory. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef DEVICES
#define DEVICES 2
#endif
#ifndef VERSION
#define VERSION 13000
#endif

char fake_log[1 << 16];       /* what was called */
char fake_failing[64];        /* name of a function that fails ... */
int fake_code = 719;          /* ... with this code */
char fake_failing_image[8];   /* how an image begins that does not load ... */
int fake_image_code = 209;    /* ... and why */
int fake_devices = DEVICES;
uint32_t fake_param_sizes[8]; /* sizes of the parameters of the next launch */
char fake_params[256];        /* their bytes, one behind the other */
int fake_has_pools = 1;       /* whether devices allocate in the order of streams */
int fake_has_peers = 1;       /* whether devices reach each other */
int fake_major = 9, fake_minor = 0;
int fake_most_threads = 1024; /* of a block of any kernel, as its code allows */
int fake_static_shared = 0;   /* bytes of shared memory that kernels allocate themselves */

static _Thread_local void *contexts[8]; /* a stack: the current one is the last */
static _Thread_local int depth;
static uintptr_t next_handle = 0x100;
static const uintptr_t primary = 0xC0; /* that of device i is this plus i */

static int call(const char *name, const char *format, ...) {
  char arguments[512];
  va_list list;
  va_start(list, format);
  vsnprintf(arguments, sizeof arguments, format, list);
  va_end(list);
  const size_t used = strlen(fake_log);
  snprintf(fake_log + used, sizeof fake_log - used, "%s(%s)\n", name, arguments);
  return strcmp(name, fake_failing) ? 0 : fake_code;
}
static int create(const char *name, void **handle, uint32_t flags, int device) {
  const int code = call(name, "%u on %d", flags, device);
  if (!code) *handle = (void *)(next_handle += 0x10);
  return code;
}
static unsigned long long number(const void *pointer) { return (uintptr_t)pointer; }
/* The device of this thread's context; -1 without one, which real drivers refuse. */
static int here(void) { return depth ? (int)((uintptr_t)contexts[depth - 1] - primary) : -1; }

int cuInit(uint32_t flags) {
  const int code = call("cuInit", "%u", flags);
  return code ? code : fake_devices ? 0 : 100;
}
int cuDriverGetVersion(int *version) { return *version = VERSION, 0; }
int cuDeviceGetCount(int *count) {
  *count = fake_devices;
  return call("cuDeviceGetCount", "");
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  const int code = call("cuDeviceGet", "%d", ordinal);
  return code ? code : ordinal < fake_devices ? 0 : 101;
}
int cuDeviceGetName(char *name, int length, int device) {
  snprintf(name, length, "NVIDIA Fake");
  return call("cuDeviceGetName", "%d", device);
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 1: *value = 1024; break;
  case 10: *value = 32; break;
  case 12: *value = 64 << 10; break;
  case 16: *value = 132; break;
  case 75: *value = fake_major; break;
  case 76: *value = fake_minor; break;
  case 97: *value = 227 << 10; break;
  case 115: *value = fake_has_pools; break;
  default: *value = -1;
  }
  return call("cuDeviceGetAttribute", "%d on %d", attribute, device);
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  *bytes = (size_t)139 << 30;
  return call("cuDeviceTotalMem", "%d", device);
}
int cuGetErrorString(int code, const char **text) {
  static _Thread_local char found[32];
  snprintf(found, sizeof found, "fake error %d", code);
  *text = found;
  return code < 0;
}
int cuGetErrorName(int code, const char **text) {
  static _Thread_local char found[32];
  snprintf(found, sizeof found, "CUDA_ERROR_FAKE_%d", code);
  *text = found;
  return code < 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  const int code = call("cuDevicePrimaryCtxRetain", "%d", device);
  if (!code) *context = (void *)(primary + device);
  return code;
}
int cuCtxGetCurrent(void **context) { /* asked often: only its failure is told */
  *context = depth ? contexts[depth - 1] : NULL;
  return strcmp("cuCtxGetCurrent", fake_failing) ? 0 : fake_code;
}
int cuCtxPushCurrent_v2(void *context) {
  const int code = call("cuCtxPushCurrent", "%d", (int)((uintptr_t)context - primary));
  if (!code) contexts[depth++] = context;
  return code;
}
int cuCtxPopCurrent_v2(void **context) {
  if (!depth) return 201;
  *context = contexts[--depth];
  return call("cuCtxPopCurrent", "");
}
int cuCtxGetDevice(int *device) {
  *device = here();
  return strcmp("cuCtxGetDevice", fake_failing) ? 0 : fake_code;
}
int cuCtxSynchronize(void) { return call("cuCtxSynchronize", "on %d", here()); }
int cuThreadExchangeStreamCaptureMode(int *mode) {
  static _Thread_local int current;
  const int before = current;
  current = *mode;
  *mode = before;
  return call("cuThreadExchangeStreamCaptureMode", "%d", current);
}
int cuDeviceCanAccessPeer(int *can, int device, int peer) {
  *can = fake_has_peers;
  return call("cuDeviceCanAccessPeer", "%d, %d", device, peer);
}
int cuCtxEnablePeerAccess(void *context, uint32_t flags) {
  return call("cuCtxEnablePeerAccess", "%d, %u on %d", (int)((uintptr_t)context - primary), flags, here());
}

int cuModuleLoadDataEx(void **module, const void *image, uint32_t count, int *options, void **values) {
  char start[5] = "";
  memcpy(start, image, 4);
  if (*start == '\177') *start = '.';
  int code = call("cuModuleLoadDataEx", "%s, %u on %d", start, count, here());
  if (*fake_failing_image && !strncmp(start, fake_failing_image, strlen(fake_failing_image))) code = fake_image_code;
  if (code && count == 2 && options[0] == 5 && options[1] == 6)
    snprintf(values[0], (size_t)(uintptr_t)values[1], "the log of the driver's compiler");
  if (!code) *module = (void *)(next_handle += 0x10);
  return code;
}
int cuModuleUnload(void *module) { return call("cuModuleUnload", "%#llx", number(module)); }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  if (!strncmp(name, "absent", 6)) return call("cuModuleGetFunction", "%s", name), 500;
  *function = (void *)(next_handle += 0x10);
  return call("cuModuleGetFunction", "%#llx, %s", number(module), name);
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  *value = attribute == 4 ? 168 : attribute == 0 ? fake_most_threads : fake_static_shared;
  return call("cuFuncGetAttribute", "%d, %#llx", attribute, number(function));
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  return call("cuFuncSetAttribute", "%#llx, %d = %d", number(function), attribute, value);
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
  *blocks = 2048 / threads;
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessor", "%#llx, %d, %zu", number(function), threads, shared);
}
static void copy_params(void **params) {
  char *to = fake_params;
  for (int i = 0; i < 8 && fake_param_sizes[i]; to += fake_param_sizes[i++]) memcpy(to, params[i], fake_param_sizes[i]);
}
int cuLaunchKernel(void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
                   uint32_t shared, void *stream, void **params, void **extra) {
  copy_params(params);
  return call("cuLaunchKernel", "%#llx, %u %u %u, %u %u %u, %u, %#llx, %#llx on %d", number(f), gx, gy, gz, bx, by, bz,
              shared, number(stream), number(extra), here());
}
#ifndef OLD_CUDA
typedef struct {
  uint32_t id;
  char pad[4];
  uint32_t value[16];
} Attribute;
typedef struct {
  uint32_t grid[3], block[3], shared;
  void *stream;
  Attribute *attributes;
  uint32_t count;
} Config;
int cuLaunchKernelEx(const Config *c, void *f, void **params, void **extra) {
  copy_params(params);
  (void)extra;
  char attributes[256] = "";
  for (uint32_t i = 0; i < c->count; ++i) {
    const uint32_t *value = c->attributes[i].value;
    sprintf(attributes + strlen(attributes), ", %u = %u %u %u", c->attributes[i].id, value[0], value[1], value[2]);
  }
  return call("cuLaunchKernelEx", "%#llx, %u %u %u, %u %u %u, %u, %#llx%s", number(f), c->grid[0], c->grid[1],
              c->grid[2], c->block[0], c->block[1], c->block[2], c->shared, number(c->stream), attributes);
}
#endif

#ifndef OLD_CUDA
int cuTensorMapEncodeTiled(void *map, uint32_t type, uint32_t rank, void *address, const uint64_t *extents,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, uint32_t interleave,
                           uint32_t swizzle, uint32_t promotion, uint32_t fill) {
  char text[256] = "";
  for (uint32_t i = 0; i < rank; ++i)
    sprintf(text + strlen(text), "%s%llu by %llu of %u/%u", i ? ", " : "", (unsigned long long)extents[i],
            i ? (unsigned long long)strides[i - 1] : 0ull, box[i], steps[i]);
  memset(map, 0xAB, 128);
  const int code = call("cuTensorMapEncodeTiled", "%u at %#llx: %s; %u %u %u %u on %d", type, number(address), text,
                        interleave, swizzle, promotion, fill, here());
  return code || depth ? code : 201; /* as the real one, which uses nothing of the context */
}
#endif

int cuMemAlloc_v2(void **pointer, size_t size) {
  const int code = call("cuMemAlloc", "%zu on %d", size, here());
  if (!code) *pointer = malloc(size);
  return code;
}
int cuMemAllocAsync(void **pointer, size_t size, void *stream) {
  const int code = call("cuMemAllocAsync", "%zu, %#llx on %d", size, number(stream), here());
  if (!code) *pointer = malloc(size);
  return code;
}
int cuMemFreeAsync(void *pointer, void *stream) {
  return free(pointer), call("cuMemFreeAsync", "%#llx", number(stream));
}
int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = 5 << 20;
  *total = (size_t)139 << 30;
  return call("cuMemGetInfo", "on %d", here());
}
int cuMemFree_v2(void *pointer) {
  const int code = call("cuMemFree", "on %d", here());
  if (!code) free(pointer);
  return code;
}
int cuMemcpy(void *to, const void *from, size_t size) {
  return memcpy(to, from, size), call("cuMemcpy", "%zu on %d", size, here());
}
int cuMemcpyAsync(void *to, const void *from, size_t size, void *stream) {
  return memcpy(to, from, size), call("cuMemcpyAsync", "%zu, %#llx", size, number(stream));
}
int cuMemcpyPeerAsync(void *to, void *to_context, const void *from, void *from_context, size_t size, void *stream) {
  memcpy(to, from, size);
  return call("cuMemcpyPeerAsync", "%d, %d, %zu, %#llx", (int)((uintptr_t)to_context - primary),
              (int)((uintptr_t)from_context - primary), size, number(stream));
}
int cuMemsetD8Async(void *to, uint8_t value, size_t size, void *stream) {
  return memset(to, value, size), call("cuMemsetD8Async", "%d, %zu, %#llx on %d", value, size, number(stream), here());
}
int cuStreamCreate(void **stream, uint32_t flags) { return create("cuStreamCreate", stream, flags, here()); }
int cuStreamDestroy_v2(void *stream) { return call("cuStreamDestroy", "%#llx", number(stream)); }
int cuStreamSynchronize(void *stream) { return call("cuStreamSynchronize", "%#llx on %d", number(stream), here()); }
int cuStreamWaitEvent(void *stream, void *event, uint32_t flags) {
  return call("cuStreamWaitEvent", "%#llx, %#llx, %u", number(stream), number(event), flags);
}
int cuEventCreate(void **event, uint32_t flags) { return create("cuEventCreate", event, flags, here()); }
int cuEventDestroy_v2(void *event) { return call("cuEventDestroy", "%#llx", number(event)); }
int cuEventRecord(void *event, void *stream) {
  return call("cuEventRecord", "%#llx, %#llx", number(event), number(stream));
}
int cuEventQuery(void *event) { return call("cuEventQuery", "%#llx", number(event)); }
int cuEventSynchronize(void *event) { return call("cuEventSynchronize", "%#llx", number(event)); }
int cuEventElapsedTime(float *ms, void *start, void *end) {
  *ms = 2.5f;
  return call("cuEventElapsedTime", "%#llx, %#llx", number(start), number(end));
}
