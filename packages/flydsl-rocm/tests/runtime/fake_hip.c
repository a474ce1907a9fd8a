/* A HIP driver that only keeps a log: one line a call, arguments in order. Memory is host memory. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char fake_log[1 << 16];         /* what was called */
char fake_failing[64];          /* name of a function that fails ... */
int fake_code = 719;            /* ... with this code */
#ifndef DEVICES
#define DEVICES 2
#endif
int fake_devices = DEVICES;
uint32_t fake_param_sizes[8];   /* sizes of the parameters of the next launch */
char fake_params[256];          /* their bytes, one behind the other */
int fake_has_pools = 1;         /* whether devices allocate in the order of streams */
int fake_has_peers = 1;         /* whether devices reach each other */
char fake_properties[2048];     /* what hipGetDeviceProperties gives */

static int current_device;
static uintptr_t next_handle = 0x100;

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
static int create(const char *name, void **handle, uint32_t flags) {
  const int code = call(name, "%u", flags);
  if (!code) *handle = (void *)(next_handle += 0x10);
  return code;
}
static unsigned long long number(const void *pointer) { return (uintptr_t)pointer; }

int hipGetDeviceCount(int *count) {
  const int code = call("hipGetDeviceCount", "");
  *count = fake_devices;
  return code ? code : fake_devices ? 0 : 100;
}
int hipGetDevice(int *ordinal) {  /* asked often: only its failure is told */
  *ordinal = current_device;
  return strcmp("hipGetDevice", fake_failing) ? 0 : fake_code;
}
int hipSetDevice(int ordinal) {
  const int code = call("hipSetDevice", "%d", ordinal);
  if (!code) current_device = ordinal;
  return code;
}
const char *hipGetErrorString(int code) {
  static _Thread_local char text[32];
  snprintf(text, sizeof text, "fake error %d", code);
  return text;
}
const char *hipGetErrorName(int code) {
  static _Thread_local char text[32];
  snprintf(text, sizeof text, "hipErrorFake%d", code);
  return text;
}
int hipDeviceGetAttribute(int *value, int attribute, int ordinal) {
  (void)attribute;
  *value = fake_has_pools;
  return call("hipDeviceGetAttribute", "on %d", ordinal);
}
int hipThreadExchangeStreamCaptureMode(int *mode) {
  static _Thread_local int current;
  const int before = current;
  current = *mode;
  *mode = before;
  return call("hipThreadExchangeStreamCaptureMode", "%d", current);
}
int hipDeviceCanAccessPeer(int *can, int ordinal, int peer) {
  *can = fake_has_peers;
  return call("hipDeviceCanAccessPeer", "%d, %d", ordinal, peer);
}
int hipDeviceEnablePeerAccess(int peer, uint32_t flags) {
  return call("hipDeviceEnablePeerAccess", "%d, %u on %d", peer, flags, current_device);
}
int hipGetDevicePropertiesR0600(void *properties, int ordinal) {
  memcpy(properties, fake_properties, 1472);
  return call("hipGetDeviceProperties", "%d", ordinal);
}

int hipModuleLoadData(void **module, const void *image) {
  const int code = call("hipModuleLoadData", "%.4s", (const char *)image);
  if (!code) *module = (void *)(next_handle += 0x10);
  return code;
}
int hipModuleUnload(void *module) { return call("hipModuleUnload", "%#llx", number(module)); }
int hipModuleGetFunction(void **function, void *module, const char *name) {
  if (!strncmp(name, "absent", 6)) return call("hipModuleGetFunction", "%s", name), 500;
  *function = (void *)(next_handle += 0x10);
  return call("hipModuleGetFunction", "%#llx, %s", number(module), name);
}
static void copy_params(void **params) {
  char *to = fake_params;
  for (int i = 0; i < 8 && fake_param_sizes[i]; to += fake_param_sizes[i++]) memcpy(to, params[i], fake_param_sizes[i]);
}
int hipModuleLaunchKernel(void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
                          uint32_t shared, void *stream, void **params, void **extra) {
  copy_params(params);
  return call("hipModuleLaunchKernel", "%#llx, %u %u %u, %u %u %u, %u, %#llx, %#llx on %d", number(f), gx, gy, gz, bx,
              by, bz, shared, number(stream), number(extra), current_device);
}
#ifndef OLD_HIP
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
int hipDrvLaunchKernelEx(const Config *c, void *f, void **params, void **extra) {
  copy_params(params);
  const uint32_t *cluster = c->attributes->value;
  return call("hipDrvLaunchKernelEx", "%#llx, %u %u %u, %u %u %u, %u, %#llx, %u: %u = %u %u %u", number(f), c->grid[0],
              c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared, number(c->stream), c->count,
              c->attributes->id, cluster[0], cluster[1], cluster[2]);
}
#endif

int hipMalloc(void **pointer, size_t size) {
  const int code = call("hipMalloc", "%zu on %d", size, current_device);
  if (!code) *pointer = malloc(size);
  return code;
}
int hipMallocAsync(void **pointer, size_t size, void *stream) {
  const int code = call("hipMallocAsync", "%zu, %#llx on %d", size, number(stream), current_device);
  if (!code) *pointer = malloc(size);
  return code;
}
int hipFreeAsync(void *pointer, void *stream) { return free(pointer), call("hipFreeAsync", "%#llx", number(stream)); }
int hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size, void *stream) {
  memcpy(to, from, size);
  return call("hipMemcpyPeerAsync", "%d, %d, %zu, %#llx", to_device, from_device, size, number(stream));
}
int hipFree(void *pointer) { return free(pointer), call("hipFree", ""); }
int hipMemcpy(void *to, const void *from, size_t size, int kind) {
  return memcpy(to, from, size), call("hipMemcpy", "%zu, %d", size, kind);
}
int hipMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream) {
  return memcpy(to, from, size), call("hipMemcpyAsync", "%zu, %d, %#llx", size, kind, number(stream));
}
int hipMemsetAsync(void *to, int value, size_t size, void *stream) {
  return memset(to, value, size), call("hipMemsetAsync", "%d, %zu, %#llx", value, size, number(stream));
}
int hipStreamCreateWithFlags(void **stream, uint32_t flags) {
  return create("hipStreamCreateWithFlags", stream, flags);
}
int hipStreamDestroy(void *stream) { return call("hipStreamDestroy", "%#llx", number(stream)); }
int hipStreamSynchronize(void *stream) { return call("hipStreamSynchronize", "%#llx", number(stream)); }
int hipEventCreateWithFlags(void **event, uint32_t flags) { return create("hipEventCreateWithFlags", event, flags); }
int hipEventDestroy(void *event) { return call("hipEventDestroy", "%#llx", number(event)); }
int hipEventRecord(void *event, void *stream) {
  return call("hipEventRecord", "%#llx, %#llx", number(event), number(stream));
}
int hipStreamWaitEvent(void *stream, void *event, uint32_t flags) {
  return call("hipStreamWaitEvent", "%#llx, %#llx, %u", number(stream), number(event), flags);
}
int hipEventQuery(void *event) { return call("hipEventQuery", "%#llx", number(event)); }
int hipEventSynchronize(void *event) { return call("hipEventSynchronize", "%#llx", number(event)); }
int hipEventElapsedTime(float *ms, void *start, void *end) {
  *ms = 2.5f;
  return call("hipEventElapsedTime", "%#llx, %#llx", number(start), number(end));
}
int hipDeviceSynchronize(void) { return call("hipDeviceSynchronize", "on %d", current_device); }
