// In: operations with an order; out: a thread a stream that runs each when those before it are done.
#include "stream.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <thread>

#include "graph.h"

namespace hipsim {
namespace {

constexpr int kLeastPriority = 1, kGreatestPriority = -1;

uint64_t next_id() {
  static std::atomic<uint64_t> counter{1};
  return counter++;
}

// Of all points: few threads wait at a time.
struct Points {
  Mutex mutex;
  Condition reached;
};

Points &points() {
  static auto *instance = new Points;
  return *instance;
}

// What was on its way when the process was forked is not done in the child.
void restart_all() {
  new (&points().reached) Condition;
  for (Device *device : used_devices()) {
    device->stop = 0;
    bool is_whole = true;
    for (const auto &stream : device->streams()) is_whole &= stream->restart();
    if (!is_whole)
      device->set_fault(kLaunchFailure,
                        "the process was forked while the device had work, which is not done in the child process: "
                        "synchronise before the fork, or start processes with 'spawn'");
  }
}

const bool restarts = (flysim::in_child(restart_all), true);

} // namespace

int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void Point::reach() {
  const int64_t now = now_ns();
  std::lock_guard lock(points().mutex);
  time_ns_ = now;
  points().reached.notify_all();
}

void Point::wait() {
  std::unique_lock lock(points().mutex);
  points().reached.wait(lock, [this] { return time_ns_ >= 0; });
}

bool Point::wait_until(int64_t deadline_ns) {
  std::unique_lock lock(points().mutex);
  return points().reached.wait_until(lock, deadline_ns, [this] { return time_ns_ >= 0; });
}

bool Point::is_reached() const { return time_ns() >= 0; }

int64_t Point::time_ns() const {
  std::lock_guard lock(points().mutex);
  return time_ns_;
}

Stream::Stream(Device &device, uint32_t flags, int priority)
    : device(device), flags(flags), priority(priority), id(next_id()), queue_(std::make_shared<Queue>()) {}

Stream::~Stream() {
  std::lock_guard lock(queue_->mutex);
  queue_->closed = true;
  queue_->changed.notify_all();
}

// The thread: until the stream is destroyed and nothing is left.
void Stream::work(std::shared_ptr<Queue> queue, Device &device) {
  for (;;) {
    Operation next;
    {
      std::unique_lock lock(queue->mutex);
      queue->changed.wait(lock, [&] { return queue->closed || !queue->operations.empty(); });
      if (queue->operations.empty()) return;
      next = std::move(queue->operations.front());
      queue->operations.pop_front();
      queue->running = next.done;
      queue->works = bool(next.run);
    }
    for (const PointPtr &point : next.after) point->wait();
    if (next.run) run(next, device);
    next.run = nullptr; // what it holds is released before others see the end
    {
      std::lock_guard lock(queue->mutex);
      queue->running = nullptr;
    }
    next.done->reach();
  }
}

void Stream::run(const Operation &operation, Device &device) {
  if (!operation.always && device.has_fault()) return;
  try {
    if (operation.always || !device.is_stopping()) operation.run();
    if (operation.always || !device.is_stopping()) return;
    if (operation.stopped) operation.stopped->is_stopped = true;
    else device.set_fault(kLaunchFailure, "an interrupt stopped work of the device before its end");
  } catch (const Failure &failure) { // what was right when the operation was enqueued is not any more
    device.set_fault(failure.code, failure.text);
  }
}

PointPtr Stream::tail() {
  std::lock_guard lock(mutex_);
  if (last_ && last_->is_reached()) last_ = nullptr;
  return last_;
}

// What the order of streams adds: stream 0 runs after all blocking streams, and they after it. device.order is held.
std::vector<PointPtr> Stream::predecessors() {
  std::vector<PointPtr> found;
  if (flags & kNonBlockingStream) return found;
  for (const auto &other : device.streams()) {
    if (other.get() == this || other->flags & kNonBlockingStream) continue;
    if (!(flags & kNullStream) && !(other->flags & kNullStream)) continue;
    if (PointPtr point = other->tail()) found.push_back(std::move(point));
  }
  return found;
}

PointPtr Stream::enqueue(Run run, bool always, StoppedPtr stopped) {
  auto done = std::make_shared<Point>();
  std::lock_guard order(device.order);
  Operation operation{std::move(run), predecessors(), done, always, std::move(stopped)};
  std::lock_guard lock(mutex_);
  for (PointPtr &point : waiting_) operation.after.push_back(std::move(point));
  waiting_.clear();
  if (!started_) {
    std::thread(work, queue_, std::ref(device)).detach();
    started_ = true;
  }
  last_ = done;
  std::lock_guard queue_lock(queue_->mutex);
  queue_->operations.push_back(std::move(operation));
  queue_->changed.notify_all();
  return done;
}

void Stream::wait_for(PointPtr point) {
  if (point->is_reached()) return;
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(point));
}

std::vector<PointPtr> Stream::open_points() {
  std::vector<PointPtr> open;
  std::lock_guard order(device.order);
  if (flags & kNullStream) open = predecessors();
  std::lock_guard lock(mutex_);
  if (last_) open.push_back(last_);
  open.insert(open.end(), waiting_.begin(), waiting_.end());
  return open;
}

void Stream::synchronize() {
  for (const PointPtr &point : open_points()) point->wait();
}

bool Stream::restart() {
  const bool is_whole = !(queue_->running && queue_->works) &&
      std::none_of(queue_->operations.begin(), queue_->operations.end(),
                   [](const Operation &operation) { return bool(operation.run); });
  if (queue_->running) queue_->running->reach();
  for (const Operation &operation : queue_->operations) operation.done->reach();
  queue_->operations.clear();
  queue_ = std::make_shared<Queue>();
  last_ = nullptr;
  waiting_.clear();
  started_ = false;
  return is_whole;
}

