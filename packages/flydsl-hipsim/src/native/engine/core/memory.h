// Allocations in, answers to "may a kernel touch these bytes" out.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace flysim {

struct Range {
  uint64_t begin = 0, end = 0; // [begin, end)
  uint32_t flags = 0;
  bool live = true;

  // Sums of addresses may wrap around, differences do not.
  bool holds(uint64_t address, uint64_t size) const {
    const uint64_t offset = address - begin, length = end - begin;
    return offset < length && size <= length - offset;
  }
};

using Ranges = std::vector<Range>; // sorted by begin

// The table as it is now; a launch keeps one and asks again only after a miss.
std::shared_ptr<const Ranges> memory_snapshot();
// The live range that holds [address, address + size), or null.
const Range *find_range(const Ranges &ranges, uint64_t address, uint64_t size);
// The same among arrays of the host, which may overlap.
inline const Range *find_array(const Ranges &arrays, uint64_t address, uint64_t size) {
  for (const Range &array : arrays)
    if (array.holds(address, size)) return &array;
  return nullptr;
}
// Words for a fault report: the allocation, or the array of the launch, at or near an address.
std::string describe_address(uint64_t address, const Ranges &arrays);

} // namespace flysim
