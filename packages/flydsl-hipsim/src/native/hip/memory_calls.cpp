// In: HIP's calls that take, give back, register and describe memory; out: changes of the table, and answers from it.
#include <cstring>

#include "memory.h"

using namespace hipsim;

namespace {

constexpr size_t kPitchAlignment = 256;

void allocate_host(void **pointer, size_t size, uint32_t flags) {
  require(pointer, "pointer"), *pointer = allocate(size, kHost, Origin::kHostMalloc, flags);
}

} // namespace

HIPSIM_EXPORT Error hipMalloc(void **pointer, size_t size) {
  return entry("hipMalloc",
               [&] { require(pointer, "pointer"), *pointer = allocate(size, kDevice, Origin::kMalloc, 0); });
}

HIPSIM_EXPORT Error hipExtMallocWithFlags(void **pointer, size_t size, uint32_t flags) {
  return entry("hipExtMallocWithFlags",
               [&] { require(pointer, "pointer"), *pointer = allocate(size, kDevice, Origin::kMalloc, flags); });
}

HIPSIM_EXPORT Error hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  return entry("hipMallocPitch", [&] {
    require(pointer, "pointer"), require(pitch, "pitch");
    const size_t aligned = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    size_t bytes = 0;
    if (aligned < width || __builtin_mul_overflow(aligned, height, &bytes))
      fail(kOutOfMemory, "%zu rows of %zu bytes were asked for", height, width);
    *pitch = aligned;
    *pointer = allocate(bytes, kDevice, Origin::kMalloc, 0);
  });
}

HIPSIM_EXPORT Error hipMallocManaged(void **pointer, size_t size, uint32_t flags) {
  return entry("hipMallocManaged", [&] {
    require(pointer, "pointer");
    if (flags != 1 && flags != 2)
      fail(kInvalidValue, "managed memory is attached to 1 (all) or 2 (the host), found %u", flags);
    *pointer = allocate(size, kManaged, Origin::kManaged, flags);
  });
}

HIPSIM_EXPORT Error hipHostMalloc(void **pointer, size_t size, uint32_t flags) {
  return entry("hipHostMalloc", [&] { allocate_host(pointer, size, flags); });
}
HIPSIM_EXPORT Error hipHostAlloc(void **pointer, size_t size, uint32_t flags) {
  return entry("hipHostAlloc", [&] { allocate_host(pointer, size, flags); });
}
HIPSIM_EXPORT Error hipMallocHost(void **pointer, size_t size) {
  return entry("hipMallocHost", [&] { allocate_host(pointer, size, 0); });
}

HIPSIM_EXPORT Error hipFree(void *pointer) {
  return entry("hipFree", [&] { release("hipFree", pointer, false); });
}

HIPSIM_EXPORT Error hipHostFree(void *pointer) {
  return entry("hipHostFree", [&] { release("hipHostFree", pointer, true); });
}

HIPSIM_EXPORT Error hipFreeHost(void *pointer) {
  return entry("hipFreeHost", [&] { release("hipFreeHost", pointer, true); });
}

HIPSIM_EXPORT Error hipHostRegister(void *pointer, size_t size, uint32_t flags) {
  return entry("hipHostRegister", [&] { register_host(pointer, size, flags); });
}
HIPSIM_EXPORT Error hipHostUnregister(void *pointer) {
  return entry("hipHostUnregister", [&] { unregister_host(pointer); });
}

HIPSIM_EXPORT Error hipHostGetDevicePointer(void **result, void *pointer, uint32_t) {
  return entry("hipHostGetDevicePointer", [&] {
    require(result, "result");
    const auto found = find_allocation(pointer);
    if (!found || found->type != kHost) fail(kInvalidValue, "%p is no pinned host memory", pointer);
    *result = pointer;
  });
}

HIPSIM_EXPORT Error hipHostGetFlags(uint32_t *flags, void *pointer) {
  return entry("hipHostGetFlags", [&] {
    require(flags, "flags");
    const auto found = find_allocation(pointer);
    if (!found || found->type != kHost) fail(kInvalidValue, "%p is no pinned host memory", pointer);
    *flags = found->flags;
  });
}

HIPSIM_EXPORT Error hipMemGetInfo(size_t *left, size_t *total) {
  return entry("hipMemGetInfo", [&] {
    Device &device = working_device();
    if (left) *left = device.memory_bytes - device.used_bytes;
    if (total) *total = device.memory_bytes;
  });
}

HIPSIM_EXPORT Error hipMemGetAddressRange(void **base, size_t *size, void *pointer) {
  return entry("hipMemGetAddressRange", [&] {
    const auto found = find_allocation(pointer);
    if (!found) fail(kNotFound, "%p is in no allocation", pointer);
    if (base) *base = reinterpret_cast<void *>(found->base);
    if (size) *size = found->size;
  });
}

HIPSIM_EXPORT Error hipMemPtrGetInfo(void *pointer, size_t *size) {
  return entry("hipMemPtrGetInfo", [&] {
    require(size, "size");
    const auto found = find_allocation(pointer);
    *size = found ? found->size : 0;
  });
}

HIPSIM_EXPORT Error hipPointerGetAttributes(PointerAttributes *result, const void *pointer) {
  return entry("hipPointerGetAttributes", [&] {
    require(result, "attributes"), require(pointer, "pointer");
    const auto found = find_allocation(pointer);
    void *const address = const_cast<void *>(pointer);
    *result = {kUnregistered, -2, nullptr, nullptr, 0, 0};
    if (!found) return; // as HIP does since release 6: ordinary host memory is no error
    const bool is_host_visible = found->type != kDevice;
    *result = {
        found->type, found->device->ordinal, address, is_host_visible ? address : nullptr, found->type == kManaged,
        found->flags};
  });
}

HIPSIM_EXPORT Error hipPointerGetAttribute(void *data, int attribute, void *pointer) {
  return entry("hipPointerGetAttribute", [&] {
    require(data, "data");
    const auto found = find_allocation(pointer);
    if (!found) fail(kInvalidValue, "%p is in no allocation", pointer);
    const auto put = [&](auto value) { std::memcpy(data, &value, sizeof value); };
    switch (attribute) {
    case 2: return put(static_cast<int32_t>(found->type));
    case 3: return put(pointer);
    case 4: return put(found->type == kDevice ? nullptr : pointer);
    case 7: return put(found->number);
    case 8: return put(found->type == kManaged);
    case 9: return put(found->device->ordinal);
    case 11: return put(found->base);
    case 12: return put(found->size);
    case 13: return put(true);
    default: fail(kInvalidValue, "pointer attribute %d is not modelled", attribute);
    }
  });
}
