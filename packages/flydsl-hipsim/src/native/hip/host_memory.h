// Kernel arguments in, the host's mappings that they point into out: arrays of the host, as on GPUs that share its
// memory.
#pragma once
#include <flysim.h>

#include <cstddef>
#include <vector>

namespace hipsim {

// The mappings that words of the arguments point into, except for allocations and freed memory.
std::vector<FlySimRange> host_mappings(const std::vector<char> &arguments);

// How much can be read from an address on: 0 where nothing is.
size_t readable_bytes(const void *address);

// While it lives, kernels may touch these mappings.
class HostAccess {
public:
  explicit HostAccess(const std::vector<FlySimRange> &mappings);
  ~HostAccess();
  HostAccess(const HostAccess &) = delete;

private:
  const std::vector<FlySimRange> &mappings_;
};

} // namespace hipsim
