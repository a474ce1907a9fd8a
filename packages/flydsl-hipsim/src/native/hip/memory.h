// Allocations: sizes in, host memory that the engine knows out; freed places are kept for a while to catch late uses.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "device.h"
#include "hip_types.h"

namespace hipsim {

enum class Origin { kMalloc, kHostMalloc, kManaged, kAsync, kRegistered };

struct Allocation {
  uintptr_t base;
  size_t size;
  MemoryType type;
  Origin origin;
  Device *device;
  uint32_t flags;
  uint64_t number; // counts allocations, for reports
};

// The live allocation around an address.
std::optional<Allocation> find_allocation(const void *address);

// New memory of the current device, null for no bytes; and its end, when the device has done what it was given.
void *allocate(size_t size, MemoryType type, Origin origin, uint32_t flags);
void release(const char *function, void *pointer, bool of_host);

void register_host(void *pointer, size_t size, uint32_t flags);
void unregister_host(void *pointer);

// While it lives, memory that is freed stays mapped: for what runs on a device, which may be late.
class MemoryUse {
public:
  MemoryUse();
  ~MemoryUse();
  MemoryUse(const MemoryUse &) = delete;
  MemoryUse &operator=(const MemoryUse &) = delete;

private:
  uint64_t since_;
};

// What a copy or a fill does with one side of it.
struct Side {
  const void *address;
  size_t bytes;
  bool must_be_device;
  const char *what;
};
// Fail when the range runs over an allocation's end, was freed, or is no device memory where that is asked for.
// True when it is memory the device can reach, false for ordinary host memory.
bool check_side(const Side &side);

// Whether these bytes, if anything is there, are ordinary memory of the host: in no allocation, live or just freed.
bool is_host_memory(const void *address, size_t size = 1);

void release_all_of(Device &device);

// Memory of a stream's order: taken at once, checked at the call that frees it, given back when the stream is there.
void *allocate_async(size_t size, Device &device);
void check_free(const char *function, void *pointer);
void free_now(const char *function, void *pointer);

std::string memory_leaks();

} // namespace hipsim
