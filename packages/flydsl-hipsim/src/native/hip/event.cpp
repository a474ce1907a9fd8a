// In: recordings and waits; out: an order among streams, and times.
#include "event.h"

using namespace hipsim;

namespace hipsim {

Registry<Event> &events() {
  static auto *instance = new Registry<Event>("event");
  return *instance;
}

} // namespace hipsim

namespace {

enum EventFlags : uint32_t { kBlockingSync = 1, kDisableTiming = 2, kInterprocess = 4, kRelease = 3u << 30 };

void create(Handle *result, uint32_t flags) {
  require(result, "event");
  if (flags & ~(kBlockingSync | kDisableTiming | kRelease))
    fail(kInvalidValue, "event flags %#x are not modelled", flags);
  *result = events().add(std::make_shared<Event>(working_device(), flags));
}

// The stream's capture takes the event; false when the stream is not being captured.
bool record_captured(Event &event, const std::shared_ptr<Stream> &stream) {
  std::lock_guard lock(capture_mutex());
  if (!stream->capture) return false;
  std::lock_guard event_lock(event.mutex);
  event.capture = stream->capture;
  event.stream = stream;
  event.position = stream->capture->position(*stream);
  event.point = nullptr;
  return true;
}

void record(Handle handle, Handle stream_handle) {
  auto event = events().get(handle);
  auto stream = find_stream(stream_handle);
  if (&stream->device != &event->device)
    fail(kInvalidHandle, "the event is of device %d, the stream of device %d", event->device.ordinal,
         stream->device.ordinal);
  if (record_captured(*event, stream)) return;
  std::lock_guard lock(event->mutex); // held: two recordings get their points in the order they are kept in
  event->point = stream->enqueue(nullptr, true);
  event->capture = nullptr;
}

// The event's point, null when it was never recorded.
PointPtr point_of(Event &event, const char *function) {
  std::lock_guard lock(event.mutex);
  if (event.capture) fail(kCapturedEvent, "%s of an event that was recorded in a capture", function);
  return event.point;
}

// Make a stream part of the event's capture, or join a part of its own.
void wait_captured(Event &event, const std::shared_ptr<Stream> &stream) {
  const auto capture = event.capture;
  auto source = event.stream.lock();
  if (!source || source->capture != capture)
    fail(kCapturedEvent, "the capture in which the event was recorded has ended");
  if (stream->capture && stream->capture != capture)
    fail(kStreamCaptureMerge, "the stream and the event are in different captures");
  if (stream->flags & kNullStream) fail(kStreamCaptureImplicit, "stream 0 cannot wait for a captured event");
  if (!stream->capture) capture->fork(stream);
  if (source != stream) capture->join(*source, event.position);
}

void wait(Handle stream_handle, Handle handle, uint32_t flags) {
  if (flags) fail(kInvalidValue, "flags are %u, expected 0", flags);
  auto stream = find_stream(stream_handle);
  auto event = events().get(handle);
  std::lock_guard lock(capture_mutex());
  std::lock_guard event_lock(event->mutex);
  if (event->capture) return wait_captured(*event, stream);
  if (stream->capture && event->point && !event->point->is_reached())
    fail(kStreamCaptureUnsupported, "a captured stream cannot wait for work outside of the capture");
  if (event->point && !stream->capture) stream->wait_for(event->point);
}

float elapsed_ms(Handle start, Handle end) {
  auto first = events().get(start), second = events().get(end);
  if ((first->flags | second->flags) & kDisableTiming) fail(kInvalidHandle, "an event without timing has no time");
  const PointPtr a = point_of(*first, "hipEventElapsedTime"), b = point_of(*second, "hipEventElapsedTime");
  if (!a || !b) fail(kInvalidHandle, "an event that was never recorded has no time");
  if (!a->is_reached() || !b->is_reached()) fail(kNotReady, "an event is not complete yet");
  return static_cast<float>(static_cast<double>(b->time_ns() - a->time_ns()) * 1e-6);
}

} // namespace

HIPSIM_EXPORT Error hipEventCreate(Handle *result) {
  return entry("hipEventCreate", [&] { create(result, 0); });
}

HIPSIM_EXPORT Error hipEventCreateWithFlags(Handle *result, uint32_t flags) {
  return entry("hipEventCreateWithFlags", [&] { create(result, flags); });
}

HIPSIM_EXPORT Error hipEventDestroy(Handle handle) {
  return entry("hipEventDestroy", [&] { events().remove(handle)->device.check_fault(); });
}

HIPSIM_EXPORT Error hipEventRecord(Handle event, Handle stream) {
  return entry("hipEventRecord", [&] { record(event, stream); });
}

HIPSIM_EXPORT Error hipEventRecordWithFlags(Handle event, Handle stream, uint32_t flags) {
  return entry("hipEventRecordWithFlags", [&] {
    if (flags) fail(kNotSupported, "external event nodes (flags %u) are not modelled", flags);
    record(event, stream);
  });
}

HIPSIM_EXPORT Error hipStreamWaitEvent(Handle stream, Handle event, uint32_t flags) {
  return entry("hipStreamWaitEvent", [&] { wait(stream, event, flags); });
}

HIPSIM_EXPORT Error hipEventSynchronize(Handle handle) {
  return entry("hipEventSynchronize", [&] {
    auto event = events().get(handle);
    if (const PointPtr point = point_of(*event, "hipEventSynchronize")) point->wait();
    event->device.check_fault();
  });
}

HIPSIM_EXPORT Error hipEventQuery(Handle handle) {
  return entry("hipEventQuery", [&] {
    auto event = events().get(handle);
    const PointPtr point = point_of(*event, "hipEventQuery");
    if (point && !point->is_reached()) fail(kNotReady, "the event is not complete yet");
    event->device.check_fault();
  });
}

HIPSIM_EXPORT Error hipEventElapsedTime(float *ms, Handle start, Handle end) {
  return entry("hipEventElapsedTime", [&] { require(ms, "result"), *ms = elapsed_ms(start, end); });
}
