/* Device runtimes by platform. Readers take no lock: an entry is published whole, and never changes or goes. */
#include "runtimes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(const Runtime *) runtimes[PLATFORMS];
static pthread_mutex_t setting = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(ProvideRuntimeFn) provide_runtime;
static _Atomic(ProvideLauncherFn) provide_launcher;
static atomic_bool has_python = true;

static bool publish(Platform platform, const FlyRuntimeApi *api, DescribeFn describe, Failure *failure) {
  const Runtime *old = runtime_get(platform);
  if (old && old->api != api)
    return fail(failure, XLA_FFI_Error_Code_FAILED_PRECONDITION,
                "flydsl: platform %s has a device runtime already, and cannot change to another",
                platform_name(platform));
  if (old && old->describe == describe) return true;
  Runtime *runtime = malloc(sizeof *runtime);
  if (!runtime) return fail(failure, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "flydsl: no memory is left");
  *runtime = (Runtime){api, describe, old};
  atomic_store_explicit(&runtimes[platform], runtime, memory_order_release);
  return true;
}

bool runtime_set(Platform platform, const FlyRuntimeApi *api, DescribeFn describe, Failure *failure) {
  if (!api || api->struct_size < sizeof *api || api->abi_version != FLY_ABI_VERSION)
    return fail(failure, XLA_FFI_Error_Code_INVALID_ARGUMENT,
                "flydsl: the device runtime of platform %s has launcher ABI %u (%u bytes), and this flydsl-jax has %u "
                "(%zu bytes)",
                platform_name(platform), api ? api->abi_version : 0, api ? api->struct_size : 0, FLY_ABI_VERSION,
                sizeof *api);
  pthread_mutex_lock(&setting);
  const bool is_set = publish(platform, api, describe, failure);
  pthread_mutex_unlock(&setting);
  return is_set;
}

void runtime_set_providers(ProvideRuntimeFn runtime, ProvideLauncherFn launcher) {
  atomic_store(&provide_runtime, runtime);
  atomic_store(&provide_launcher, launcher);
}

void runtime_forget_python(void) {
  runtime_set_providers(NULL, NULL);
  atomic_store(&has_python, false);
}

const Runtime *runtime_get(Platform platform) {
  return atomic_load_explicit(&runtimes[platform], memory_order_acquire);
}

const Runtime *runtime_require(Platform platform, Failure *failure) {
  const Runtime *runtime = runtime_get(platform);
  if (runtime) return runtime;
  char text[512] = "";
  const ProvideRuntimeFn provide = atomic_load(&provide_runtime);
  if (provide) provide(platform, text, sizeof text);
  text[sizeof text - 1] = '\0';
  runtime = runtime_get(platform);
  if (!runtime)
    fail(failure, XLA_FFI_Error_Code_FAILED_PRECONDITION, "flydsl: platform %s has no device runtime: %s",
         platform_name(platform),
         *text ? text : "none was set in this process; call flydsl.jax.registration.register()");
  return runtime;
}

void runtime_ask_for_launcher(Platform platform, const char *key, char *text, size_t size) {
  const ProvideLauncherFn provide = atomic_load(&provide_launcher);
  *text = '\0';
  if (provide) provide(platform, key, text, size);
  text[size - 1] = '\0';
}

bool runtime_failed(const Runtime *runtime, const char *name, const char *what, int32_t code, Failure *failure) {
  char text[768] = "";
  if (runtime->describe && atomic_load(&has_python)) runtime->describe(code, text, sizeof text);
  text[sizeof text - 1] = '\0';
  return fail(failure, XLA_FFI_Error_Code_INTERNAL, "flydsl: %s: %s failed with code %d%s%s", name, what, (int)code,
              *text ? ": " : "", text);
}
