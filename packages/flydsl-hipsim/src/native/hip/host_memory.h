// Memory of the host that kernels may use: the arrays a launch was told of, else mappings that its arguments point
// into.
#pragma once
#include <flysim.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hipsim {

// Words of the arguments that may be addresses of ordinary memory of the host: no allocation, live or just freed.
std::vector<uintptr_t> host_addresses(const std::vector<char> &arguments);

// The mappings around these addresses that kernels may read and write.
std::vector<FlySimRange> host_mappings(const std::vector<uintptr_t> &addresses);

// How much can be read from an address on: 0 where nothing is.
size_t readable_bytes(const void *address);

} // namespace hipsim
