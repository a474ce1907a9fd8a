// In: allocations and frees of the program; out: a checked table of them, and the engine told of each.
#include "memory.h"

#include <flysim.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "misuse.h"
#include "stream.h"

namespace hipsim {
namespace {

constexpr size_t kQuarantineBytes = 64 << 20, kFillBytes = 64 << 20;
constexpr int kFresh = 0xFF; // bytes of new memory: not-a-number in every float format
constexpr int kFreed = 0xDB;

struct Table {
  Mutex mutex;
  std::map<uintptr_t, Allocation> live;
  std::map<uintptr_t, Allocation> freed; // not given back to the host yet
  std::deque<std::pair<uintptr_t, uint64_t>> freed_order; // and when, as `frees` counts
  size_t freed_bytes = 0;
  uint64_t frees = 0;
  std::multiset<uint64_t> uses; // that run, by when they began
  uint64_t count = 0;
};

Table &table() {
  static auto *instance = new Table;
  return *instance;
}

const Allocation *around(const std::map<uintptr_t, Allocation> &allocations, uintptr_t address) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return nullptr;
  const Allocation &candidate = std::prev(after)->second;
  return address < candidate.base + std::max<size_t>(candidate.size, 1) ? &candidate : nullptr;
}

size_t page_bytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
  return bytes;
}

size_t mapped_bytes(size_t size) { return (size + page_bytes() - 1) / page_bytes() * page_bytes() + 2 * page_bytes(); }

// Pages of its own, with one before and one behind that nothing can touch: null when the host has none.
void *map_pages(size_t size) {
  const size_t page = page_bytes(), mapped = mapped_bytes(size);
  if (mapped < size) return nullptr;
  void *start = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  char *base = static_cast<char *>(start) + page;
  if (!mprotect(base, mapped - 2 * page, PROT_READ | PROT_WRITE)) return base;
  munmap(start, mapped);
  return nullptr;
}

// The engine forgets the place as well: the host may give its addresses to another.
void unmap_pages(uintptr_t base, size_t size) {
  flysim_memory_forget(reinterpret_cast<void *>(base));
  munmap(reinterpret_cast<void *>(base - page_bytes()), mapped_bytes(size));
}

void charge(Device &device, size_t size) {
  const size_t used = device.used_bytes.fetch_add(size);
  if (size <= device.memory_bytes && used <= device.memory_bytes - size) return;
  device.used_bytes -= size;
  fail(kOutOfMemory, "%zu bytes were asked for, device %d has %zu of %zu left", size, device.ordinal,
       device.memory_bytes - std::min(used, device.memory_bytes), device.memory_bytes);
}

// Give back what was freed longest ago and before anything that runs began. The table's mutex is held.
void trim(Table &all) {
  while (all.freed_bytes > kQuarantineBytes) {
    const auto [oldest, when] = all.freed_order.front();
    if (!all.uses.empty() && when > *all.uses.begin()) return;
    all.freed_order.pop_front();
    all.freed_bytes -= all.freed[oldest].size;
    unmap_pages(oldest, all.freed[oldest].size);
    all.freed.erase(oldest);
  }
}

// Keep a freed place for a while, so that late uses hit no other allocation. The table's mutex is held.
void quarantine(Table &all, const Allocation &freed) {
  if (all.uses.empty() && freed.size <= kFillBytes)
    std::memset(reinterpret_cast<void *>(freed.base), kFreed, freed.size);
  all.freed[freed.base] = freed;
  all.freed_order.push_back({freed.base, ++all.frees});
  all.freed_bytes += freed.size;
  trim(all);
}

// In a child process nothing runs of what ran when it was forked.
const bool forgets_uses = (flysim::in_child([] { table().uses.clear(); }), true);

[[noreturn]] void refuse_free(const Table &all, const char *function, const void *pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  char text[256];
  if (const Allocation *freed = around(all.freed, address))
    std::snprintf(text, sizeof text, "%s(%p): freed already (allocation %llu of %zu bytes)", function, pointer,
                  static_cast<unsigned long long>(freed->number), freed->size);
  else if (const Allocation *live = around(all.live, address))
    std::snprintf(text, sizeof text,
                  "%s(%p): inside of allocation %llu of %zu bytes at %#lx, not one that this call frees", function,
                  pointer, static_cast<unsigned long long>(live->number), live->size, live->base);
  else std::snprintf(text, sizeof text, "%s(%p): no allocation", function, pointer);
  note_misuse("%s", text);
  fail(kInvalidValue, "%s", text);
}

Allocation checked(const char *function, void *pointer, bool of_host) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  auto found = all.live.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == all.live.end() || found->second.origin == Origin::kRegistered ||
      (found->second.origin == Origin::kHostMalloc) != of_host)
    refuse_free(all, function, pointer);
  return found->second;
}

// Take an allocation out of the table; someone may have been faster.
void drop(const char *function, void *pointer) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  auto found = all.live.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == all.live.end()) refuse_free(all, function, pointer);
  const Allocation freed = found->second;
  all.live.erase(found);
  flysim_memory_remove(pointer);
  freed.device->used_bytes -= freed.size;
  quarantine(all, freed);
}

const char *origin_name(Origin origin) {
  switch (origin) {
  case Origin::kMalloc: return "hipMalloc";
  case Origin::kHostMalloc: return "hipHostMalloc";
  case Origin::kManaged: return "hipMallocManaged";
  case Origin::kAsync: return "hipMallocAsync";
  case Origin::kRegistered: return "hipHostRegister";
  }
  return "";
}

} // namespace

