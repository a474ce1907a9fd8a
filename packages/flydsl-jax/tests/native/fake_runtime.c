/* A module is a pointer into `devices`, the number of its device. */
#define _POSIX_C_SOURCE 200809L
#include "fake_runtime.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

FakeRuntime fake_runtime;
static char devices[FAKE_DEVICES];
static _Thread_local FakeLaunch last;

const FakeLaunch *fake_last(void) { return &last; }

static int32_t module_load(void *self, int32_t ordinal, const void *image, uint64_t size, const char *const *names,
                           uint32_t count, void **module) {
  FakeRuntime *runtime = self;
  (void)image, (void)size, (void)names, (void)count;
  if (runtime->failing_load) return runtime->failing_load;
  nanosleep(&(struct timespec){.tv_nsec = runtime->load_milliseconds * 1000000L}, NULL);
  atomic_fetch_add(&runtime->loads[ordinal], 1);
  *module = &devices[ordinal];
  return 0;
}

static int32_t launch(void *self, void *kernel, const FlyLaunchConfig *config, void *stream, void **params) {
  FakeRuntime *runtime = self;
  (void)config;
  if (runtime->failing_launch) return runtime->failing_launch;
  last.ordinal = (int32_t)((char *)kernel - devices);
  last.stream = stream;
  memcpy(last.packed, params[0], FAKE_PACKED);
  atomic_fetch_add(&runtime->launches[last.ordinal], 1);
  return 0;
}

const FlyRuntimeApi fake_table = {.struct_size = sizeof(FlyRuntimeApi),
                                  .abi_version = FLY_ABI_VERSION,
                                  .self = &fake_runtime,
                                  .module_load = module_load,
                                  .launch = launch};

int32_t fake_describe(int32_t code, char *text, uint64_t size) {
  snprintf(text, size, "kernel 'fake_kernel': reason %d", (int)code);
  return 0;
}
