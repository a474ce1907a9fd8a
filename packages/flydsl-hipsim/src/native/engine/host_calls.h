// The address that kernels find where the buffer of host calls belongs: nothing is there, and faults say why.
#pragma once
#include <cstdint>

namespace flysim {

constexpr uint64_t kHostCalls = 0x0003000000000000ull, kHostCallBytes = 4096;

} // namespace flysim
