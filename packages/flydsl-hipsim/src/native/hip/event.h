// Events: the place where a stream was when the event was last recorded.
#pragma once
#include <memory>

#include "graph.h"

namespace hipsim {

struct Event {
  Event(Device &device, uint32_t flags) : device(device), flags(flags) {}

  Device &device;
  const uint32_t flags;
  Mutex mutex;
  PointPtr point; // null: never recorded
  // Set when the last recording was in a capture.
  std::shared_ptr<Capture> capture;
  std::weak_ptr<Stream> stream;
  uint64_t position = 0;
};

Registry<Event> &events();

} // namespace hipsim
