// Streams: ordered queues of asynchronous operations; events: points in them with a time.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "execution.h"
#include "registry.h"

namespace flycpu {

class Stream;

// One recording of an event: becomes complete once, then has a time.
class Record {
public:
  explicit Record(std::weak_ptr<Stream> stream = {}) : stream_(std::move(stream)) {}
  void complete();
  // Returns when it is complete, or earlier when a signal interrupts the wait: kInterrupted.
  Code wait();
  // Call `resume` once complete; false (and no call) when it is complete already.
  bool notify(std::function<void()> resume);
  // Nanoseconds of the steady clock, or -1 while incomplete.
  int64_t time_ns() const;
  // The stream that it was recorded in, if that still lives.
  std::shared_ptr<Stream> stream() const { return stream_.lock(); }
  // In a forked child, for what its parent's threads would have completed. The lock of all records is held.
  void abandon();

private:
  const std::weak_ptr<Stream> stream_;
  std::condition_variable completed_;
  int64_t time_ns_ = -1;
  std::vector<std::function<void()>> waiters_;
};

class Event {
public:
  std::shared_ptr<Record> latest() const;
  void set(std::shared_ptr<Record> record);

private:
  mutable std::mutex mutex_;
  std::shared_ptr<Record> latest_;
};

class Stream : public std::enable_shared_from_this<Stream> {
public:
  // An operation starts when all before it are complete. `start` returns true when it is complete on return, or calls
  // advance() later and returns false.
  struct Operation {
    std::function<bool(Stream &)> start;
    std::shared_ptr<Record> record = {};       // that it completes
    std::shared_ptr<Execution> execution = {}; // that it runs
  };

  static std::shared_ptr<Stream> create();
  // Waits for all streams; then the first failure that was not reported yet.
  static Failure synchronize_all();
  static Code wait_for_all();

  void enqueue(Operation operation);
  // Run the indices of a loop on the pool as one operation; `after` is called at its end.
  void enqueue_loop(int64_t total, std::function<void(int64_t, int64_t)> body, std::function<void(Stream &)> after = {},
                    std::shared_ptr<Execution> execution = {});
  void advance();
  // Waits until nothing is left to do. A signal that interrupts the wait stops the launches in the stream:
  // kInterrupted.
  Code wait();
  // After a wait that was not interrupted the failure of work that was accepted, which is reported once.
  Failure synchronize();
  void fail(const Failure &failure);
  Failure take_failure();

private:
  friend struct LiveStreams;
  void interrupt();
  void abandon();

  std::mutex mutex_;
  std::condition_variable idle_;
  // Of work that was accepted, until somebody asks. It is read when this is gone, too: the lock of all streams is for
  // it.
  const std::shared_ptr<Failure> failure_ = std::make_shared<Failure>();
  bool busy_ = false;
  Operation current_;
  std::deque<Operation> operations_;
};

Registry<Stream> &streams();
Registry<Event> &events();

} // namespace flycpu