bool Stream::is_idle() {
  std::lock_guard order(device.order);
  if (flags & kNullStream && !predecessors().empty()) return false;
  if (tail()) return false;
  std::lock_guard lock(mutex_);
  for (const PointPtr &point : waiting_)
    if (!point->is_reached()) return false;
  return true;
}

void Stream::refuse_capture(const char *function) {
  std::lock_guard lock(capture_mutex());
  if (!capture) return;
  capture->invalidate();
  fail(kStreamCaptureUnsupported, "%s on a stream that is being captured", function);
}

Registry<Stream> &streams() {
  static auto *instance = new Registry<Stream>("stream");
  return *instance;
}

std::shared_ptr<Stream> find_stream(Handle handle) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number <= 1) return working_device().null_stream();
  if (number > 2) {
    auto found = streams().get(handle);
    found->device.check_fault();
    return found;
  }
  struct Own : std::map<int, std::shared_ptr<Stream>> {
    ~Own() { // the thread ends, its work may not be at its end
      for (auto &[ordinal, stream] : *this) stream->device.retire(stream);
    }
  };
  thread_local Own own;
  Device &here = working_device();
  auto &stream = own[here.ordinal];
  if (!stream) {
    stream = std::make_shared<Stream>(here, kBlockingStream, 0);
    here.add_stream(stream);
  }
  return stream;
}

} // namespace hipsim

using namespace hipsim;

namespace {

void create(Handle *result, uint32_t flags, int priority) {
  require(result, "stream");
  if (flags & ~kNonBlockingStream) fail(kInvalidValue, "stream flags are %#x, expected 0 or 1", flags);
  Device &here = working_device();
  priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  auto stream = std::make_shared<Stream>(here, flags, priority);
  here.add_stream(stream);
  *result = streams().add(std::move(stream));
}

} // namespace

HIPSIM_EXPORT Error hipStreamCreate(Handle *result) {
  return entry("hipStreamCreate", [&] { create(result, kBlockingStream, 0); });
}

HIPSIM_EXPORT Error hipStreamCreateWithFlags(Handle *result, uint32_t flags) {
  return entry("hipStreamCreateWithFlags", [&] { create(result, flags, 0); });
}

HIPSIM_EXPORT Error hipStreamCreateWithPriority(Handle *result, uint32_t flags, int priority) {
  return entry("hipStreamCreateWithPriority", [&] { create(result, flags, priority); });
}

HIPSIM_EXPORT Error hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return entry("hipDeviceGetStreamPriorityRange", [&] {
    if (least) *least = kLeastPriority;
    if (greatest) *greatest = kGreatestPriority;
  });
}

HIPSIM_EXPORT Error hipStreamDestroy(Handle handle) {
  return entry("hipStreamDestroy", [&] {
    if (reinterpret_cast<uintptr_t>(handle) <= 2) fail(kInvalidHandle, "a default stream cannot be destroyed");
    auto stream = streams().remove(handle);
    abandon_capture(*stream);
    Device &of = stream->device;
    of.retire(std::move(stream)); // lives on until its work is done: others wait for it
    of.check_fault();
  });
}

HIPSIM_EXPORT Error hipStreamSynchronize(Handle handle) {
  return entry("hipStreamSynchronize", [&] {
    auto stream = find_stream(handle);
    stream->refuse_capture("hipStreamSynchronize");
    stream->synchronize();
    stream->device.check_fault();
  });
}

HIPSIM_EXPORT Error hipStreamQuery(Handle handle) {
  return entry("hipStreamQuery", [&] {
    auto stream = find_stream(handle);
    stream->refuse_capture("hipStreamQuery");
    if (!stream->is_idle()) fail(kNotReady, "the stream has work left");
    stream->device.check_fault();
  });
}

HIPSIM_EXPORT Error hipStreamGetFlags(Handle handle, uint32_t *flags) {
  return entry("hipStreamGetFlags",
               [&] { require(flags, "flags"), *flags = find_stream(handle)->flags & kNonBlockingStream; });
}

HIPSIM_EXPORT Error hipStreamGetPriority(Handle handle, int *priority) {
  return entry("hipStreamGetPriority",
               [&] { require(priority, "priority"), *priority = find_stream(handle)->priority; });
}

HIPSIM_EXPORT Error hipStreamGetDevice(Handle handle, int *ordinal) {
  return entry("hipStreamGetDevice",
               [&] { require(ordinal, "device"), *ordinal = find_stream(handle)->device.ordinal; });
}

HIPSIM_EXPORT Error hipStreamGetId(Handle handle, unsigned long long *id) {
  return entry("hipStreamGetId", [&] { require(id, "id"), *id = find_stream(handle)->id; });
}

HIPSIM_EXPORT Error hipLaunchHostFunc(Handle handle, HostFunction function, void *data) {
  return entry("hipLaunchHostFunc", [&] {
    require(reinterpret_cast<void *>(function), "function");
    submit(*find_stream(handle), kHostNode, [=] { function(data); });
  });
}

HIPSIM_EXPORT Error hipStreamAddCallback(Handle handle, StreamCallback callback, void *data, uint32_t flags) {
  return entry("hipStreamAddCallback", [&] {
    require(reinterpret_cast<void *>(callback), "callback");
    if (flags) fail(kInvalidValue, "flags are %u, expected 0", flags);
    auto stream = find_stream(handle);
    stream->refuse_capture("hipStreamAddCallback");
    stream->enqueue([=] { callback(handle, kSuccess, data); });
  });
}
