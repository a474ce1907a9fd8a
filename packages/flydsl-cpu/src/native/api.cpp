// The C ABI that the Python side calls: every function returns an error code of error.h; text by flycpu_error_message.
#include <algorithm>
#include <cstring>

#include "error.h"
#include "execution.h"
#include "fly_abi.h"
#include "interrupt.h"
#include "launch.h"
#include "memory.h"
#include "module.h"
#include "pool.h"
#include "stream.h"

using namespace flycpu;

#define FLYCPU_API extern "C" __attribute__((visibility("default")))

namespace {

constexpr int64_t kCopyChunk = 1 << 20; // bytes a worker moves at a time

int32_t table_module_load(void *, int32_t ordinal, const void *image, uint64_t size, const char *const *names,
                          uint32_t count, void **module) {
  return guarded([&]() -> int32_t {
    if (ordinal != 0) return fail(kInvalidValue, "there is no cpu device %d, only device 0", ordinal);
    return load_module(image, size, names, count, module);
  });
}

int32_t table_module_unload(void *, void *module) {
  return guarded([&] { return unload_module(module); });
}

int32_t table_launch(void *, void *kernel, const FlyLaunchConfig *config, void *stream, void **params) {
  return guarded([&] { return launch(kernel, config, stream, params); });
}

const FlyRuntimeApi table = {sizeof(FlyRuntimeApi), FLY_ABI_VERSION, nullptr, table_module_load,
                             table_module_unload,   table_launch,    0,       nullptr};

int32_t reported(const Failure &failure) {
  return failure.code == kOk ? kOk : fail(failure.code, "%s", failure.text.c_str());
}

// Also what failed in the record's stream.
int32_t waited(Record &record) {
  if (record.wait() != kOk) return fail(kInterrupted, "interrupted");
  auto stream = record.stream();
  return stream ? reported(stream->take_failure()) : kOk;
}

int32_t no_stream(const void *stream) { return fail(kInvalidHandle, "%p is not a stream of this runtime", stream); }
int32_t no_event(const void *event) { return fail(kInvalidHandle, "%p is not an event of this runtime", event); }

// Run a loop over bytes: at once on the null stream, else as an operation of the stream.
template <typename Body> int32_t over_bytes(uint64_t bytes, void *stream, Body body) {
  if (bytes == 0) return kOk;
  const int64_t total = static_cast<int64_t>((bytes + kCopyChunk - 1) / kCopyChunk);
  auto loop = [bytes, body](int64_t begin, int64_t end) {
    const uint64_t from = begin * kCopyChunk;
    body(from, std::min<uint64_t>(bytes, end * kCopyChunk) - from);
  };
  if (!stream) {
    pool().run(total, loop);
    return kOk;
  }
  auto queue = streams().find(stream);
  if (!queue) return no_stream(stream);
  queue->enqueue_loop(total, loop);
  return kOk;
}

} // namespace

FLYCPU_API const FlyRuntimeApi *flycpu_api() { return &table; }

FLYCPU_API const char *flycpu_error_message(int32_t code) { return message(code); }

// Before the first work: number of threads (0: as many as the affinity mask allows) and shared memory of a block.
FLYCPU_API int32_t flycpu_configure(int32_t threads, uint32_t shared_bytes) {
  return guarded([&]() -> int32_t {
    if (threads < 0) return fail(kInvalidValue, "the number of threads must not be negative, got %d", threads);
    if (!set_threads(threads))
      return fail(kInvalidValue, "the cpu runtime runs with %d threads already", pool().threads());
    limits().shared_bytes = shared_bytes;
    install_fault_handlers();
    return kOk;
  });
}

// Functions of the Python in this process, which handles signals while its threads wait; null: there is none any more.
FLYCPU_API void flycpu_set_python(const PythonApi *api) { set_python(api); }

// After kInterrupted, with Python's lock held: raise what a signal handler raised.
FLYCPU_API void flycpu_raise_interrupt() { raise_interrupt(); }

FLYCPU_API int32_t flycpu_threads() { return pool().threads(); }
FLYCPU_API uint32_t flycpu_threads_per_block() { return limits().threads_per_block; }
FLYCPU_API uint32_t flycpu_shared_bytes() { return limits().shared_bytes; }

FLYCPU_API int32_t flycpu_allocate(uint64_t bytes, void **pointer) {
  return guarded([&] { return allocate(bytes, pointer); });
}

