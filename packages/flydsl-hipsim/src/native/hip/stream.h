// Streams: a thread each, that runs operations in order; points: places in them that others wait for.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
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
  bool is_reached() const;
  int64_t time_ns() const; // of the steady clock; -1 before it is reached

private:
  mutable std::mutex mutex_;
  std::condition_variable reached_;
  int64_t time_ns_ = -1;
};
using PointPtr = std::shared_ptr<Point>;

using Run = std::function<void()>;

enum StreamFlags : uint32_t { kBlockingStream = 0, kNonBlockingStream = 1, kNullStream = 1u << 31 };

class Stream : public std::enable_shared_from_this<Stream> {
public:
  Stream(Device &device, uint32_t flags, int priority);
  ~Stream();

  Device &device;
  const uint32_t flags;
  const int priority;
  const uint64_t id;

  // Run later, in order. On a device that has a fault nothing but `always` operations runs.
  PointPtr enqueue(Run run, bool always = false);
  // Later operations wait for the point.
  void wait_for(PointPtr point);
  // Block until everything enqueued so far is done; stream 0 waits for those that wait for it as well.
  void synchronize();
  bool is_idle();

  // The capture that takes the stream's operations instead of the device, if any; guarded by capture_mutex().
  std::shared_ptr<Capture> capture;
  void refuse_capture(const char *function);

private:
  struct Operation {
    Run run;
    std::vector<PointPtr> after;
    PointPtr done;
    bool always;
  };
  struct Queue { // outlives the stream while its thread has work
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Operation> operations;
    bool closed = false;
  };
  static void work(std::shared_ptr<Queue> queue, Device &device);
  PointPtr tail(); // null when idle
  std::vector<PointPtr> predecessors();

  std::shared_ptr<Queue> queue_;
  std::mutex mutex_;
  PointPtr last_;
  std::vector<PointPtr> waiting_; // what the next operation waits for
  bool started_ = false;
};

Registry<Stream> &streams();

// The stream of a handle: 0 and 1 are the current device's default stream, 2 that of this thread.
std::shared_ptr<Stream> find_stream(Handle handle);

} // namespace hipsim
