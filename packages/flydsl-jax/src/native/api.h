/* What flydsl/jax/native.py calls, and XLA: the functions that the library exports.
 *
 * Functions with a text return 0, or 1 with the reason in `text`, of at most `size` bytes.
 */
#ifndef FLYDSL_JAX_API_H
#define FLYDSL_JAX_API_H

#include "runtimes.h"

#define FLYDSL_JAX_API __attribute__((visibility("default")))

typedef struct FlydslJaxCounts {
  uint64_t instantiated, destroyed; /* call sites of executables */
  uint64_t opened;                  /* launchers */
  uint64_t loaded;                  /* code on devices */
} FlydslJaxCounts;

FLYDSL_JAX_API XLA_FFI_Handler flydsl_jax_cpu, flydsl_jax_rocm, flydsl_jax_rocm_nograph, flydsl_jax_cuda,
    flydsl_jax_cuda_nograph;

/* The state type of a platform's handlers, in which XLA writes its number, and how to destroy a state. */
FLYDSL_JAX_API XLA_FFI_TypeId *flydsl_jax_state_type(int32_t platform);
FLYDSL_JAX_API const XLA_FFI_TypeInfo *flydsl_jax_state_info(void);

FLYDSL_JAX_API void flydsl_jax_counts(FlydslJaxCounts *counts);

/* The runtime of a platform, for the life of the process. */
FLYDSL_JAX_API int32_t flydsl_jax_set_runtime(int32_t platform, const FlyRuntimeApi *api, DescribeFn describe,
                                              char *text, uint64_t size);
/* Whom to ask for what is not there; called without any lock of this library. */
FLYDSL_JAX_API void flydsl_jax_set_providers(ProvideRuntimeFn runtime, ProvideLauncherFn launcher);
/* Never call Python again. */
FLYDSL_JAX_API void flydsl_jax_forget_python(void);

/* Open a launcher under its key, unless it is known. */
FLYDSL_JAX_API int32_t flydsl_jax_add_launcher(int32_t platform, const char *key, const void *image,
                                               uint64_t image_size, char *text, uint64_t size);
/* Whether a plan can be read. */
FLYDSL_JAX_API int32_t flydsl_jax_check_plan(const void *plan, uint64_t plan_size, char *text, uint64_t size);

#endif
