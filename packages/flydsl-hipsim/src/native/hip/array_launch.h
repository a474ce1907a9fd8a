// Launches on arrays of the host whose extents the caller tells: kernels may touch nothing else of the host.
#pragma once
#include <flysim.h>

#include <vector>

#include "stream.h"

namespace hipsim {

struct ArrayLaunches {
  struct Pending {
    Device &device;
    PointPtr done;
    StoppedPtr stopped;
  };
  bool is_open = false;
  bool has_arrays = false; // of the host, empty ones too: who launches waits
  std::vector<FlySimRange> arrays; // of the host: no allocations
  std::vector<Pending> pending;
};

// Of this thread, between `flysim_hip_arrays_begin` and `flysim_hip_arrays_end`.
ArrayLaunches &array_launches();

} // namespace hipsim
