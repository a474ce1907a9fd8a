/* Why a launch failed, where the driver only says that something is invalid: which limit of the device it is beyond. */
#ifndef FLYCUDA_LAUNCH_FAILURES_H
#define FLYCUDA_LAUNCH_FAILURES_H

#include "driver.h"

typedef struct Kernel {
  void *function, *context;
  char *name;
  int64_t static_bytes; /* of shared memory that its code allocates */
  int64_t shared_bytes; /* of dynamic shared memory that a launch may have as it is */
  int64_t own_bytes; /* of dynamic shared memory before what a launch asks for */
} Kernel;

enum { MOST_THREADS = 1024, MOST_THREADS_Z = 64, MOST_BLOCKS_YZ = 65535 }; /* of every device */

typedef struct Reason { char text[320]; } Reason;

/* An attribute of the device of this thread's context; 0 when there is none. */
static int device_attribute(int attribute) {
  int device = 0, value = 0;
  if (!cuda.device_get_attribute || cuda.get_device(&device) != CUDA_SUCCESS) return 0;
  return cuda.device_get_attribute(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
}

static int function_attribute(const Kernel *kernel, int attribute) {
  int value = 0;
  return cuda.function_get(&value, attribute, kernel->function) == CUDA_SUCCESS ? value : 0;
}

static unsigned long long product(const uint32_t *extents) {
  return (unsigned long long)extents[0] * extents[1] * extents[2];
}

static void explain_block(const Kernel *kernel, const uint32_t *block, Reason *reason) {
  const int compiled_for = function_attribute(kernel, FUNCTION_MAX_THREADS);
  const unsigned long long most = compiled_for > 0 && compiled_for < MOST_THREADS ? compiled_for : MOST_THREADS;
  if (product(block) > most)
    snprintf(reason->text, sizeof reason->text, "a block of (%u, %u, %u) threads is above the limit of %llu threads%s",
             block[0], block[1], block[2], most,
             most < MOST_THREADS ? ", with so many registers as the kernel has" : "");
  else if (block[2] > MOST_THREADS_Z)
    snprintf(reason->text, sizeof reason->text, "a block has at most %d threads along z, found (%u, %u, %u)",
             MOST_THREADS_Z, block[0], block[1], block[2]);
}

static void explain_grid(const uint32_t *grid, const uint32_t *cluster, Reason *reason) {
  for (int i = 1; i < 3; ++i)
    if (grid[i] > MOST_BLOCKS_YZ)
      snprintf(reason->text, sizeof reason->text,
               "a grid has at most %d blocks along y and z, found (%u, %u, %u): have the most along x", MOST_BLOCKS_YZ,
               grid[0], grid[1], grid[2]);
  for (int i = 0; i < 3; ++i)
    if (cluster[i] > 1 && grid[i] % cluster[i])
      snprintf(reason->text, sizeof reason->text, "clusters of (%u, %u, %u) blocks do not divide the grid (%u, %u, %u)",
               cluster[0], cluster[1], cluster[2], grid[0], grid[1], grid[2]);
}

static void explain_registers(const Kernel *kernel, const uint32_t *block, Reason *reason) {
  const int each = function_attribute(kernel, FUNCTION_REGISTERS), most = device_attribute(DEVICE_BLOCK_REGISTERS);
  if (each * product(block) > (unsigned long long)most && most)
    snprintf(reason->text, sizeof reason->text,
             "its threads have %d registers each, too many for a block of %llu threads on a device that has %d for a "
             "block: launch fewer threads, or compile with a lower hint maxnreg",
             each, product(block), most);
}

static void explain_cooperative(const Kernel *kernel, const FlyLaunchConfig *config, Reason *reason) {
  int each = 0;
  const int processors = device_attribute(DEVICE_PROCESSORS);
  const size_t shared_bytes = (size_t)(config->shared_bytes + kernel->own_bytes);
  if (cuda.occupancy(&each, kernel->function, (int)product(config->block), shared_bytes) == CUDA_SUCCESS)
    snprintf(reason->text, sizeof reason->text,
             "all %llu blocks of a cooperative launch run at a time, and the device runs %lld of this kernel: %d on "
             "each of %d multiprocessors",
             product(config->grid), (long long)each * processors, each, processors);
}

/* The error of a launch that the driver refused, or that found the device failed. */
static int32_t check_launch(int32_t code, const char *what, const Kernel *kernel, const FlyLaunchConfig *config) {
  if (code == CUDA_SUCCESS) {
    atomic_store_explicit(&launched_last, kernel->name, memory_order_relaxed);
    return code;
  }
  Reason reason = {""};
  if (code == CUDA_ERROR_INVALID_VALUE) {
    explain_grid(config->grid, config->cluster, &reason);
    explain_block(kernel, config->block, &reason);
  } else if (code == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) explain_registers(kernel, config->block, &reason);
  else if (code == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) explain_cooperative(kernel, config, &reason);
  else if (code == CUDA_ERROR_INVALID_HANDLE || code == CUDA_ERROR_INVALID_CONTEXT)
    snprintf(reason.text, sizeof reason.text,
             "the stream is closed, or is of another device than the kernel's tensors");
  if (!*reason.text) return check_kernel(code, what, kernel->name);
  return fly_fail(code, "kernel '%s': %s: %s: %s", kernel->name, what, describe(code, kernel->name), reason.text);
}

/* The error of a launch with so many bytes of dynamic shared memory. */
static int32_t fail_shared(int32_t code, const Kernel *kernel, int64_t bytes) {
  char limit[128] = "";
  const int most = code == CUDA_ERROR_INVALID_VALUE ? device_attribute(DEVICE_BLOCK_SHARED_BYTES) : 0;
  if (most > 0 && bytes + kernel->static_bytes > most)
    snprintf(limit, sizeof limit, ": a block has at most %d bytes, %lld of which the kernel's code allocates", most,
             (long long)kernel->static_bytes);
  return fly_fail(code, "kernel '%s': cuFuncSetAttribute: %lld bytes of dynamic shared memory: %s%s", kernel->name,
                  (long long)bytes, describe(code, kernel->name), limit);
}

#endif
