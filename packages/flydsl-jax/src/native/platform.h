/* The platforms of XLA that have handlers here; the numbers are those of flydsl/jax/platforms.py. */
#ifndef FLYDSL_JAX_PLATFORM_H
#define FLYDSL_JAX_PLATFORM_H

typedef enum Platform { PLATFORM_CPU = 0, PLATFORM_ROCM = 1, PLATFORM_CUDA = 2, PLATFORMS = 3 } Platform;

static inline const char *platform_name(Platform platform) {
  static const char *const names[PLATFORMS] = {"cpu", "rocm", "cuda"};
  return names[platform];
}

#endif