FLYCPU_API int32_t flycpu_free(void *pointer) {
  return guarded([&] { return release(pointer); });
}

FLYCPU_API int32_t flycpu_copy(void *to, const void *from, uint64_t bytes, void *stream) {
  return guarded([&] {
    auto *target = static_cast<char *>(to);
    auto *source = static_cast<const char *>(from);
    if (target < source + bytes && source < target + bytes) // overlapping: one piece
      return over_bytes(bytes ? 1 : 0, stream, [=](uint64_t, uint64_t) { std::memmove(target, source, bytes); });
    return over_bytes(bytes, stream, [=](uint64_t at, uint64_t n) { std::memcpy(target + at, source + at, n); });
  });
}

FLYCPU_API int32_t flycpu_memset(void *to, int32_t value, uint64_t bytes, void *stream) {
  return guarded([&] {
    auto *target = static_cast<char *>(to);
    return over_bytes(bytes, stream, [=](uint64_t at, uint64_t n) { std::memset(target + at, value, n); });
  });
}

FLYCPU_API int32_t flycpu_stream_create(void **stream) {
  return guarded([&] {
    *stream = streams().add(Stream::create());
    return kOk;
  });
}

// Work left in the stream still runs.
FLYCPU_API int32_t flycpu_stream_destroy(void *stream) {
  return guarded([&]() -> int32_t { return streams().remove(stream) ? kOk : no_stream(stream); });
}

FLYCPU_API int32_t flycpu_stream_synchronize(void *stream) {
  return guarded([&]() -> int32_t {
    if (!stream) return kOk;
    auto queue = streams().find(stream);
    if (!queue) return no_stream(stream);
    return reported(queue->synchronize());
  });
}

FLYCPU_API int32_t flycpu_synchronize() {
  return guarded([&] { return reported(Stream::synchronize_all()); });
}

FLYCPU_API int32_t flycpu_event_create(void **event) {
  return guarded([&] {
    *event = events().add(std::make_shared<Event>());
    return kOk;
  });
}

FLYCPU_API int32_t flycpu_event_destroy(void *event) {
  return guarded([&]() -> int32_t { return events().remove(event) ? kOk : no_event(event); });
}

FLYCPU_API int32_t flycpu_event_record(void *event, void *stream) {
  return guarded([&]() -> int32_t {
    auto target = events().find(event);
    if (!target) return no_event(event);
    auto queue = stream ? streams().find(stream) : nullptr;
    if (stream && !queue) return no_stream(stream);
    auto record = std::make_shared<Record>(queue);
    target->set(record);
    if (queue) queue->enqueue({[record](Stream &) { return record->complete(), true; }, record});
    else record->complete();
    return kOk;
  });
}

// Later work of the stream waits for the event's latest recording; an event never recorded holds nothing up.
FLYCPU_API int32_t flycpu_stream_wait_event(void *stream, void *event) {
  return guarded([&]() -> int32_t {
    auto target = events().find(event);
    if (!target) return no_event(event);
    auto queue = stream ? streams().find(stream) : nullptr;
    if (stream && !queue) return no_stream(stream);
    auto record = target->latest();
    if (!record) return kOk;
    if (queue)
      queue->enqueue({[record](Stream &self) {
        auto waiting = self.shared_from_this();
        return !record->notify([waiting] { waiting->advance(); });
      }});
    else return waited(*record);
    return kOk;
  });
}

FLYCPU_API int32_t flycpu_event_synchronize(void *event) {
  return guarded([&]() -> int32_t {
    auto target = events().find(event);
    if (!target) return no_event(event);
    auto record = target->latest();
    return record ? waited(*record) : kOk;
  });
}

// kNotReady when one of the latest recordings is not complete.
FLYCPU_API int32_t flycpu_event_elapsed(void *start, void *end, double *milliseconds) {
  return guarded([&]() -> int32_t {
    void *handles[2] = {start, end};
    int64_t times[2];
    for (int i = 0; i < 2; ++i) {
      auto target = events().find(handles[i]);
      if (!target) return no_event(handles[i]);
      auto record = target->latest();
      if (!record) return fail(kInvalidValue, "event %p was never recorded", handles[i]);
      times[i] = record->time_ns();
      if (times[i] < 0) return fail(kNotReady, "event %p is not complete", handles[i]);
    }
    *milliseconds = static_cast<double>(times[1] - times[0]) * 1e-6;
    return kOk;
  });
}
