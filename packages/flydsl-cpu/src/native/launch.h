// Launches: a kernel, a configuration and parameters in, all blocks run over the pool.
#pragma once
#include <cstdint>

#include "fly_abi.h"

namespace flycpu {

struct Limits {
  uint32_t threads_per_block = 1024;
  uint32_t shared_bytes = 64 * 1024;
};
Limits &limits();

int32_t launch(const void *kernel, const FlyLaunchConfig *config, const void *stream, void **params);

} // namespace flycpu
