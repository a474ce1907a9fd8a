// In: ranges and directions; out: bytes moved and set, in the order of a stream.
#include "copy.h"

#include <cstring>
#include <vector>

#include "graph.h"
#include "memory.h"

namespace hipsim {
namespace {

struct Sides {
  bool to_device, from_device; // memory the device reaches, so that the copy may be late
};

size_t span(size_t width, size_t height, size_t pitch) { return width && height ? pitch * (height - 1) + width : 0; }

Sides check(const CopyShape &shape, CopyKind kind) {
  if ((kind < kHostToHost || kind > kDefault) && kind != kDeviceToDeviceNoCu)
    fail(kInvalidMemcpyDirection, "the direction is %d, expected 0 to 4", kind);
  if (shape.height > 1 && (shape.to_pitch < shape.width || shape.from_pitch < shape.width))
    fail(kInvalidPitchValue, "rows of %zu bytes are %zu and %zu bytes apart", shape.width, shape.to_pitch,
         shape.from_pitch);
  const bool to_device = kind == kHostToDevice || kind == kDeviceToDevice || kind == kDeviceToDeviceNoCu;
  const bool from_device = kind == kDeviceToHost || kind == kDeviceToDevice || kind == kDeviceToDeviceNoCu;
  return {check_side({shape.to, span(shape.width, shape.height, shape.to_pitch), to_device, "destination"}),
          check_side({shape.from, span(shape.width, shape.height, shape.from_pitch), from_device, "source"})};
}

void copy_rows(const CopyShape &shape) {
  if (!shape.width) return; // addresses may be null then, and memmove's may not
  for (size_t row = 0; row < shape.height; ++row)
    std::memmove(static_cast<char *>(shape.to) + row * shape.to_pitch,
                 static_cast<const char *>(shape.from) + row * shape.from_pitch, shape.width);
}

// A run that reads a copy of the source made now: the host's memory may change when the call is over.
Run staged(const CopyShape &shape) {
  auto stage = std::make_shared<std::vector<char>>(shape.width * shape.height);
  copy_rows({stage->data(), shape.from, shape.width, shape.height, shape.width, shape.from_pitch});
  return [=] {
    const MemoryUse use;
    check_side({shape.to, span(shape.width, shape.height, shape.to_pitch), true, "destination"});
    copy_rows({shape.to, stage->data(), shape.width, shape.height, shape.to_pitch, shape.width});
  };
}

// A run that looks again whether the memory is there: it may be freed meanwhile.
Run checked(const CopyShape &shape, CopyKind kind) {
  return [=] {
    const MemoryUse use;
    check(shape, kind);
    copy_rows(shape);
  };
}

// Ordinary host memory is read before the call returns, and written when it returns; pinned memory is late.
void copy_async(const CopyShape &shape, CopyKind kind, Stream &stream, const char *function) {
  const Sides sides = check(shape, kind);
  if (is_captured(stream) || (sides.to_device && sides.from_device)) submit(stream, kMemcpyNode, checked(shape, kind));
  else if (sides.to_device) submit(stream, kMemcpyNode, staged(shape));
  else submit_and_wait(stream, checked(shape, kind), function);
}

// Memory of another device than the stream's: what that one's stream 0 has to do comes first.
void wait_for_owner(const void *address, const Stream &stream) {
  const auto found = find_allocation(address);
  if (!found || found->type == kHost || found->device == &stream.device) return;
  found->device->null_stream()->synchronize();
  found->device->check_fault();
}

void copy_now(const CopyShape &shape, CopyKind kind, Stream &stream, const char *function) {
  check(shape, kind);
  wait_for_owner(shape.from, stream), wait_for_owner(shape.to, stream);
  submit_and_wait(stream, checked(shape, kind), function);
}

CopyShape row(void *to, const void *from, size_t size) { return {to, from, size, 1, size, size}; }

template <typename T> void set_rows(const SetShape &shape, T value) {
  if (!shape.width) return;
  for (size_t row = 0; row < shape.height; ++row) {
    char *at = static_cast<char *>(shape.to) + row * shape.pitch;
    if (sizeof(T) == 1) std::memset(at, static_cast<int>(value), shape.width);
    else
      for (size_t i = 0; i + sizeof(T) <= shape.width; i += sizeof(T)) std::memcpy(at + i, &value, sizeof(T));
  }
}

SetShape row(void *to, size_t size) { return {to, size, size, 1}; }

void set_now(const SetShape &shape, uint32_t value, size_t element, const char *function) {
  const auto stream = find_stream(nullptr);
  Run run = prepare_set(shape, value, element);
  wait_for_owner(shape.to, *stream);
  submit_and_wait(*stream, std::move(run), function);
}

void set_async(const SetShape &shape, uint32_t value, size_t element, Handle stream) {
  auto found = find_stream(stream);
  submit(*found, kMemsetNode, prepare_set(shape, value, element));
}

} // namespace

Run prepare_copy(const CopyShape &shape, CopyKind kind) {
  check(shape, kind);
  return checked(shape, kind);
}

Run prepare_set(const SetShape &shape, uint32_t value, size_t element_size) {
  if (shape.height > 1 && shape.pitch < shape.width)
    fail(kInvalidPitchValue, "rows of %zu bytes are %zu bytes apart", shape.width, shape.pitch);
  const Side side{shape.to, span(shape.width, shape.height, shape.pitch), true, "destination"};
  check_side(side);
  if (element_size != 1 && element_size != 2 && element_size != 4)
    fail(kInvalidValue, "elements of %zu bytes cannot be set, expected 1, 2 or 4", element_size);
  return [=] {
    const MemoryUse use;
    check_side(side);
    if (element_size == 1) set_rows(shape, static_cast<uint8_t>(value));
    else if (element_size == 2) set_rows(shape, static_cast<uint16_t>(value));
    else set_rows(shape, value);
  };
}

} // namespace hipsim

