/* The functions for Python. */
#include "api.h"

#include <stdlib.h>
#include <string.h>

#include "launchers.h"
#include "plan.h"

static int32_t explain(const Failure *failure, char *text, uint64_t size) {
  snprintf(text, size, "%s", failure->text);
  return 1;
}

static bool check_platform(int32_t platform, Failure *failure) {
  if (platform >= 0 && platform < PLATFORMS) return true;
  return fail(failure, XLA_FFI_Error_Code_INVALID_ARGUMENT, "flydsl: there is no platform %d", (int)platform);
}

FLYDSL_JAX_API int32_t flydsl_jax_set_runtime(int32_t platform, const FlyRuntimeApi *api, DescribeFn describe,
                                              char *text, uint64_t size) {
  Failure failure;
  const bool is_set = check_platform(platform, &failure) && runtime_set(platform, api, describe, &failure);
  return is_set ? 0 : explain(&failure, text, size);
}

FLYDSL_JAX_API void flydsl_jax_set_providers(ProvideRuntimeFn runtime, ProvideLauncherFn launcher) {
  runtime_set_providers(runtime, launcher);
}

FLYDSL_JAX_API void flydsl_jax_forget_python(void) { runtime_forget_python(); }

FLYDSL_JAX_API int32_t flydsl_jax_add_launcher(int32_t platform, const char *key, const void *image,
                                               uint64_t image_size, char *text, uint64_t size) {
  Failure failure;
  const bool is_added = check_platform(platform, &failure) && launcher_check_key(key, strlen(key), &failure) &&
      launcher_add(platform, key, image, image_size, &failure);
  return is_added ? 0 : explain(&failure, text, size);
}

FLYDSL_JAX_API int32_t flydsl_jax_check_plan(const void *bytes, uint64_t plan_size, char *text, uint64_t size) {
  Failure failure;
  Plan *plan = plan_read(bytes, plan_size, &failure);
  free(plan);
  return plan ? 0 : explain(&failure, text, size);
}
