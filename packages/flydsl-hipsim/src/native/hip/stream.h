// Streams: a thread each, that runs operations in order; points: places in them that others wait for.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "device.h"
#include "registry.h"

namespace hipsim {

class Capture;

// The end of an operation: reached once, then has a time.
class Point {
public:
  void reach();
  void wait();
  bool wait_until(int64_t deadline_ns); // false: it was not reached by then
  bool is_reached() const;
  int64_t time_ns() const; // of the steady clock; -1 before it is reached

private:
  int64_t time_ns_ = -1;
};
using PointPtr = std::shared_ptr<Point>;

int64_t now_ns(); // of the steady clock

using Run = std::function<void()>;

// What happens to an operation that a stop ends, or does not let begin: one that a thread waits for is told it.
struct Stopped { std::atomic<bool> is_stopped{false}; };
using StoppedPtr = std::shared_ptr<Stopped>;

enum StreamFlags : uint32_t { kBlockingStream = 0, kNonBlockingStream = 1, kNullStream = 1u << 31 };

class Stream : public std::enable_shared_from_this<Stream> {
public:
  Stream(Device &device, uint32_t flags, int priority);
  ~Stream();

  Device &device;
  const uint32_t flags;
  const int priority;
  const uint64_t id;

  // Run later, in order. On a device that has a fault nothing but `always` operations runs. With `stopped` a stop is
  // noted there, else it is a fault of the device.
  PointPtr enqueue(Run run, bool always = false, StoppedPtr stopped = nullptr);
  // Later operations wait for the point.
  void wait_for(PointPtr point);
  // Block until everything enqueued so far is done; stream 0 waits for those that wait for it as well.
  void synchronize();
  std::vector<PointPtr> open_points(); // what that waits for
  bool is_idle();
  PointPtr tail(); // null when idle
  // In a child process, where its thread is not: it begins afresh. False when there was work that is lost.
  bool restart();

  // The capture that takes the stream's operations instead of the device, if any; guarded by capture_mutex().
  std::shared_ptr<Capture> capture;
  void refuse_capture(const char *function);

private:
  struct Operation {
    Run run;
    std::vector<PointPtr> after;
    PointPtr done;
    bool always;
    StoppedPtr stopped;
  };
  struct Queue { // outlives the stream while its thread has work
    Mutex mutex;
    Condition changed;
    std::deque<Operation> operations;
    PointPtr running; // the end of the operation that was taken out
    bool works = false; // that does something
    bool closed = false;
  };
  static void work(std::shared_ptr<Queue> queue, Device &device);
  static void run(const Operation &operation, Device &device);
  std::vector<PointPtr> predecessors();

  std::shared_ptr<Queue> queue_;
  Mutex mutex_;
  PointPtr last_;
  std::vector<PointPtr> waiting_; // what the next operation waits for
  bool started_ = false;
};

Registry<Stream> &streams();

// The stream of a handle: 0 and 1 are the current device's default stream, 2 that of this thread.
std::shared_ptr<Stream> find_stream(Handle handle);

} // namespace hipsim
