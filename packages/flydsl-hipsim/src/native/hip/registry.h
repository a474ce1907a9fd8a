// Handles given to callers: never reused numbers, so a stale or foreign handle is an error and never a wild pointer.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "entry.h"

namespace hipsim {

inline uintptr_t next_handle() {
  static std::atomic<uintptr_t> counter{0x10000};
  return counter.fetch_add(16, std::memory_order_relaxed);
}

template <typename T> class Registry {
public:
  explicit Registry(const char *what) : what_(what) {}

  Handle add(std::shared_ptr<T> object) {
    const uintptr_t handle = next_handle();
    std::lock_guard lock(mutex_);
    objects_.emplace(handle, std::move(object));
    return reinterpret_cast<Handle>(handle);
  }

  // The object, or a Failure that says whether the handle was one once.
  std::shared_ptr<T> get(Handle handle) const {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    if (found == objects_.end()) refuse(handle);
    return found->second;
  }

  std::shared_ptr<T> remove(Handle handle) {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    if (found == objects_.end()) refuse(handle);
    std::shared_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  bool holds(Handle handle) const {
    std::lock_guard lock(mutex_);
    return objects_.count(reinterpret_cast<uintptr_t>(handle)) != 0;
  }

  // Every object with its handle, oldest first.
  std::vector<std::pair<Handle, std::shared_ptr<T>>> all() const {
    std::lock_guard lock(mutex_);
    std::vector<std::pair<Handle, std::shared_ptr<T>>> found;
    for (const auto &[handle, object] : objects_) found.emplace_back(reinterpret_cast<Handle>(handle), object);
    return found;
  }

private:
  [[noreturn]] void refuse(Handle handle) const {
    fail(kInvalidHandle, "%p is no %s, or one destroyed already", handle, what_);
  }

  const char *what_;
  mutable Mutex mutex_;
  std::map<uintptr_t, std::shared_ptr<T>> objects_;
};

} // namespace hipsim
