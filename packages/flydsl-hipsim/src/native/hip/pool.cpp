// Memory in the order of streams: hipMallocAsync and its pools, whose attributes are kept and change nothing.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "graph.h"
#include "memory.h"
#include "misuse.h"

namespace hipsim {

struct Pool {
  Device *device;
  bool is_default;
  Mutex mutex;
  std::map<int, uint64_t> attributes;
};

namespace {

Registry<Pool> &pools() {
  static auto *instance = new Registry<Pool>("memory pool");
  return *instance;
}

Handle default_pool(Device &device) {
  std::lock_guard lock(device.peers_mutex);
  if (!device.default_pool) {
    auto pool = std::make_shared<Pool>();
    pool->device = &device;
    pool->is_default = true;
    device.default_pool = pools().add(pool);
  }
  return device.default_pool;
}

bool is_flag(int attribute) { return attribute >= 1 && attribute <= 3; } // an int, the others are uint64_t

void check_attribute(int attribute) {
  if (attribute < 1 || attribute > 8) fail(kInvalidValue, "there is no pool attribute %d", attribute);
}

uint64_t attribute_value(Pool &pool, int attribute) {
  if (attribute == 5 || attribute == 7) return pool.device->used_bytes;
  auto found = pool.attributes.find(attribute);
  return found == pool.attributes.end() ? is_flag(attribute) : found->second;
}

void allocate(void **pointer, size_t size, Handle stream, const char *function) {
  require(pointer, "pointer");
  auto to = find_stream(stream);
  to->refuse_capture(function);
  *pointer = allocate_async(size, to->device);
}

} // namespace

std::string pool_leaks() {
  size_t count = 0;
  for (const auto &[handle, pool] : pools().all()) count += !pool->is_default;
  return count ? "leaked: " + std::to_string(count) + " memory pools\n" : "";
}

} // namespace hipsim

using namespace hipsim;

HIPSIM_EXPORT Error hipMallocAsync(void **pointer, size_t size, Handle stream) {
  return entry("hipMallocAsync", [&] { allocate(pointer, size, stream, "hipMallocAsync"); });
}

HIPSIM_EXPORT Error hipMallocFromPoolAsync(void **pointer, size_t size, Handle pool, Handle stream) {
  return entry("hipMallocFromPoolAsync", [&] {
    pools().get(pool);
    allocate(pointer, size, stream, "hipMallocFromPoolAsync");
  });
}

HIPSIM_EXPORT Error hipFreeAsync(void *pointer, Handle stream) {
  return entry("hipFreeAsync", [&] {
    auto to = find_stream(stream);
    to->refuse_capture("hipFreeAsync");
    if (!pointer) return;
    check_free("hipFreeAsync", pointer);
    to->enqueue(
        [pointer] {
          try {
            free_now("hipFreeAsync", pointer);
          } catch (const Failure &) { // freed by another call meanwhile: noted as a misuse
          }
        },
        true);
  });
}

HIPSIM_EXPORT Error hipDeviceGetDefaultMemPool(Handle *pool, int ordinal) {
  return entry("hipDeviceGetDefaultMemPool", [&] { require(pool, "pool"), *pool = default_pool(device(ordinal)); });
}

HIPSIM_EXPORT Error hipDeviceGetMemPool(Handle *pool, int ordinal) {
  return entry("hipDeviceGetMemPool", [&] {
    require(pool, "pool");
    Device &of = device(ordinal);
    *pool = of.pool ? of.pool : default_pool(of);
  });
}

HIPSIM_EXPORT Error hipDeviceSetMemPool(int ordinal, Handle pool) {
  return entry("hipDeviceSetMemPool", [&] { pools().get(pool), device(ordinal).pool = pool; });
}

HIPSIM_EXPORT Error hipMemPoolCreate(Handle *result, const PoolProps *props) {
  return entry("hipMemPoolCreate", [&] {
    require(result, "pool"), require(props, "properties");
    auto pool = std::make_shared<Pool>();
    pool->device = &device(props->location.id);
    pool->is_default = false;
    *result = pools().add(pool);
  });
}

HIPSIM_EXPORT Error hipMemPoolDestroy(Handle handle) {
  return entry("hipMemPoolDestroy", [&] {
    auto pool = pools().get(handle);
    if (pool->is_default) fail(kInvalidValue, "the default pool cannot be destroyed");
    pools().remove(handle);
    if (pool->device->pool == handle) pool->device->pool = nullptr;
  });
}

HIPSIM_EXPORT Error hipMemPoolSetAttribute(Handle handle, int attribute, void *value) {
  return entry("hipMemPoolSetAttribute", [&] {
    require(value, "value"), check_attribute(attribute);
    auto pool = pools().get(handle);
    std::lock_guard lock(pool->mutex);
    uint64_t kept = 0;
    std::memcpy(&kept, value, is_flag(attribute) ? sizeof(int) : sizeof(uint64_t));
    pool->attributes[attribute] = kept;
  });
}

HIPSIM_EXPORT Error hipMemPoolGetAttribute(Handle handle, int attribute, void *value) {
  return entry("hipMemPoolGetAttribute", [&] {
    require(value, "value"), check_attribute(attribute);
    auto pool = pools().get(handle);
    std::lock_guard lock(pool->mutex);
    const uint64_t found = attribute_value(*pool, attribute);
    std::memcpy(value, &found, is_flag(attribute) ? sizeof(int) : sizeof(uint64_t));
  });
}

HIPSIM_EXPORT Error hipMemPoolTrimTo(Handle handle, size_t) {
  return entry("hipMemPoolTrimTo", [&] { pools().get(handle); });
}