void *allocate(size_t size, MemoryType type, Origin origin, uint32_t flags) {
  Device &device = working_device();
  if (size == 0) return nullptr;
  charge(device, size);
  void *base = map_pages(size);
  if (!base) {
    device.used_bytes -= size;
    fail(kOutOfMemory, "the host has no %zu bytes", size);
  }
  if (size <= kFillBytes) std::memset(base, kFresh, size);
  const auto address = reinterpret_cast<uintptr_t>(base);
  Table &all = table();
  {
    std::lock_guard lock(all.mutex);
    all.live[address] = {address, size, type, origin, &device, flags, ++all.count};
  }
  flysim_memory_add(base, size, 0);
  return base;
}

void release(const char *function, void *pointer, bool of_host) {
  if (!pointer) return;
  const Allocation found = checked(function, pointer, of_host);
  for (const auto &stream : found.device->streams()) stream->refuse_capture(function);
  for (Device *each : used_devices()) each->synchronize(); // streams of others may use it, too
  drop(function, pointer);
  found.device->check_fault();
}

MemoryUse::MemoryUse() {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  since_ = all.frees;
  all.uses.insert(since_);
}

MemoryUse::~MemoryUse() {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  all.uses.erase(all.uses.find(since_));
  trim(all);
}

void register_host(void *pointer, size_t size, uint32_t flags) {
  require(pointer, "pointer");
  if (!size) fail(kInvalidValue, "nothing is registered: the size is 0");
  Device &device = working_device();
  const auto base = reinterpret_cast<uintptr_t>(pointer);
  Table &all = table();
  std::lock_guard lock(all.mutex);
  if (around(all.live, base)) fail(kHostMemoryAlreadyRegistered, "%p", pointer);
  all.live[base] = {base, size, kHost, Origin::kRegistered, &device, flags, ++all.count};
  flysim_memory_add(pointer, size, 0);
}

void unregister_host(void *pointer) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  auto found = all.live.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == all.live.end() || found->second.origin != Origin::kRegistered)
    fail(kHostMemoryNotRegistered, "%p", pointer);
  all.live.erase(found);
  flysim_memory_forget(pointer); // still the host's, and whose it becomes next
}

std::optional<Allocation> find_allocation(const void *address) {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  const Allocation *found = around(all.live, reinterpret_cast<uintptr_t>(address));
  return found ? std::optional(*found) : std::nullopt;
}

bool check_side(const Side &side) {
  if (!side.bytes) return true;
  if (!side.address) fail(kInvalidValue, "the %s is a null pointer", side.what);
  const auto address = reinterpret_cast<uintptr_t>(side.address);
  if (const auto found = find_allocation(side.address)) {
    const size_t left = found->base + found->size - address;
    if (side.bytes <= left) return true;
    fail(kInvalidValue, "the %s runs over the end of its allocation: %zu bytes at offset %zu of %zu", side.what,
         side.bytes, address - found->base, found->size);
  }
  Table &all = table();
  std::lock_guard lock(all.mutex);
  if (const Allocation *freed = around(all.freed, address)) {
    note_misuse("the %s %p is in freed memory (allocation %llu of %zu bytes)", side.what, side.address,
                static_cast<unsigned long long>(freed->number), freed->size);
    fail(kInvalidValue, "the %s %p is in freed memory (%zu bytes)", side.what, side.address, freed->size);
  }
  const void *base = nullptr;
  uint64_t size = 0;
  if (flysim_memory_find(side.address, &base, &size)) { // a module's global
    const size_t left = reinterpret_cast<uintptr_t>(base) + size - address;
    if (side.bytes > left)
      fail(kInvalidValue, "the %s runs %zu bytes over a module's memory", side.what, side.bytes - left);
    return true;
  }
  if (side.must_be_device) fail(kInvalidValue, "the %s %p is no device memory", side.what, side.address);
  return false;
}

bool is_host_memory(const void *address, size_t size) {
  const void *base = nullptr;
  uint64_t bytes = 0;
  if (flysim_memory_find(address, &base, &bytes) &&
      static_cast<const char *>(address) + size <= static_cast<const char *>(base) + bytes)
    return false;
  Table &all = table();
  std::lock_guard lock(all.mutex);
  return !around(all.freed, reinterpret_cast<uintptr_t>(address));
}

void release_all_of(Device &device) {
  Table &all = table();
  std::vector<void *> mine;
  {
    std::lock_guard lock(all.mutex);
    for (const auto &[base, allocation] : all.live)
      if (allocation.device == &device && allocation.origin != Origin::kRegistered)
        mine.push_back(reinterpret_cast<void *>(base));
  }
  for (void *pointer : mine) drop("hipDeviceReset", pointer);
}

std::string memory_leaks() {
  Table &all = table();
  std::lock_guard lock(all.mutex);
  std::string text;
  for (const auto &[base, allocation] : all.live) {
    char line[160];
    std::snprintf(line, sizeof line, "leaked: %zu bytes at %#lx of device %d (%s, allocation %llu)\n", allocation.size,
                  base, allocation.device->ordinal, origin_name(allocation.origin),
                  static_cast<unsigned long long>(allocation.number));
    text += line;
  }
  return text;
}

void *allocate_async(size_t size, Device &device) {
  if (&device != &working_device())
    fail(kInvalidHandle, "the stream is of device %d, not of the current one", device.ordinal);
  return allocate(size, kDevice, Origin::kAsync, 0);
}

void check_free(const char *function, void *pointer) { checked(function, pointer, false); }
void free_now(const char *function, void *pointer) { drop(function, pointer); }

} // namespace hipsim