using namespace hipsim;

HIPSIM_EXPORT Error hipMemcpy(void *to, const void *from, size_t size, CopyKind kind) {
  return entry("hipMemcpy", [&] { copy_now(row(to, from, size), kind, *find_stream(nullptr), "hipMemcpy"); });
}

HIPSIM_EXPORT Error hipMemcpyWithStream(void *to, const void *from, size_t size, CopyKind kind, Handle stream) {
  return entry("hipMemcpyWithStream",
               [&] { copy_now(row(to, from, size), kind, *find_stream(stream), "hipMemcpyWithStream"); });
}

HIPSIM_EXPORT Error hipMemcpyAsync(void *to, const void *from, size_t size, CopyKind kind, Handle stream) {
  return entry("hipMemcpyAsync",
               [&] { copy_async(row(to, from, size), kind, *find_stream(stream), "hipMemcpyAsync"); });
}

HIPSIM_EXPORT Error hipMemcpyHtoD(void *to, const void *from, size_t size) {
  return entry("hipMemcpyHtoD",
               [&] { copy_now(row(to, from, size), kHostToDevice, *find_stream(nullptr), "hipMemcpyHtoD"); });
}

HIPSIM_EXPORT Error hipMemcpyDtoH(void *to, void *from, size_t size) {
  return entry("hipMemcpyDtoH",
               [&] { copy_now(row(to, from, size), kDeviceToHost, *find_stream(nullptr), "hipMemcpyDtoH"); });
}

HIPSIM_EXPORT Error hipMemcpyDtoD(void *to, void *from, size_t size) {
  return entry("hipMemcpyDtoD",
               [&] { copy_now(row(to, from, size), kDeviceToDevice, *find_stream(nullptr), "hipMemcpyDtoD"); });
}

HIPSIM_EXPORT Error hipMemcpyHtoDAsync(void *to, const void *from, size_t size, Handle stream) {
  return entry("hipMemcpyHtoDAsync",
               [&] { copy_async(row(to, from, size), kHostToDevice, *find_stream(stream), "hipMemcpyHtoDAsync"); });
}

HIPSIM_EXPORT Error hipMemcpyDtoHAsync(void *to, void *from, size_t size, Handle stream) {
  return entry("hipMemcpyDtoHAsync",
               [&] { copy_async(row(to, from, size), kDeviceToHost, *find_stream(stream), "hipMemcpyDtoHAsync"); });
}

