// Look-ups of addresses that are not in the allocation of the last access.
#include "access.h"

#include <cstdio>

namespace flysim {

void fault_at(const char *what, uint64_t address, uint32_t size, int lane, const std::string &where) {
  char text[200];
  std::snprintf(text, sizeof text, "%s: %u bytes at %#llx", what, size, static_cast<unsigned long long>(address));
  Fault fault(where.empty() ? text : std::string(text) + " (" + where + ")");
  fault.lane = lane;
  throw fault;
}

void fault_in_lds(const Wave &w, uint64_t offset, uint32_t size, int lane) {
  fault_at("an access outside of LDS", offset, size, lane,
           "the workgroup has " + std::to_string(w.group->lds_size) + " bytes");
}
void fault_in_scratch(const Wave &w, uint64_t offset, uint32_t size, int lane) {
  fault_at("an access outside of scratch memory", offset, size, lane,
           "a lane has " + std::to_string(w.scratch_size) + " bytes");
}

static uint8_t *noted(Wave &w, uint64_t address, uint32_t size, int lane) {
  uint8_t *place = reinterpret_cast<uint8_t *>(address);
  if (w.trace) w.trace->note(Space::global, place, address, size, lane);
  return place;
}

bool find_allocation(Wave &w, uint64_t address) {
  if (w.trace) return false;
  const Range *range = find_array(*w.group->arrays, address, 1);
  if (!range) range = find_range(*w.group->ranges, address, 1);
  if (range) w.cached = *range;
  return range;
}

// Compilers load, and exchange, the word around a value of fewer bytes: it changes no other byte.
static bool is_word_around(const Wave &w, uint64_t address, uint32_t size, Access access) {
  if (access == Access::write || size != 4 || address % 4) return false;
  for (uint64_t at = address; at < address + 4; ++at)
    if (const Range *range = find_array(*w.group->arrays, at, 1);
        range || (range = find_range(*w.group->ranges, at, 1)))
      return may_use(*range, access);
  return false;
}

uint32_t bytes_of_scalar_load(const Wave &w, uint64_t address, uint32_t size) {
  constexpr uint64_t kGroup = 16;
  const Ranges &arrays = *w.group->arrays, &ranges = *w.group->ranges;
  if (find_array(arrays, address, size) || find_range(ranges, address, size)) return size;
  const Range *range = find_array(arrays, address, 1);
  if (!range) range = find_range(ranges, address, 1);
  if (!range) return size;
  const uint64_t end = (range->end + kGroup - 1) / kGroup * kGroup;
  return end >= address + size ? uint32_t(range->end - address) : size;
}

uint8_t *find_place(Wave &w, uint64_t address, uint32_t size, int lane, Access access) {
  if (address - kSharedBase < kApertureSize) return lds_at(w, address - kSharedBase, size, lane);
  const uint64_t own = (address & kLaneMask) - kPrivateBase; // gfx1250 has the lane's number above
  if (own < kApertureSize) return scratch_at(w, own, size, lane);
  for (const Range &range : w.group->extra)
    if (range.holds(address, size)) return noted(w, address, size, lane);
  for (const Range &range : w.group->host)
    if (range.holds(address, size)) return reinterpret_cast<uint8_t *>(address);
  if (w.trace && w.trace->last.holds(address, size) && access == Access::read) return noted(w, address, size, lane);
  const Range *range = find_array(*w.group->arrays, address, size);
  if (!range) range = find_range(*w.group->ranges, address, size);
  if (!range) {
    w.group->ranges = memory_snapshot(); // memory that was added after the launch
    range = find_range(*w.group->ranges, address, size);
  }
  if (!range && is_word_around(w, address, size, access)) return noted(w, address, size, lane);
  if (!range)
    fault_at(access == Access::read ? "an invalid read" : "an invalid write", address, size, lane,
             describe_address(address, *w.group->arrays));
  if (!may_use(*range, access)) fault_at("a write to read-only memory", address, size, lane, "");
  (w.trace ? w.trace->last : w.cached) = *range; // a checked launch passes here every time
  return noted(w, address, size, lane);
}

} // namespace flysim
