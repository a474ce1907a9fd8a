// The table of allocations: additions and removals in, sorted snapshots and descriptions out.
#include "memory.h"

#include "include/flysim.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>

namespace flysim {
namespace {

std::mutex table_mutex;
std::map<uint64_t, Range> table;
std::shared_ptr<const Ranges> snapshot;

std::map<uint64_t, uint64_t> host_memory; // begin to end of mappings of the host; entries of the table come first

constexpr size_t kTombstones = 4096;
size_t tombstones = 0;

// Ranges that the new one covers are gone: their addresses are in use again.
void drop_overlaps(uint64_t begin, uint64_t end) {
  auto it = table.lower_bound(begin);
  if (it != table.begin() && std::prev(it)->second.end > begin) --it;
  while (it != table.end() && it->second.begin < end) {
    if (!it->second.live) --tombstones;
    it = table.erase(it);
  }
}

void drop_tombstones() {
  std::erase_if(table, [](const auto &entry) { return !entry.second.live; });
  tombstones = 0;
}

const Range *find_at(uint64_t address) {
  auto it = table.upper_bound(address);
  if (it == table.begin()) return nullptr;
  const Range &range = std::prev(it)->second;
  return address < range.end ? &range : nullptr;
}

// What of the host's memory is no entry of the table, live or freed.
void add_host_memory(Ranges &ranges) {
  for (const auto &[first, end] : host_memory) {
    uint64_t begin = first;
    for (const auto &entry : table) {
      const Range &range = entry.second;
      if (range.end <= begin || range.begin >= end) continue;
      if (range.begin > begin) ranges.push_back(Range{begin, range.begin, 0, true});
      begin = range.end;
      if (begin >= end) break;
    }
    if (begin < end) ranges.push_back(Range{begin, end, 0, true});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
}

} // namespace

std::shared_ptr<const Ranges> memory_snapshot() {
  std::lock_guard lock(table_mutex);
  if (!snapshot) {
    auto made = std::make_shared<Ranges>();
    made->reserve(table.size());
    for (const auto &entry : table)
      if (entry.second.live) made->push_back(entry.second);
    if (!host_memory.empty()) add_host_memory(*made);
    snapshot = made;
  }
  return snapshot;
}

const Range *find_range(const Ranges &ranges, uint64_t address, uint64_t size) {
  auto it = std::upper_bound(ranges.begin(), ranges.end(), address,
                             [](uint64_t value, const Range &range) { return value < range.begin; });
  if (it == ranges.begin()) return nullptr;
  const Range &range = *std::prev(it);
  return range.holds(address, size) ? &range : nullptr;
}

std::string describe_address(uint64_t address) {
  std::lock_guard lock(table_mutex);
  char text[160];
  if (const Range *range = find_at(address)) {
    const unsigned long long size = range->end - range->begin, offset = address - range->begin;
    const char *state = range->live ? "inside an allocation" : "use after free: inside a freed allocation";
    std::snprintf(text, sizeof text, "%s of %llu bytes, at offset %llu", state, size, offset);
    return text;
  }
  auto above = table.upper_bound(address);
  if (above == table.begin()) return address < 4096 ? "a null pointer" : "not in any allocation";
  const Range &below = std::prev(above)->second;
  const unsigned long long distance = address - below.end, size = below.end - below.begin;
  if (distance > (1u << 20)) return address < 4096 ? "a null pointer" : "not in any allocation";
  std::snprintf(text, sizeof text, "%llu bytes past the end of an allocation of %llu bytes", distance, size);
  return text;
}

} // namespace flysim

using namespace flysim;

extern "C" void flysim_memory_add(const void *base, uint64_t size, uint32_t flags) {
  const uint64_t begin = reinterpret_cast<uint64_t>(base);
  std::lock_guard lock(table_mutex);
  drop_overlaps(begin, begin + std::max<uint64_t>(size, 1));
  table[begin] = Range{begin, begin + size, flags, true};
  snapshot.reset();
}

extern "C" void flysim_memory_remove(const void *base) {
  std::lock_guard lock(table_mutex);
  auto it = table.find(reinterpret_cast<uint64_t>(base));
  if (it == table.end() || !it->second.live) return;
  it->second.live = false;
  snapshot.reset();
  if (++tombstones > kTombstones) drop_tombstones();
}

extern "C" void flysim_memory_forget(const void *base) {
  std::lock_guard lock(table_mutex);
  auto it = table.find(reinterpret_cast<uint64_t>(base));
  if (it == table.end()) return;
  if (!it->second.live) --tombstones;
  table.erase(it);
  snapshot.reset();
}

extern "C" int flysim_memory_find(const void *p, const void **base, uint64_t *size) {
  std::lock_guard lock(table_mutex);
  const Range *range = find_at(reinterpret_cast<uint64_t>(p));
  if (!range || !range->live) return 0;
  if (base) *base = reinterpret_cast<const void *>(range->begin);
  if (size) *size = range->end - range->begin;
  return 1;
}

extern "C" void flysim_memory_set_host(const FlySimRange *ranges, uint64_t count) {
  std::lock_guard lock(table_mutex);
  host_memory.clear();
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t begin = reinterpret_cast<uint64_t>(ranges[i].base);
    host_memory[begin] = begin + ranges[i].size;
  }
  snapshot.reset();
}
