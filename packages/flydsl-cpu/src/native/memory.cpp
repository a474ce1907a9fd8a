// In: sizes; out: 256-byte aligned blocks, as device allocators give them.
#include "memory.h"

#include <cstdlib>
#include <mutex>
#include <unordered_set>

#include "error.h"
#include "fork.h"
#include "stream.h"

namespace flycpu {
namespace {

constexpr uint64_t kAlignment = 256;

struct Allocations {
  std::mutex mutex;
  std::unordered_set<void *> live;
};
Allocations &allocations() {
  static auto *instance = [] {
    auto *made = new Allocations;
    hold_over_fork(made->mutex);
    return made;
  }();
  return *instance;
}

} // namespace

int32_t allocate(uint64_t bytes, void **pointer) {
  if (!pointer) return fail(kInvalidValue, "allocate: a null pointer was passed");
  const uint64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void *block = rounded < bytes ? nullptr : std::aligned_alloc(kAlignment, rounded ? rounded : kAlignment);
  if (!block) return fail(kOutOfMemory, "no %llu bytes of memory are left", static_cast<unsigned long long>(bytes));
  std::lock_guard lock(allocations().mutex);
  allocations().live.insert(block);
  *pointer = block;
  return kOk;
}

// Waits for all streams: work that uses the block may still be queued.
int32_t release(void *pointer) {
  if (!pointer) return kOk;
  {
    std::lock_guard lock(allocations().mutex);
    if (allocations().live.erase(pointer) == 0)
      return fail(kInvalidHandle, "free: %p is not an allocation of this runtime", pointer);
  }
  if (Stream::wait_for_all() != kOk) { // work may still use it: it is freed another time
    std::lock_guard lock(allocations().mutex);
    allocations().live.insert(pointer);
    return fail(kInterrupted, "interrupted");
  }
  std::free(pointer);
  return kOk;
}

} // namespace flycpu
