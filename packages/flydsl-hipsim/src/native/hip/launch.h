// Launches: a function, its shape and parameters in, an operation that runs it out.
#pragma once
#include "module.h"
#include "stream.h"

namespace hipsim {

struct LaunchShape {
  Dim3 grid, block;
  size_t shared_bytes;
  bool cooperative = false; // blocks may wait for all others
  Dim3 cluster = {1, 1, 1}; // in blocks
};

struct Prepared {
  Run run;
  bool uses_host_memory; // ordinary arrays of the host, which may be gone when a late kernel runs
};

// Checked limits, and a copy of the parameters: the caller's may change at once. One that is kept, in a graph, may run
// when arrays of the host are gone.
Prepared prepare_launch(Handle function, Device &device, const LaunchShape &shape, void *const *params,
                        void *const *extra, bool is_kept);

} // namespace hipsim
