// The table of allocations: additions and removals in, sorted snapshots and descriptions out.
#include "memory.h"

#include "include/flysim.h"
#include "mutex.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace flysim {
namespace {

constexpr size_t kTombstones = 4096;

struct Table {
  Mutex mutex;
  std::map<uint64_t, Range> ranges;
  std::shared_ptr<const Ranges> snapshot;
  size_t tombstones = 0;
};

// Never destroyed: kernels may run while the process ends.
Table &table() {
  static auto *instance = new Table;
  return *instance;
}

// Ranges that the new one covers are gone: their addresses are in use again.
void drop_overlaps(Table &all, uint64_t begin, uint64_t end) {
  auto it = all.ranges.lower_bound(begin);
  if (it != all.ranges.begin() && std::prev(it)->second.end > begin) --it;
  while (it != all.ranges.end() && it->second.begin < end) {
    if (!it->second.live) --all.tombstones;
    it = all.ranges.erase(it);
  }
}

void drop_tombstones(Table &all) {
  std::erase_if(all.ranges, [](const auto &entry) { return !entry.second.live; });
  all.tombstones = 0;
}

const Range *find_at(uint64_t address) {
  const auto &ranges = table().ranges;
  auto it = ranges.upper_bound(address);
  if (it == ranges.begin()) return nullptr;
  const Range &range = std::prev(it)->second;
  return address < range.end ? &range : nullptr;
}

} // namespace

std::shared_ptr<const Ranges> memory_snapshot() {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  if (!all.snapshot) {
    auto made = std::make_shared<Ranges>();
    made->reserve(all.ranges.size());
    for (const auto &entry : all.ranges)
      if (entry.second.live) made->push_back(entry.second);
    all.snapshot = made;
  }
  return all.snapshot;
}

const Range *find_range(const Ranges &ranges, uint64_t address, uint64_t size) {
  auto it = std::upper_bound(ranges.begin(), ranges.end(), address,
                             [](uint64_t value, const Range &range) { return value < range.begin; });
  if (it == ranges.begin()) return nullptr;
  const Range &range = *std::prev(it);
  return range.holds(address, size) ? &range : nullptr;
}

namespace {

// How far an address is from the bytes of a range: below it, or behind its last one.
uint64_t distance_to(const Range &range, uint64_t address) {
  return address < range.begin ? range.begin - address : address - range.end;
}

std::string outside(const char *what, const Range &range, uint64_t address) {
  char text[160];
  const unsigned long long size = range.end - range.begin;
  if (address < range.begin)
    std::snprintf(text, sizeof text, "%llu bytes before %s of %llu bytes",
                  static_cast<unsigned long long>(range.begin - address), what, size);
  else
    std::snprintf(text, sizeof text, "%llu bytes past the end of %s of %llu bytes",
                  static_cast<unsigned long long>(address - range.end), what, size);
  return text;
}

std::string inside(const char *what, const Range &range, uint64_t address) {
  return std::string(what) + " of " + std::to_string(range.end - range.begin) + " bytes, at offset " +
      std::to_string(address - range.begin);
}

} // namespace

std::string describe_address(uint64_t address, const Ranges &arrays) {
  constexpr uint64_t kNear = 1 << 20;
  std::lock_guard lock(table().mutex);
  if (const Range *array = find_array(arrays, address, 1)) return inside("inside an array argument", *array, address);
  if (const Range *range = find_at(address))
    return inside(range->live ? "inside an allocation" : "use after free: inside a freed allocation", *range, address);
  const Range *nearest = nullptr;
  const auto consider = [&](const Range &range) {
    if (!nearest || distance_to(range, address) < distance_to(*nearest, address)) nearest = &range;
  };
  const auto above = table().ranges.upper_bound(address);
  if (above != table().ranges.end()) consider(above->second);
  if (above != table().ranges.begin()) consider(std::prev(above)->second);
  if (nearest && distance_to(*nearest, address) > kNear) nearest = nullptr;
  const Range *allocation = nearest;
  for (const Range &array : arrays) consider(array);
  const bool is_low = address < 4096;
  if (!nearest || (is_low && distance_to(*nearest, address) > kNear))
    return is_low ? "a null pointer" : "not in any allocation";
  return outside(nearest == allocation ? "an allocation" : "an array argument", *nearest, address);
}

} // namespace flysim

using namespace flysim;

extern "C" void flysim_memory_add(const void *base, uint64_t size, uint32_t flags) {
  const uint64_t begin = reinterpret_cast<uint64_t>(base);
  Table &all = table();
  std::lock_guard lock(all.mutex);
  drop_overlaps(all, begin, begin + std::max<uint64_t>(size, 1));
  all.ranges[begin] = Range{begin, begin + size, flags, true};
  all.snapshot.reset();
}

extern "C" void flysim_memory_remove(const void *base) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  auto it = all.ranges.find(reinterpret_cast<uint64_t>(base));
  if (it == all.ranges.end() || !it->second.live) return;
  it->second.live = false;
  all.snapshot.reset();
  if (++all.tombstones > kTombstones) drop_tombstones(all);
}

extern "C" void flysim_memory_forget(const void *base) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  auto it = all.ranges.find(reinterpret_cast<uint64_t>(base));
  if (it == all.ranges.end()) return;
  if (!it->second.live) --all.tombstones;
  all.ranges.erase(it);
  all.snapshot.reset();
}

extern "C" int flysim_memory_find(const void *p, const void **base, uint64_t *size) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  const Range *range = find_at(reinterpret_cast<uint64_t>(p));
  if (!range || !range->live) return 0;
  if (base) *base = reinterpret_cast<const void *>(range->begin);
  if (size) *size = range->end - range->begin;
  return 1;
}
