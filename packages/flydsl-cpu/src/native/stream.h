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

#include "error.h"
#include "registry.h"

namespace flycpu {

// One recording of an event: becomes complete once, then has a time.
class Record {
public:
  void complete();
  void wait();
  // Call `resume` once complete; false (and no call) when it is complete already.
  bool notify(std::function<void()> resume);
  // Nanoseconds of the steady clock, or -1 while incomplete.
  int64_t time_ns() const;

private:
  mutable std::mutex mutex_;
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
  // An operation starts when all before it are complete. It returns true when it is complete on return, or calls
  // advance() later and returns false.
  using Operation = std::function<bool(Stream &)>;

  static std::shared_ptr<Stream> create();
  static void synchronize_all();

  void enqueue(Operation operation);
  // Run the indices of a loop on the pool as one operation.
  void enqueue_loop(int64_t total, std::function<void(int64_t, int64_t)> body);
  void advance();
  void synchronize();
  // The error of work that failed after it was accepted; reported and cleared by the next synchronisation.
  void set_error(Code code) { error_ = code; }
  Code take_error() { return error_.exchange(kOk); }

private:
  std::mutex mutex_;
  std::condition_variable idle_;
  std::atomic<Code> error_{kOk};
  bool busy_ = false;
  std::deque<Operation> operations_;
};

Registry<Stream> &streams();
Registry<Event> &events();

} // namespace flycpu
