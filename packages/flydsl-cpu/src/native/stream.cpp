// In: operations with an order; out: each started on the pool when those before it are complete.
#include "stream.h"

#include <algorithm>
#include <chrono>

#include "pool.h"

namespace flycpu {
namespace {

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Every stream that still lives, also destroyed ones with work left: its operations keep it alive.
struct Live {
  std::mutex mutex;
  std::vector<std::weak_ptr<Stream>> streams;
};
Live &live() {
  static Live *instance = new Live;
  return *instance;
}

} // namespace

Registry<Stream> &streams() {
  static auto *instance = new Registry<Stream>;
  return *instance;
}

Registry<Event> &events() {
  static auto *instance = new Registry<Event>;
  return *instance;
}

void Record::complete() {
  std::vector<std::function<void()>> waiters;
  {
    std::lock_guard lock(mutex_);
    time_ns_ = now_ns();
    waiters.swap(waiters_);
  }
  completed_.notify_all();
  for (auto &resume : waiters) resume();
}

void Record::wait() {
  std::unique_lock lock(mutex_);
  completed_.wait(lock, [this] { return time_ns_ >= 0; });
}

bool Record::notify(std::function<void()> resume) {
  std::lock_guard lock(mutex_);
  if (time_ns_ >= 0) return false;
  waiters_.push_back(std::move(resume));
  return true;
}

int64_t Record::time_ns() const {
  std::lock_guard lock(mutex_);
  return time_ns_;
}

std::shared_ptr<Record> Event::latest() const {
  std::lock_guard lock(mutex_);
  return latest_;
}

void Event::set(std::shared_ptr<Record> record) {
  std::lock_guard lock(mutex_);
  latest_ = std::move(record);
}

std::shared_ptr<Stream> Stream::create() {
  auto stream = std::make_shared<Stream>();
  std::lock_guard lock(live().mutex);
  auto &all = live().streams;
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto &weak) { return weak.expired(); }), all.end());
  all.push_back(stream);
  return stream;
}

void Stream::synchronize_all() {
  std::vector<std::weak_ptr<Stream>> all;
  {
    std::lock_guard lock(live().mutex);
    all = live().streams;
  }
  for (auto &weak : all)
    if (auto stream = weak.lock()) stream->synchronize();
}

void Stream::enqueue(Operation operation) {
  {
    std::lock_guard lock(mutex_);
    operations_.push_back(std::move(operation));
    if (busy_) return;
    busy_ = true;
  }
  advance();
}

void Stream::enqueue_loop(int64_t total, std::function<void(int64_t, int64_t)> body) {
  enqueue([total, body = std::move(body)](Stream &stream) {
    auto self = stream.shared_from_this();
    pool().submit(std::make_shared<Job>(total, body, [self] { self->advance(); }));
    return false;
  });
}

// Start operations until one is left running or none is left. Only the owner of `busy_` is here.
void Stream::advance() {
  for (;;) {
    Operation operation;
    {
      std::lock_guard lock(mutex_);
      if (operations_.empty()) {
        busy_ = false;
        idle_.notify_all();
        return;
      }
      operation = std::move(operations_.front());
      operations_.pop_front();
    }
    if (!operation(*this)) return;
  }
}

void Stream::synchronize() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return !busy_; });
}

} // namespace flycpu
