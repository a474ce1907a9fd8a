// In: operations with an order; out: each started on the pool when those before it are complete.
#include "stream.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "fork.h"
#include "interrupt.h"
#include "pool.h"

namespace flycpu {
namespace {

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Of all records: a fork holds it.
std::mutex &record_mutex() {
  static auto *instance = [] {
    auto *made = new std::mutex;
    hold_over_fork(*made);
    return made;
  }();
  return *instance;
}

} // namespace

// Every stream that still lives, also destroyed ones with work left: its operations keep it alive.
struct LiveStreams {
  struct Entry {
    std::weak_ptr<Stream> stream;
    std::shared_ptr<Failure> failure; // of the stream
  };

  std::mutex mutex; // of all failures, too
  std::vector<Entry> entries;
  Failure orphan; // of a stream that is gone, and that nobody asked
  std::vector<std::shared_ptr<Stream>> held; // over a fork

  static LiveStreams &all() {
    static auto *instance = [] {
      record_mutex(); // held before those of streams
      auto *made = new LiveStreams;
      at_fork({[made] { made->hold(); }, [made] { made->release(false); }, [made] { made->release(true); }});
      return made;
    }();
    return *instance;
  }

  std::vector<std::shared_ptr<Stream>> living() {
    std::lock_guard lock(mutex);
    return collect();
  }

  std::vector<std::shared_ptr<Stream>> collect() {
    std::vector<std::shared_ptr<Stream>> found;
    for (auto &entry : entries)
      if (auto stream = entry.stream.lock()) found.push_back(std::move(stream));
    return found;
  }

  // Streams that are gone leave their failures. They have done all their work: it had kept them.
  void forget_gone() {
    auto is_gone = [this](Entry &entry) {
      if (!entry.stream.expired()) return false;
      if (orphan.code == kOk) orphan = std::move(*entry.failure);
      return true;
    };
    entries.erase(std::remove_if(entries.begin(), entries.end(), is_gone), entries.end());
  }

  void hold() {
    mutex.lock();
    held = collect();
    for (auto &stream : held) stream->mutex_.lock();
  }

  void release(bool in_child) {
    for (auto &stream : held) {
      if (in_child) stream->abandon();
      stream->mutex_.unlock();
    }
    auto streams_held = std::move(held);
    held.clear();
    mutex.unlock(); // before the last reference to one of them goes
  }
};

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
    std::lock_guard lock(record_mutex());
    time_ns_ = now_ns();
    waiters.swap(waiters_);
  }
  completed_.notify_all();
  for (auto &resume : waiters) resume();
}

Code Record::wait() {
  std::unique_lock lock(record_mutex());
  while (!completed_.wait_for(lock, kPollInterval, [this] { return time_ns_ >= 0; })) {
    lock.unlock();
    if (is_interrupted()) return kInterrupted;
    lock.lock();
  }
  return kOk;
}

bool Record::notify(std::function<void()> resume) {
  std::lock_guard lock(record_mutex());
  if (time_ns_ >= 0) return false;
  waiters_.push_back(std::move(resume));
  return true;
}

int64_t Record::time_ns() const {
  std::lock_guard lock(record_mutex());
  return time_ns_;
}

void Record::abandon() {
  new (&completed_) std::condition_variable; // the old one counts waiters that are not here
  if (time_ns_ < 0) time_ns_ = now_ns();
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
  auto &live = LiveStreams::all();
  std::lock_guard lock(live.mutex);
  live.forget_gone();
  live.entries.push_back({stream, stream->failure_});
  return stream;
}

Failure Stream::synchronize_all() {
  auto &live = LiveStreams::all();
  Failure first;
  for (auto &stream : live.living()) {
    Failure found = stream->synchronize();
    if (found.code == kInterrupted) return found;
    if (first.code == kOk) first = std::move(found);
  }
  std::lock_guard lock(live.mutex);
  live.forget_gone();
  if (first.code == kOk) first = std::move(live.orphan);
  live.orphan = {};
  return first;
}

Code Stream::wait_for_all() {
  for (auto &stream : LiveStreams::all().living())
    if (stream->wait() != kOk) return kInterrupted;
  return kOk;
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

void Stream::enqueue_loop(int64_t total, std::function<void(int64_t, int64_t)> body,
                          std::function<void(Stream &)> after, std::shared_ptr<Execution> execution) {
  auto start = [total, body = std::move(body), after = std::move(after)](Stream &stream) {
    auto self = stream.shared_from_this();
    pool().submit(std::make_shared<Job>(total, body, [self, after] {
      if (after) after(*self);
      self->advance();
    }));
    return false;
  };
  enqueue({std::move(start), {}, std::move(execution)});
}

// Start operations until one is left running or none is left. Only the owner of `busy_` is here.
void Stream::advance() {
  for (;;) {
    std::function<bool(Stream &)> start;
    {
      std::lock_guard lock(mutex_);
      current_ = {};
      if (operations_.empty()) {
        busy_ = false;
        idle_.notify_all();
        return;
      }
      current_ = std::move(operations_.front());
      operations_.pop_front();
      start = std::move(current_.start);
    }
    if (!start(*this)) return;
  }
}

Failure Stream::synchronize() {
  if (wait() == kInterrupted) return {kInterrupted, "interrupted"};
  return take_failure();
}

Code Stream::wait() {
  std::unique_lock lock(mutex_);
  while (!idle_.wait_for(lock, kPollInterval, [this] { return !busy_; })) {
    lock.unlock();
    if (is_interrupted()) {
      interrupt();
      return kInterrupted;
    }
    lock.lock();
  }
  return kOk;
}

void Stream::interrupt() {
  std::lock_guard lock(mutex_);
  const Failure why = {kInterrupted, "interrupted"};
  if (current_.execution) current_.execution->fail(why.code, why.text);
  for (auto &operation : operations_)
    if (operation.execution) operation.execution->fail(why.code, why.text);
}

void Stream::fail(const Failure &failure) {
  std::lock_guard lock(LiveStreams::all().mutex);
  if (failure_->code == kOk) *failure_ = failure;
}

Failure Stream::take_failure() {
  std::lock_guard lock(LiveStreams::all().mutex);
  return std::exchange(*failure_, {});
}

// In a forked child, whose parent's threads worked on this: nothing of it goes on. The operations are not destroyed,
// since a thread that is gone may have been using them.
void Stream::abandon() {
  new (&idle_) std::condition_variable;
  if (!busy_) return;
  auto *left = new std::deque<Operation>(std::move(operations_));
  left->push_back(std::move(current_));
  for (auto &operation : *left)
    if (operation.record) operation.record->abandon();
  operations_.clear();
  current_ = {};
  busy_ = false;
  *failure_ = {kLost, "the work in this stream was lost: the process was forked while it ran"};
}

} // namespace flycpu
