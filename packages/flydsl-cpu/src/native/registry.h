// Handles given to callers: never reused numbers, so a stale or foreign handle is an error and never a wild pointer.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "fork.h"

namespace flycpu {

inline uintptr_t next_handle() {
  static std::atomic<uintptr_t> counter{0x10000};
  return counter.fetch_add(16, std::memory_order_relaxed);
}

template <typename T> class Registry {
public:
  Registry() { hold_over_fork(mutex_); }

  void *add(std::shared_ptr<T> object) {
    const uintptr_t handle = next_handle();
    std::unique_lock lock(mutex_);
    objects_.emplace(handle, std::move(object));
    return reinterpret_cast<void *>(handle);
  }

  std::shared_ptr<T> find(const void *handle) const {
    std::shared_lock lock(mutex_);
    auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  std::shared_ptr<T> remove(const void *handle) {
    std::unique_lock lock(mutex_);
    auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<uintptr_t, std::shared_ptr<T>> objects_;
};

} // namespace flycpu
