// In: extents of arrays, and a time to wait; out: what launches of this thread may touch, and how they ended.
#include "array_launch.h"

#include <algorithm>

#include "event.h"
#include "host_memory.h"
#include "memory.h"

namespace hipsim {
namespace {

bool belongs(const FlySimRange &array, uintptr_t address) {
  const uintptr_t offset = address - reinterpret_cast<uintptr_t>(array.base);
  return offset < array.size || offset == 0; // of an empty one, the address is its own all the same
}

// What of the arrays is memory of the host, and the mappings around other addresses among the arguments.
std::vector<FlySimRange> resolve(const FlySimRange *ranges, uint64_t count, const std::vector<char> &arguments) {
  std::vector<FlySimRange> arrays;
  for (const FlySimRange *range = ranges; range < ranges + count; ++range)
    if (range->size && is_host_memory(range->base, range->size)) arrays.push_back(*range);
  std::vector<uintptr_t> addresses = host_addresses(arguments);
  std::erase_if(addresses, [&](uintptr_t address) {
    return std::any_of(ranges, ranges + count, [&](const FlySimRange &range) { return belongs(range, address); });
  });
  const std::vector<FlySimRange> mappings = host_mappings(addresses);
  arrays.insert(arrays.end(), mappings.begin(), mappings.end());
  return arrays;
}

// Wait for the end of all, but not beyond the time: kNotReady then.
void wait_for(const std::vector<PointPtr> &points, uint32_t milliseconds) {
  const int64_t deadline = now_ns() + int64_t{milliseconds} * 1'000'000;
  for (const PointPtr &point : points)
    if (!point->wait_until(deadline)) fail(kNotReady, "there is work left");
}

} // namespace

ArrayLaunches &array_launches() {
  thread_local ArrayLaunches launches;
  return launches;
}

} // namespace hipsim

using namespace hipsim;

// Until the end, launches of this thread may touch these arrays of the host, and what is mapped around other addresses
// among the caller's arguments. They are enqueued: the caller waits for them.
HIPSIM_EXPORT Error flysim_hip_arrays_begin(const FlySimRange *ranges, uint64_t count, const char *arguments,
                                            uint64_t size) {
  return entry("flysim_hip_arrays_begin", [&] {
    ArrayLaunches &launches = array_launches();
    launches.pending.clear();
    launches.arrays = resolve(ranges, count, {arguments, arguments + size});
    launches.has_arrays = !launches.arrays.empty() ||
        std::any_of(ranges, ranges + count, [](const FlySimRange &range) { return range.size == 0; });
    launches.is_open = true;
  });
}

// Whether they are done: kNotReady when not in this time, the fault of a device when it has one.
HIPSIM_EXPORT Error flysim_hip_arrays_wait(uint32_t milliseconds) {
  return entry("flysim_hip_arrays_wait", [&] {
    const auto &pending = array_launches().pending;
    std::vector<PointPtr> points;
    for (const auto &launch : pending) points.push_back(launch.done);
    wait_for(points, milliseconds);
    for (const auto &launch : pending) launch.device.check_fault();
    for (const auto &launch : pending)
      if (launch.stopped->is_stopped)
        fail(kLaunchFailure, "an interrupt of another thread stopped a kernel before its end");
  });
}

HIPSIM_EXPORT void flysim_hip_arrays_end() { array_launches() = {}; }

// Whether the work of all devices, of one, of a stream, or before an event is done: kNotReady when not in this time.
HIPSIM_EXPORT Error flysim_hip_wait(uint32_t milliseconds) {
  return entry("flysim_hip_wait", [&] {
    std::vector<PointPtr> points;
    for (Device *device : used_devices())
      for (const auto &stream : device->streams())
        for (PointPtr &point : stream->open_points()) points.push_back(std::move(point));
    wait_for(points, milliseconds);
  });
}

HIPSIM_EXPORT Error flysim_hip_wait_device(int ordinal, uint32_t milliseconds) {
  return entry("flysim_hip_wait_device", [&] {
    std::vector<PointPtr> points;
    for (const auto &stream : device(ordinal).streams())
      for (PointPtr &point : stream->open_points()) points.push_back(std::move(point));
    wait_for(points, milliseconds);
  });
}

HIPSIM_EXPORT Error flysim_hip_wait_stream(Handle stream, uint32_t milliseconds) {
  return entry("flysim_hip_wait_stream", [&] { wait_for(find_stream(stream)->open_points(), milliseconds); });
}

HIPSIM_EXPORT Error flysim_hip_wait_event(Handle handle, uint32_t milliseconds) {
  return entry("flysim_hip_wait_event", [&] {
    auto event = events().get(handle);
    std::vector<PointPtr> points;
    {
      std::lock_guard lock(event->mutex);
      if (!event->capture && event->point) points.push_back(event->point);
    }
    wait_for(points, milliseconds);
  });
}