HIPSIM_EXPORT Error hipMemcpyDtoDAsync(void *to, void *from, size_t size, Handle stream) {
  return entry("hipMemcpyDtoDAsync",
               [&] { copy_async(row(to, from, size), kDeviceToDevice, *find_stream(stream), "hipMemcpyDtoDAsync"); });
}

HIPSIM_EXPORT Error hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size) {
  return entry("hipMemcpyPeer", [&] {
    device(to_device), device(from_device);
    copy_now(row(to, from, size), kDeviceToDevice, *find_stream(nullptr), "hipMemcpyPeer");
  });
}

HIPSIM_EXPORT Error hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                       Handle stream) {
  return entry("hipMemcpyPeerAsync", [&] {
    device(to_device), device(from_device);
    copy_async(row(to, from, size), kDeviceToDevice, *find_stream(stream), "hipMemcpyPeerAsync");
  });
}

HIPSIM_EXPORT Error hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                size_t height, CopyKind kind) {
  return entry("hipMemcpy2D", [&] {
    copy_now({to, from, width, height, to_pitch, from_pitch}, kind, *find_stream(nullptr), "hipMemcpy2D");
  });
}

HIPSIM_EXPORT Error hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                     size_t height, CopyKind kind, Handle stream) {
  return entry("hipMemcpy2DAsync", [&] {
    copy_async({to, from, width, height, to_pitch, from_pitch}, kind, *find_stream(stream), "hipMemcpy2DAsync");
  });
}

HIPSIM_EXPORT Error hipMemset(void *to, int value, size_t size) {
  return entry("hipMemset", [&] { set_now(row(to, size), static_cast<uint32_t>(value), 1, "hipMemset"); });
}

HIPSIM_EXPORT Error hipMemsetAsync(void *to, int value, size_t size, Handle stream) {
  return entry("hipMemsetAsync", [&] { set_async(row(to, size), static_cast<uint32_t>(value), 1, stream); });
}

HIPSIM_EXPORT Error hipMemsetD8(void *to, uint8_t value, size_t count) {
  return entry("hipMemsetD8", [&] { set_now(row(to, count), value, 1, "hipMemsetD8"); });
}

HIPSIM_EXPORT Error hipMemsetD8Async(void *to, uint8_t value, size_t count, Handle stream) {
  return entry("hipMemsetD8Async", [&] { set_async(row(to, count), value, 1, stream); });
}

HIPSIM_EXPORT Error hipMemsetD16(void *to, uint16_t value, size_t count) {
  return entry("hipMemsetD16", [&] { set_now(row(to, count * 2), value, 2, "hipMemsetD16"); });
}

HIPSIM_EXPORT Error hipMemsetD16Async(void *to, uint16_t value, size_t count, Handle stream) {
  return entry("hipMemsetD16Async", [&] { set_async(row(to, count * 2), value, 2, stream); });
}

HIPSIM_EXPORT Error hipMemsetD32(void *to, int value, size_t count) {
  return entry("hipMemsetD32", [&] { set_now(row(to, count * 4), static_cast<uint32_t>(value), 4, "hipMemsetD32"); });
}

HIPSIM_EXPORT Error hipMemsetD32Async(void *to, int value, size_t count, Handle stream) {
  return entry("hipMemsetD32Async", [&] { set_async(row(to, count * 4), static_cast<uint32_t>(value), 4, stream); });
}

HIPSIM_EXPORT Error hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return entry("hipMemset2D",
               [&] { set_now({to, pitch, width, height}, static_cast<uint32_t>(value), 1, "hipMemset2D"); });
}

HIPSIM_EXPORT Error hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, Handle stream) {
  return entry("hipMemset2DAsync",
               [&] { set_async({to, pitch, width, height}, static_cast<uint32_t>(value), 1, stream); });
}

HIPSIM_EXPORT Error hipMemPrefetchAsync(const void *pointer, size_t size, int, Handle stream) {
  return entry("hipMemPrefetchAsync", [&] {
    find_stream(stream);
    check_side({pointer, size, true, "range"});
  });
}

HIPSIM_EXPORT Error hipMemAdvise(const void *pointer, size_t size, int, int) {
  return entry("hipMemAdvise", [&] { check_side({pointer, size, true, "range"}); });
}
