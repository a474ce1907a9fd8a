// Device memory, which is host memory with a table of allocations.
#pragma once
#include <cstdint>

namespace flycpu {

int32_t allocate(uint64_t bytes, void **pointer);
int32_t release(void *pointer);

} // namespace flycpu
